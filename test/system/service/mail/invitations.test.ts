import { expect, test } from 'vitest';
import { invite } from '../../../../src/service/auth/members.ts';
import type { Mail } from '../../../../src/service/mail/mail.ts';
import { ServiceMail } from '../../../../src/service/mail/service-mail.ts';
import { pino } from 'pino';
import { ErasureService, STORES } from '../erasure/erasure-service.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const STRANGER = 'victim@elsewhere.example';

/** A service that records its mail, with an account. */
async function start(open = STORES[0]![1]) {
  const fixture = await ErasureService.open(open);
  const sent: Mail[] = [];
  const transport = {
    send: async (mail: Mail) => void sent.push(mail),
    verify: async () => undefined,
    pretend: async () => undefined,
    close: () => undefined,
  };
  const mail = new ServiceMail({ transport, publicUrl: 'https://b.example', log: pino({ level: 'silent' }) });
  const context = { ...fixture.context, mail };
  const owner = (await context.metadata.accounts.user(fixture.owner.id))!;
  const send = (email: string, by = owner) => invite(context, by, { email, role: 'member' });
  const newOwner = async (email: string) =>
    (await context.metadata.members.createAccount({ email, passwordHash: 'hash', now: fixture.now() }))!;
  return { fixture, context, sent, send, newOwner };
}

test.each(STORES.slice(0, 2))('an invitation is mailed once an hour to one address with %s', async (_, open) => {
  const { fixture, context, sent, send } = await start(open);
  const answers = await Promise.all(Array.from({ length: 15 }, () => send(STRANGER)));
  answers.push(await send(STRANGER.toUpperCase()));
  expect(sent).toHaveLength(1);
  expect(answers.filter(({ mailed }) => mailed)).toHaveLength(1);
  expect(answers.filter((one) => one.mail_limited)).toHaveLength(15);
  expect(await context.metadata.members.invitations(fixture.accountId, fixture.now())).toHaveLength(1);
  fixture.service.clock.advance(HOUR);
  expect(await send(STRANGER)).toMatchObject({ mailed: true, mail_limited: false });
});

test('all accounts together mail three invitations a day to one address', async () => {
  const { fixture, sent, send, newOwner } = await start();
  for (let number = 0; number < 6; number += 1) await send(STRANGER, await newOwner(`o${number}@example.org`));
  expect(sent).toHaveLength(3);
  expect(await send('other@elsewhere.example')).toMatchObject({ mailed: true });
  fixture.service.clock.advance(DAY);
  expect(await send(STRANGER)).toMatchObject({ mailed: true });
});

test('an account mails thirty invitations an hour', async () => {
  const { fixture, sent, send, newOwner } = await start();
  for (let number = 0; number < 35; number += 1) await send(`p${number}@elsewhere.example`);
  expect(sent).toHaveLength(30);
  expect(await send('p@elsewhere.example', await newOwner('o@example.org'))).toMatchObject({ mailed: true });
  fixture.service.clock.advance(HOUR);
  expect(await send('late@elsewhere.example')).toMatchObject({ mailed: true });
});

test('the limits keep no address', async () => {
  const { fixture, context, send } = await start();
  const { id } = await send(STRANGER);
  const audit = {
    accountId: fixture.accountId,
    occurredAt: fixture.now(),
    kind: 'member.invitation_withdrawn',
  } as const;
  await context.metadata.members.withdraw(fixture.accountId, id, audit);
  expect(await fixture.occurrences([STRANGER])).toEqual([]);
});
