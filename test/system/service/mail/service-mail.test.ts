import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { reportOfflineDevices } from '../../../../src/service/devices/offline.ts';
import { requestByUser } from '../../../../src/service/erasure/account-erasures.ts';
import type { Mail } from '../../../../src/service/mail/mail.ts';
import { MAIL_LANGUAGES, MAIL_TEXTS } from '../../../../src/service/mail/mail-texts.ts';
import { ServiceMail } from '../../../../src/service/mail/service-mail.ts';
import { createSmtpTransport } from '../../../../src/service/mail/smtp.ts';
import { checkMail } from '../../../../src/service/operation/check/mail.ts';
import { raiseAlarm } from '../../../../src/service/alarms/raise-alarm.ts';
import { requestReset } from '../../../../src/service/auth/passwords/password-reset.ts';
import { startMailServer } from '../../../helpers/service/mail-server.ts';
import { DAY, ErasureService } from '../erasure/erasure-service.ts';
import { file, STATS } from '../../../unit/service/harness.ts';

const HOUR = 3_600_000;
const FROM = 'backup@example.org';
const MAIL: Mail = { to: 'anna@example.org', subject: 'Grüße', text: 'Zeile eins\n.\nZeile drei\n' };

describe('a mail server', () => {
  test('receives subject and text as they are', async () => {
    const server = await startMailServer();
    const transport = createSmtpTransport({ server: server.url, from: FROM });
    await transport.send(MAIL);
    const { text } = await server.next();
    expect(text).toContain('Zeile eins\n.\nZeile drei');
    expect(text).toMatch(/^Subject: =\?UTF-8\?/m);
    transport.close();
  });

  test('elsewhere gets nothing without TLS', async () => {
    const server = await startMailServer('127.0.0.2');
    const transport = createSmtpTransport({ server: server.url, from: FROM });
    await expect(transport.send(MAIL)).rejects.toThrow(/TLS/);
    expect(server.received).toEqual([]);
    transport.close();
  });

  test('is tried by the check', async () => {
    const server = await startMailServer();
    expect(await checkMail({ server: server.url, from: FROM })).toMatchObject([{ check: 'mail', status: 'ok' }]);
    const closed = await checkMail({ server: 'smtp://127.0.0.1:1', from: FROM });
    expect(closed).toMatchObject([
      { check: 'mail', status: 'failed', message: expect.stringContaining('127.0.0.1:1') },
    ]);
    expect(await checkMail(undefined)).toEqual([]);
  });

  test('gets one address, even if it contains a comma', async () => {
    const server = await startMailServer();
    const transport = createSmtpTransport({ server: server.url, from: FROM });
    await transport.send({ ...MAIL, to: '"eve@example.org,anna"@example.org' });
    expect((await server.next()).to).toHaveLength(1);
    transport.close();
  });
});

/** A transport that refuses the first `refusals` messages. */
function refusing(refusals: number) {
  const sent: Mail[] = [];
  let tries = 0;
  const transport = {
    send: async (mail: Mail) => {
      tries += 1;
      if (tries <= refusals) throw new Error('busy');
      sent.push(mail);
    },
    verify: async () => undefined,
    pretend: async () => undefined,
    close: () => undefined,
  };
  const log = pino({ level: 'silent' });
  return { sent, tries: () => tries, mail: new ServiceMail({ transport, publicUrl: 'https://b.example', log }) };
}

describe('queued mail', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('is sent again until the server accepts it', async () => {
    const { sent, mail, tries } = refusing(2);
    mail.queue('alarm', 'anna@example.org', { subject: 's', text: 't' });
    await vi.advanceTimersByTimeAsync(61_000);
    expect([sent.length, tries()]).toEqual([0, 2]);
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    expect(sent).toEqual([{ to: 'anna@example.org', subject: 's', text: 't' }]);
  });

  test('is given up after four attempts, and on closing', async () => {
    const { mail, tries } = refusing(100);
    mail.queue('alarm', 'anna@example.org', { subject: 's', text: 't' });
    await vi.advanceTimersByTimeAsync(24 * 3_600_000);
    expect(tries()).toBe(4);
    mail.queue('alarm', 'anna@example.org', { subject: 's', text: 't' });
    await vi.advanceTimersByTimeAsync(0);
    mail.close();
    await vi.advanceTimersByTimeAsync(24 * 3_600_000);
    expect(tries()).toBe(5);
  });
});

/** An account with a laptop, and what alarms of its sets send. */
async function alarmed(device = 'Laptop') {
  const fixture = await ErasureService.open();
  const laptop = await fixture.addDevice(device, fixture.owner.id);
  const { sent, mail } = refusing(0);
  const accountSettings = { ...fixture.context.accountSettings, resetDelay: 0 };
  const context = { ...fixture.context, mail, accountSettings };
  const alarm = async (set: string) => {
    const { sessions, alarms } = context.metadata;
    const token = await fixture.service.tokenOf(laptop.id, fixture.accountId);
    const { body } = await fixture.service.openSession({ ...laptop, token }, set);
    const session = (await sessions.find(body.session_id as string))!;
    const changes = { filesBefore: 1_000, versions: 1_000, ended: 1_000, bytes: 10 ** 9, newBytes: 10 ** 9 };
    await alarms.recordChanges(session.id, changes, fixture.now());
    await raiseAlarm(context, session, { ...STATS, suspicious_names: 900 }, fixture.now());
  };
  return { fixture, laptop, context, sent, alarm };
}

describe('a flood of alarms', () => {
  test('sends ten messages an hour, the last of which says so', async () => {
    const { fixture, sent, alarm } = await alarmed();
    for (let set = 0; set < 15; set += 1) await alarm(`set ${set}`);
    expect(sent).toHaveLength(10);
    const last = (text: string) => text.includes(MAIL_TEXTS.en.lastOfHour);
    expect(sent.map(({ text }) => last(text))).toEqual([...Array<boolean>(9).fill(false), true]);
    fixture.service.clock.advance(HOUR);
    await alarm('later');
    expect(sent).toHaveLength(11);
  });

  test('suppresses neither the mail about an erasure nor that of a new password', async () => {
    const { fixture, laptop, context, sent, alarm } = await alarmed();
    for (let set = 0; set < 15; set += 1) await alarm(`set ${set}`);
    const owner = (await context.metadata.accounts.user(fixture.owner.id))!;
    await requestByUser(context, owner, { scope: 'device', device_id: laptop.id });
    requestReset(context, owner.email);
    await vi.waitFor(() => expect(sent).toHaveLength(12));
    expect(sent.slice(10).map(({ subject }) => subject)).toEqual([
      'Data will be erased',
      'Choose a new password for Holdfast',
    ]);
  });
});

test.each(MAIL_LANGUAGES)('a name of a device or a set stays one short line in every text of %s', (language) => {
  const texts = MAIL_TEXTS[language];
  const name = `x\r\nBcc: eve@example.org\r\n\r\nClick\u2028here\u202E${'y'.repeat(500)}`;
  for (const { subject, text } of [texts.offline(name, 'TIME', 'LINK'), texts.alarm(name, name, 'LINK')]) {
    expect(subject).toContain('x Bcc: eve@example.org Click here yyy');
    expect(subject).not.toMatch(/[\p{Cc}\p{Zl}\u202E]/u);
    expect(subject.length).toBeLessThan(200);
    expect(text).toContain('x Bcc: eve@example.org Click here yyy');
    expect(text).not.toMatch(/Bcc[^]*\nClick|^Bcc|[\r\u2028\u202E]/m);
  }
});

describe('alerts', () => {
  test('of an absent device, an alarm and an erasure go to owners and admins', async () => {
    const fixture = await ErasureService.open();
    await fixture.join('adam@example.org', 'admin');
    await fixture.join('mia@example.org', 'member');
    const laptop = await fixture.addDevice('Laptop', fixture.owner.id);
    const { sent, mail } = refusing(0);
    const context = { ...fixture.context, mail };
    const id = await fixture.begin(laptop, 'docs', [file('/a', ['a'])]);
    const { sessions, alarms, accounts } = context.metadata;
    const changes = { filesBefore: 1_000, versions: 1_000, ended: 1_000, bytes: 10 ** 9, newBytes: 10 ** 9 };
    await alarms.recordChanges(id, changes, fixture.now());
    await raiseAlarm(context, (await sessions.find(id))!, { ...STATS, suspicious_names: 900 }, fixture.now());
    await requestByUser(context, (await accounts.user(fixture.owner.id))!, { scope: 'device', device_id: laptop.id });
    fixture.service.clock.advance(4 * DAY);
    await reportOfflineDevices(context);
    await vi.waitFor(() => expect(sent).toHaveLength(6));
    expect(sent.map(({ to }) => to)).not.toContain('mia@example.org');
    const subjects = sent.filter(({ to }) => to === 'adam@example.org').map(({ subject }) => subject);
    expect(subjects).toEqual([
      'A backup of Laptop shows signs of ransomware',
      'Data will be erased',
      'Laptop has not been seen recently',
    ]);
    for (const { text } of sent) expect(text).toContain('https://b.example/');
  });
});

test.each(MAIL_LANGUAGES)('every text of %s contains what it was given', (language) => {
  const texts = MAIL_TEXTS[language];
  const written = [
    texts.reset('LINK', 30),
    texts.invitation('LINK', 'TIME'),
    texts.offline('DEVICE', 'TIME', 'LINK'),
    texts.alarm('DEVICE', 'SET', 'LINK'),
    texts.erasure('TIME', 'LINK'),
  ];
  for (const { text, subject } of written) {
    expect(text).toContain('LINK');
    expect(subject).not.toMatch(/\n/);
  }
  expect(written.map(({ text }) => text).join('')).toMatch(/30[^]*TIME[^]*DEVICE[^]*SET/);
});
