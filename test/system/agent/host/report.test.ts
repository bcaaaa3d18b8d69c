import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { homeAt, prepareHome, type Home } from '../../../../src/agent/home/home.ts';
import { isReportDue, lastingFailure, nextReport } from '../../../../src/agent/host/report/next-report.ts';
import { WeeklyReport } from '../../../../src/agent/host/report/weekly-report.ts';
import { mailServerOf } from '../../../../src/agent/operations/report/report-file.ts';
import { HomeKeyStore } from '../../../../src/agent/key-store/home-key-store.ts';
import { HoldfastError } from '../../../../src/base/errors/errors.ts';
import type { ReportSettings } from '../../../../src/ipc/contract/report.ts';
import { MemoryKeychain } from '../../../helpers/keyring/memory-keychain.ts';
import { startMailServer } from '../../../helpers/service/mail-server.ts';

const SETTINGS: ReportSettings = {
  isOn: true,
  weekday: 1,
  minute: 9 * 60,
  to: ['anna@example.org'],
  host: 'mail.example.org',
  port: 465,
  security: 'tls',
  user: 'anna',
  withNames: false,
};
const TEXT = { subject: 'Backups', text: 'All is well.\n', html: '<p>All is well.</p>' };
const HOUR = 3_600_000;
/** A time of the computer's own calendar; the 23rd of November 2026 is a Monday. */
const at = (day: number, hour: number, minute = 0): number => new Date(2026, 10, day, hour, minute).getTime();
const FAILURE = { code: 'mail_failed', details: { server: 'mail.example.org' } } as const;

describe('the next report', () => {
  const stored = { settings: SETTINGS, since: at(18, 12) };

  test('is on the day and at the time of the settings', () => {
    expect(nextReport(stored, at(19, 8))).toBe(at(23, 9));
    expect(isReportDue(stored, at(23, 8, 59))).toBe(false);
    expect(isReportDue(stored, at(23, 9))).toBe(true);
  });

  test('is sent later if the computer was off, and once', () => {
    expect(isReportDue(stored, at(26, 20))).toBe(true);
    expect(nextReport({ ...stored, sentAt: at(26, 20) }, at(26, 21))).toBe(at(30, 9));
    expect(isReportDue({ ...stored, sentAt: at(26, 20) }, at(30, 10))).toBe(true);
  });

  test('is not one from before it was set up, and none while it is off', () => {
    expect(isReportDue({ ...stored, since: at(23, 10) }, at(23, 10, 1))).toBe(false);
    expect(nextReport({ ...stored, settings: { ...SETTINGS, isOn: false } }, at(24, 10))).toBeUndefined();
  });

  test('is tried again an hour after a failure, which a person hears of after a day', () => {
    const failed = { ...stored, failed: { at: at(23, 9), failure: FAILURE } };
    expect(isReportDue(failed, at(23, 9, 59))).toBe(false);
    expect(isReportDue(failed, at(23, 10))).toBe(true);
    expect(lastingFailure(failed, at(24, 8, 59))).toBeUndefined();
    expect(lastingFailure(failed, at(24, 9))).toEqual(failed.failed);
    expect(lastingFailure({ ...failed, sentAt: at(24, 8) }, at(24, 9))).toBeUndefined();
  });

  test('comes although the clock was ahead when the last one was sent', () => {
    expect(nextReport({ ...stored, sentAt: at(30, 9) + 400 * 24 * HOUR }, at(24, 9))).toBe(at(30, 9));
  });

  test('is at most a week away, whenever it is asked for', () => {
    const anyTime = fc.integer({ min: at(1, 0), max: at(1, 0) + 365 * 24 * HOUR });
    fc.assert(
      fc.property(anyTime, anyTime, fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 1439 }), (...values) => {
        const [since, now, weekday, minute] = values;
        const next = nextReport({ settings: { ...SETTINGS, weekday, minute }, since }, now)!;
        expect(new Date(next).getDay()).toBe(weekday);
        expect(Math.abs(next - now)).toBeLessThanOrEqual(7 * 24 * HOUR + HOUR);
      }),
      { numRuns: 200 },
    );
  });
});

describe('the weekly report', () => {
  let home: Home;
  let keyStore: HomeKeyStore;
  let now: number;
  let due: number;
  let notified: number;
  let tick: () => void;
  let weekly: WeeklyReport;

  beforeEach(async () => {
    home = homeAt(mkdtempSync(join(tmpdir(), 'holdfast-report-')));
    prepareHome(home);
    keyStore = new HomeKeyStore(home, new MemoryKeychain());
    await keyStore.save({ masterKey: new Uint8Array(32).fill(7), keyEnvelope: new Uint8Array([1]) });
    now = at(18, 12);
    due = 0;
    notified = 0;
    weekly = newReport();
  });
  afterEach(() => rmSync(home.folder, { recursive: true, force: true }));

  /** Creates the report as at a start of the program. */
  const newReport = (send?: () => Promise<unknown>): WeeklyReport =>
    new WeeklyReport({
      home,
      keyStore,
      clock: { now: () => now },
      timers: {
        after: (_milliseconds, run) => {
          tick = run;
          return () => undefined;
        },
      },
      changes: { notify: () => void (notified += 1) },
      due: () => void (due += 1),
      ...(send && { send }),
    });

  test('is asked for once when it is due, and again if nobody answers', async () => {
    await weekly.save(SETTINGS, 'secret');
    now = at(23, 9);
    tick();
    tick();
    expect(due).toBe(1);
    now = at(23, 9, 10);
    tick();
    expect(due).toBe(2);
  });

  test('is sent by the mail server with the stored password, and then due in a week', async () => {
    const server = await startMailServer();
    const { hostname, port } = new URL(server.url);
    await weekly.save({ ...SETTINGS, host: hostname, port: Number(port), security: 'starttls', user: '' }, undefined);
    now = at(23, 9);
    await weekly.send(TEXT, true);
    expect(await server.next()).toMatchObject({ from: 'anna@example.org', to: ['anna@example.org'] });
    expect(await weekly.state()).toMatchObject({ sentAt: now, nextAt: at(30, 9) });
    tick();
    expect(due).toBe(0);
    server.isBusy = true;
    now = at(30, 9);
    await expect(weekly.send(TEXT, true)).rejects.toMatchObject({ code: 'mail_failed' });
    expect(await newReport().state()).toMatchObject({ failed: { at: now, failure: { code: 'mail_failed' } } });
    expect(weekly.failed).toBeUndefined();
    now = at(31, 9);
    expect(weekly.failed).toMatchObject({ at: at(30, 9) });
  });

  test('is sent, and kept as a failure, when the server refuses one of several recipients', async () => {
    const server = await startMailServer();
    const { hostname, port } = new URL(server.url);
    const place = { host: hostname, port: Number(port), security: 'starttls', user: '' } as const;
    await weekly.save({ ...SETTINGS, ...place, to: ['anna@example.org', 'nobody@example.org'] }, undefined);
    now = at(23, 9);
    const details = { server: hostname, problem: 'refused', addresses: 'nobody@example.org' };
    await expect(weekly.send(TEXT, true)).rejects.toMatchObject({ code: 'mail_failed', details });
    expect((await server.next()).to).toEqual(['anna@example.org']);
    // Anna gets no second one before it is due.
    expect(await weekly.state()).toMatchObject({ sentAt: now, nextAt: at(30, 9), failed: { failure: { details } } });
    expect(weekly.failed).toMatchObject({ at: now });
  });

  test('is still due after a test, also one that failed', async () => {
    weekly = newReport(() => Promise.reject(new HoldfastError('mail_failed', { server: 'x' })));
    await weekly.save(SETTINGS, 'secret');
    await expect(weekly.send(TEXT, false)).rejects.toMatchObject({ code: 'mail_failed' });
    expect(await weekly.state()).not.toHaveProperty('failed');
    weekly = newReport(() => Promise.resolve());
    now = at(23, 9);
    await weekly.send(TEXT, false);
    expect(await weekly.state()).toMatchObject({ nextAt: now });
  });

  test('keeps a failure that is a bug, and is not taken for sent', async () => {
    weekly = newReport(() => Promise.reject(new TypeError('x is not a function')));
    await weekly.save(SETTINGS, 'secret');
    now = at(23, 9);
    await expect(weekly.send(TEXT, true)).rejects.toThrow(TypeError);
    expect(await weekly.state()).toMatchObject({ failed: { failure: { code: 'internal' } }, nextAt: now });
  });

  test('keeps its password from the settings file, and only for the same user of the same server', async () => {
    await keyStore.moveTo('keychain');
    await weekly.save(SETTINGS, 'top secret');
    expect(readFileSync(join(home.folder, 'weekly-report.json'), 'utf8')).not.toContain('secret');
    expect(readFileSync(home.secretsFile, 'utf8')).not.toContain('secret');
    await weekly.save({ ...SETTINGS, weekday: 5, to: ['ben@example.org'] }, undefined);
    expect(await keyStore.mailPassword(mailServerOf(SETTINGS))).toBe('top secret');
    for (const change of [
      { host: 'evil.example' },
      { port: 587 },
      { user: 'eve' },
      { security: 'starttls' },
    ] as const) {
      await weekly.save({ ...SETTINGS, ...change }, undefined);
      expect((await weekly.state()).hasPassword).toBe(false);
      await weekly.save(SETTINGS, 'top secret');
    }
    await weekly.remove();
    expect(await weekly.state()).toEqual({ hasPassword: false });
    expect(await keyStore.mailPassword(mailServerOf(SETTINGS))).toBeUndefined();
  });

  test('that was missed is sent after other settings, but not at once on another day', async () => {
    await weekly.save(SETTINGS, 'secret');
    now = at(24, 9);
    await weekly.save({ ...SETTINGS, port: 587 }, 'secret');
    expect((await weekly.state()).nextAt).toBe(at(23, 9));
    await weekly.save({ ...SETTINGS, weekday: 2, minute: 8 * 60 }, 'secret');
    expect((await weekly.state()).nextAt).toBe(at(24, 8) + 7 * 24 * HOUR);
    expect(notified).toBeGreaterThan(0);
  });
});

describe('the password of the mail server', () => {
  test('stays when keys and destinations are saved, and is none of theirs', async () => {
    const home = homeAt(mkdtempSync(join(tmpdir(), 'holdfast-report-')));
    prepareHome(home);
    const store = new HomeKeyStore(home, new MemoryKeychain());
    await expect(store.saveMailPassword('smtp://a', 'x')).rejects.toMatchObject({ code: 'not_set_up' });
    const secrets = { masterKey: new Uint8Array(32).fill(7), keyEnvelope: new Uint8Array([1]) };
    await store.save(secrets);
    await store.saveMailPassword('smtp://a', 'secret');
    expect(await store.load()).toEqual(secrets);
    await store.save(secrets);
    await store.saveKeys(secrets, new Uint8Array([2]));
    await store.saveDestination('nas', { keyEnvelope: new Uint8Array([3]) }, []);
    await store.at('nas').save({ ...secrets, keyEnvelope: new Uint8Array([4]) });
    expect(await store.mailPassword('smtp://a')).toBe('secret');
    expect(await store.at('nas').load()).toEqual({ ...secrets, keyEnvelope: new Uint8Array([4]) });
    expect(JSON.stringify(JSON.parse(readFileSync(home.secretsFile, 'utf8'))['destinations'])).not.toContain('secret');
    rmSync(home.folder, { recursive: true, force: true });
  });
});
