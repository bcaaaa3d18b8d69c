import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withHooks } from '../../../../src/agent/hooks/with-hooks.ts';
import { pingsSent } from '../../../../src/agent/hooks/pings-under-way.ts';
import { HoldfastError } from '../../../../src/base/errors/errors.ts';
import type { Hooks } from '../../../../src/model/set.ts';
import { SetHistories, type SetHistory } from '../../../../src/agent/history/set-history.ts';
import { runReportOf } from '../../../../src/agent/history/finished-runs.ts';
import { requireSettings } from '../../../../src/agent/home/settings.ts';
import { CatalogAccess } from '../../../../src/agent/host/activity/catalog-access.ts';
import { HandlerFixture } from '../../../unit/agent/host/handler-fixture.ts';
import { startPingServer } from './ping-server.ts';
import { keepThreads } from '../../../helpers/kept-threads.ts';

keepThreads();

let fixture: HandlerFixture;

beforeEach(async () => {
  fixture = new HandlerFixture();
  await fixture.agent.setup({
    destination: { kind: 'folder', directory: fixture.path('backups') },
    deviceName: 'laptop',
  });
  fixture.write('docs/a', 'hello');
  await fixture.agent.addSet({
    form: {
      name: 'docs',
      roots: [fixture.path('docs')],
      excludes: [],
      presets: [],
      oneFileSystem: false,
      privateNames: false,
    },
  });
});
afterEach(() => fixture.close());

const hooks = async (commands: { readonly before?: string; readonly after?: string }): Promise<void> => {
  const { before, after } = commands;
  await fixture.agent.changeHooks({
    set: 'docs',
    commands: {
      ...(before !== undefined && { before: { line: before } }),
      ...(after !== undefined && { after: { line: after } }),
    },
  });
};
const facts = (): Record<string, string> =>
  Object.fromEntries(
    readFileSync(fixture.path('facts'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]),
  );
const KEEP_FACTS = (): string => `env | grep ^HOLDFAST_ > ${fixture.path('facts')}`;

describe('the command before a backup', () => {
  test('runs before anything is read', async () => {
    await hooks({ before: `echo new > ${fixture.path('docs/made')}` });
    const report = await fixture.agent.backup({ set: 'docs' }, {});
    expect(report.filesProcessed).toBe(2);
    expect((await fixture.agent.hooks({ set: 'docs' })).results.before).toMatchObject({ end: 'exited', exitCode: 0 });
  });

  test('that takes too long is reported with the time that it has, not with the one until its end', async () => {
    await fixture.agent.changeHooks({
      set: 'docs',
      commands: { before: { line: 'trap "" TERM; while :; do sleep 0.1; done', timeoutSeconds: 1 } },
    });
    await expect(fixture.agent.backup({ set: 'docs' }, {})).rejects.toMatchObject({
      code: 'command_failed',
      details: { problem: 'timeout', seconds: 1 },
    });
  });

  test('keeps the backup from being made if it fails, and the one after learns it', async () => {
    await hooks({ before: 'echo "no disk"; exit 7', after: KEEP_FACTS() });
    await expect(fixture.agent.backup({ set: 'docs' }, {})).rejects.toMatchObject({
      code: 'command_failed',
      details: { exitCode: 7 },
    });
    expect(await fixture.agent.points({ set: 'docs' })).toEqual([]);
    expect((await fixture.agent.hooks({ set: 'docs' })).results.before?.output).toBe('no disk\n');
    expect(facts()).toMatchObject({
      HOLDFAST_SET: 'docs',
      HOLDFAST_OUTCOME: 'failed',
      HOLDFAST_ERROR: 'command_failed',
    });
  });

  test('that cannot be started is a failure of its own', async () => {
    await hooks({ before: JSON.stringify([fixture.path('missing')]) });
    await expect(fixture.agent.backup({ set: 'docs' }, {})).rejects.toMatchObject({
      code: 'command_failed',
      details: { problem: 'not-started' },
    });
  });

  test('does not run for a dry run', async () => {
    await hooks({ before: `touch ${fixture.path('ran')}`, after: `touch ${fixture.path('ran')}` });
    await fixture.agent.backup({ set: 'docs', dryRun: true }, {});
    expect(existsSync(fixture.path('ran'))).toBe(false);
  });
});

describe('the command after a backup', () => {
  test('finds the outcome in its environment', async () => {
    await hooks({ after: KEEP_FACTS() });
    const report = await fixture.agent.backup({ set: 'docs' }, {});
    expect(report.warnings).toEqual([]);
    expect(facts()).toMatchObject({
      HOLDFAST_SET: 'docs',
      HOLDFAST_OUTCOME: 'success',
      HOLDFAST_ERROR: '',
      HOLDFAST_RESTORE_POINT: report.restorePoint,
      HOLDFAST_FILES: '1',
      HOLDFAST_BYTES_UPLOADED: String(report.bytesUploaded),
      HOLDFAST_WARNINGS: '0',
    });
  });

  test('that fails is a warning of the backup, which is made', async () => {
    await hooks({ after: 'exit 1' });
    const report = await fixture.agent.backup({ set: 'docs' }, {});
    expect(report.restorePoint).toBeDefined();
    expect(report.warnings).toEqual([{ path: 'docs', reason: 'after-command' }]);
    using catalog = new CatalogAccess(fixture.home, fixture.parts.clock);
    const histories = new SetHistories();
    const { id, deviceId } = requireSettings(fixture.home);
    const seen = catalog.read((open) => histories.of(open.at(id), deviceId, 'docs'));
    expect(seen).toMatchObject({
      hasCommandFailed: true,
      newWarnings: [],
      lastBackup: { outcome: 'warnings', warnings: 1 },
    });
    const [job] = catalog.read(({ journal }) => journal.list({ backupSet: 'docs' }, 10));
    expect(runReportOf(job!)?.warnings).toEqual(report.warnings);
    await hooks({});
    await fixture.agent.backup({ set: 'docs' }, {});
    expect(catalog.read((open) => histories.of(open.at(id), deviceId, 'docs')).hasCommandFailed).toBe(false);
  });

  test('that fails is seen although the end of the backup was seen before', async () => {
    using catalog = new CatalogAccess(fixture.home, fixture.parts.clock);
    const histories = new SetHistories();
    const { id, deviceId } = requireSettings(fixture.home);
    const seen = (): SetHistory => catalog.read((open) => histories.of(open.at(id), deviceId, 'docs'));
    const set = { name: 'docs', hooks: { after: { run: 'exit 1' } } };
    const { home, clock } = fixture.parts;
    fixture.advance(1000);
    await withHooks(set, { home, clock, environment: { PATH: process.env['PATH'] } }, undefined, async () => {
      const report = await fixture.agent.backup({ set: 'docs' }, {});
      expect(seen()).toMatchObject({ hasCommandFailed: false, lastBackup: { outcome: 'succeeded' } });
      fixture.advance(1000);
      return report;
    });
    expect(seen()).toMatchObject({ hasCommandFailed: true, lastBackup: { outcome: 'warnings' } });
  });

  test.each([
    ['failed', new HoldfastError('destination_full'), 'destination_full'],
    ['stopped', new HoldfastError('interrupted'), 'interrupted'],
    ['failed', new Error('a bug'), 'internal'],
  ])('runs with the outcome %s', async (outcome, error, code) => {
    const after: Hooks = { after: { run: KEEP_FACTS() } };
    const parts = { home: fixture.home, clock: fixture.parts.clock, environment: { PATH: process.env['PATH'] } };
    const set = { name: 'docs', hooks: after };
    await expect(withHooks(set, parts, undefined, () => Promise.reject(error))).rejects.toBe(error);
    expect(facts()).toMatchObject({ HOLDFAST_OUTCOME: outcome, HOLDFAST_ERROR: code });
  });
});

describe('pings', () => {
  test('tell the start and the success, in this order, without names of files', async () => {
    const { url, received } = await startPingServer();
    await fixture.agent.changeHooks({
      set: 'docs',
      commands: {},
      pings: { start: `${url}/id/start`, success: `${url}/id`, fail: `${url}/id/fail` },
    });
    const report = await fixture.agent.backup({ set: 'docs' }, {});
    await pingsSent();
    expect(received.map(({ path }) => path)).toEqual(['/id/start', '/id']);
    expect(received[1]!.body).toContain(
      `outcome: success\nrestore point: ${report.restorePoint}\nfiles: 1\nbytes: 5\n`,
    );
    expect(received.map(({ body }) => body).join('')).not.toContain(fixture.path('docs'));
    expect((await fixture.agent.hooks({ set: 'docs' })).results).toMatchObject({
      start: { isDelivered: true },
      success: { isDelivered: true },
    });
  });

  test('tell that the command after has failed, as the run does', async () => {
    const { url, received } = await startPingServer();
    const commands = { after: { line: 'exit 9' } };
    await fixture.agent.changeHooks({ set: 'docs', commands, pings: { success: `${url}/id`, fail: `${url}/id/fail` } });
    await fixture.agent.backup({ set: 'docs' }, {});
    await pingsSent();
    expect(received.map(({ path }) => path)).toEqual(['/id']);
    expect(received[0]!.body).toMatch(/\noutcome: warnings\n(.*\n)*warnings: 1\n/);
  });

  test('forget how they ended when they change, and only then', async () => {
    const { url } = await startPingServer();
    const commands = { before: { line: 'true' }, after: { line: 'exit 3' } };
    const pings = { start: `${url}/start`, success: url };
    await fixture.agent.changeHooks({ set: 'docs', commands, pings });
    await fixture.agent.backup({ set: 'docs' }, {});
    await pingsSent();
    const ended = async (): Promise<readonly string[]> =>
      Object.keys((await fixture.agent.hooks({ set: 'docs' })).results).toSorted();
    expect(await ended()).toEqual(['after', 'before', 'start', 'success']);
    await fixture.agent.changeHooks({
      set: 'docs',
      commands: { ...commands, before: { line: 'true', timeoutSeconds: 5 } },
      pings,
    });
    expect(await ended()).toEqual(['after', 'before', 'start', 'success']);
    await fixture.agent.changeHooks({
      set: 'docs',
      commands: { before: { line: 'false' } },
      pings: { start: `${url}/other`, success: url },
    });
    expect(await ended()).toEqual(['success']);
  });

  test('tell a failure with its code', async () => {
    const { url, received } = await startPingServer();
    const pings = { success: `${url}/id`, fail: `${url}/id/fail` };
    await fixture.agent.changeHooks({ set: 'docs', commands: { before: { line: 'exit 2' } }, pings });
    await expect(fixture.agent.backup({ set: 'docs' }, {})).rejects.toThrow('command_failed');
    await pingsSent();
    expect(received.map(({ path }) => path)).toEqual(['/id/fail']);
    expect(received[0]!.body).toBe('set: docs\noutcome: failed\nerror: command_failed\n');
  });

  test('that nobody accepts are shown, and the backup is made all the same', async () => {
    const { url, received, statuses } = await startPingServer();
    statuses.push(404, 404);
    await fixture.agent.changeHooks({ set: 'docs', commands: {}, pings: { start: url, success: url } });
    expect((await fixture.agent.backup({ set: 'docs' }, {})).warnings).toEqual([]);
    await pingsSent();
    expect(received).toHaveLength(2);
    expect((await fixture.agent.hooks({ set: 'docs' })).results.success).toMatchObject({
      isDelivered: false,
      status: 404,
    });
  });

  test('with an address that is not encrypted are refused by name', async () => {
    await expect(
      fixture.agent.changeHooks({ set: 'docs', commands: {}, pings: { success: 'http://example.org/' } }),
    ).rejects.toMatchObject({ code: 'usage', details: { problem: 'ping-address', address: 'http://example.org/' } });
  });
});

test('a damaged file of results is one without results', async () => {
  writeFileSync(`${fixture.home.folder}/hook-results.json`, '{"version":1,"sets":{"docs":{"before":7}}}');
  await hooks({ before: 'true' });
  expect((await fixture.agent.hooks({ set: 'docs' })).results).toEqual({});
  await fixture.agent.backup({ set: 'docs' }, {});
  expect((await fixture.agent.hooks({ set: 'docs' })).results.before).toMatchObject({ exitCode: 0 });
});

test.each([
  ['a line for the shell', 'pg_dump -Fc app > "$HOME/app.dump"'],
  ['a program with its arguments', '["/usr/bin/rsync","-a","[x]"]'],
  ['a test of the shell', '[ -d /mnt/nas ]'],
])('%s is shown as it was written', async (_what, line) => {
  const { commands } = await fixture.agent.changeHooks({
    set: 'docs',
    commands: { before: { line, timeoutSeconds: 30 } },
  });
  expect(commands).toEqual({ before: { line, timeoutSeconds: 30 } });
});
