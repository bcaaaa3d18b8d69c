import { chunk, file } from '../../../unit/service/harness.ts';
import type { TestChunk, TestDevice } from '../../../unit/service/harness.ts';
import { DAY, ErasureService, MEMBER_ADDRESS, STORES } from './erasure-service.ts';

/** How long an erasure waits. */
export const WAIT = 7 * DAY;

export const bytesOf = (...chunks: readonly TestChunk[]) => chunks.reduce((sum, { blob }) => sum + blob.length, 0);

export interface Situation {
  readonly fixture: ErasureService;
  readonly mia: string;
  readonly laptop: TestDevice;
  readonly desk: TestDevice;
  readonly own: TestChunk;
  readonly shared: TestChunk;
  readonly deskOnly: TestChunk;
}

/** Two people with a device each, planted names everywhere, and a webhook that was told of them. */
export async function situation(open = STORES[0]![1]): Promise<Situation> {
  const fixture = await ErasureService.open(open);
  const { metadata, clock } = fixture.context;
  const [accountId, now] = [fixture.accountId, clock.now()];
  await metadata.webhooks.add({
    id: 'whk_1',
    accountId,
    url: 'https://hooks.example.org/planted-hook',
    events: [],
    secret: 'whsec_planted-secret',
    now,
  });
  const mia = await fixture.join('mia-planted@example.org', 'member');
  const laptop = await fixture.addDevice('Planted-Laptop', mia);
  const desk = await fixture.addDevice('Planted-Desk', fixture.owner.id);
  const [own, shared, deskOnly] = [chunk(150_000), chunk(160_000), chunk(170_000)];
  await fixture.backUp(laptop, 'Planted-Set', [file('/planted-path/a', [own, shared])]);
  await fixture.backUp(laptop, 'Planted-Set', [file('/planted-path/a', [own, shared]), file('/b', ['b'])]);
  await fixture.backUp(laptop, 'Other-Set', [file('/other', [shared])]);
  await fixture.backUp(desk, 'Desk-Set', [file('/desk', [deskOnly])]);
  await fixture.manifest(laptop, 'Planted-Set');
  await fixture.tokenOf(mia, MEMBER_ADDRESS);
  for (const [deviceId, details] of [
    [laptop.id, { name: 'Planted-Laptop', previous_name: 'Planted-Earlier' }],
    [laptop.id, { backup_set: 'Planted-Set' }],
  ] as const) {
    const kind = 'name' in details ? 'device.renamed' : 'retention.changed';
    await metadata.audit.record({
      accountId,
      userId: mia,
      deviceId,
      address: MEMBER_ADDRESS,
      occurredAt: now,
      kind,
      details,
    });
  }
  const passkey = {
    id: 'planted-credential',
    userId: mia,
    friendlyName: 'Planted-Passkey',
    publicKey: Buffer.alloc(1),
  };
  const times = { createdAt: now, lastUsedAt: now };
  await metadata.passkeys.add(
    { ...passkey, ...times, counter: 0, transports: [] },
    { accountId, userId: mia, occurredAt: now, kind: 'passkey.added' },
  );
  await metadata.passkeys.ask({
    subject: 'add:planted-sign-in',
    userId: mia,
    challenge: 'planted',
    friendlyName: 'Planted-Passkey',
    expiresAt: now + 2 * WAIT,
  });
  await metadata.tokens.fail('password:mia-planted@example.org', now + WAIT, () => 0);
  return { fixture, mia, laptop, desk, own, shared, deskOnly };
}
