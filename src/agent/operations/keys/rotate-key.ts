import { HoldfastError, wrongUsage } from '../../../base/errors.ts';
import { keyIdOf } from '../../../engine/crypto/keys.ts';
import { phraseOf } from '../../../engine/crypto/recovery-phrase.ts';
import { rotate, sealRing, unique } from '../../../engine/crypto/rotation.ts';
import { passwordSlotsOf, readEnvelope } from '../../../engine/crypto/key-envelope.ts';
import { membersOf, putEnvelope, writerLimits, type RepositoryMembers } from '../../../repository/membership.ts';
import type { LedgerWriter } from '../../../repository/projection/ledgers.ts';
import type { AgentParts } from '../../context/agent-parts.ts';
import { lockHome } from '../../context/open-context.ts';
import { deviceKeyIn } from '../../destination/adopt-keys.ts';
import { updateStoredSettings } from '../../home/settings.ts';
import { accountSecretsIn, keyRingIn } from '../../key-store/key-store.ts';
import {
  openRepositories,
  type AbsentDestination,
  type OpenRepositories,
  type OpenRepository,
} from './each-repository.ts';

export interface RotationRequest {
  /** Id or name of a computer that does not get the new key. */
  readonly revoke?: string | undefined;
  /** Opens the new key from now on. Without one, no passphrase does. */
  readonly passphrase?: string | undefined;
}

export interface KeyHolderInfo {
  /** Of the device. */
  readonly id: string;
  readonly name: string;
  readonly isOwn: boolean;
}

/** Who gets the new key, and who does not. */
export interface RotationPlan {
  readonly kept: readonly KeyHolderInfo[];
  readonly removed: readonly KeyHolderInfo[];
  /** Computers that state no key pair, since they have not backed up with this version. They need the new recovery phrase. */
  readonly withoutKey: readonly KeyHolderInfo[];
  readonly absent: readonly AbsentDestination[];
  readonly services: readonly string[];
}

export interface RotationReport extends RotationPlan {
  readonly recoveryPhrase: string;
  readonly epoch: number;
  /** True if a passphrase opened the old key, and none opens the new one. */
  readonly lostPassphrase: boolean;
}

interface Division {
  readonly place: OpenRepository;
  readonly members: RepositoryMembers;
}

/** Finds out what a rotation would do. @throws as `rotateKey` */
export async function planRotation(
  parts: AgentParts,
  { revoke }: RotationRequest,
  signal?: AbortSignal,
): Promise<RotationPlan> {
  await using places = await openRepositories(parts, signal);
  return planOf(places, await divide(places, revoke, signal));
}

/**
 * Changes the key of the backups at all destinations, and leaves out a computer that is removed. What was stored before stays as it is, and
 * the new key opens it, too. A destination that cannot be reached gets the new key with the next backup there.
 *
 * @throws HoldfastError `usage` (`device-unknown`, `rotation-own-device`, `rotation-of-service`), `key_outdated`, `device_cloned`, `home_busy`; what
 *   the first destination throws if none can be opened
 */
export async function rotateKey(
  parts: AgentParts,
  { revoke, passphrase }: RotationRequest,
  signal?: AbortSignal,
): Promise<RotationReport> {
  using _lock = lockHome(parts, 'key rotate');
  await using places = await openRepositories(parts, signal);
  const divisions = await divide(places, revoke, signal);
  const [first, ...others] = divisions;
  if (!first) throw wrongUsage({ problem: 'rotation-of-service' });
  const { secrets } = first.place.access;
  const isSame = divisions.every(({ place }) => keyIdOf(place.access.secrets.masterKey) === keyIdOf(secrets.masterKey));
  // One of them brought a new key, which the next attempt finds at all.
  if (!isSame) throw new HoldfastError('key_changed', {}, { retryable: true });
  const author = deviceKeyIn(secrets);
  if (!author) throw new HoldfastError('home_damaged', { problem: 'no-device-key' });
  const now = parts.clock.now();
  const revoked = unique(divisions.flatMap(({ members }) => members.revoked));
  const membershipAt = async ({ place, members }: Division) => ({
    author,
    members: members.members,
    revoked,
    writers: await writerLimits(place.repository, place.access.settled!.newest, members.removed, signal),
  });
  const { state } = first.place.access.settled!;
  const rotated = await rotate(keyRingIn(secrets), state, await membershipAt(first), { now, passphrase });
  const passwordSlots = passwordSlotsOf(readEnvelope(rotated.envelope), 'passphrase');
  const [current, ...earlierKeys] = rotated.ring;
  const account = {
    ...accountSecretsIn(secrets),
    masterKey: current.master,
    epoch: current.epoch,
    earlierKeys,
    revoked,
  };
  // The destination comes first: from there this home gets the key, too, whatever happens next.
  await putEnvelope(first.place.repository, rotated.envelope, signal);
  await first.place.keyStore.saveKeys(account, rotated.envelope);
  // A phrase unlocks the window if it is that of the current key.
  updateStoredSettings(parts.home, (before) => ({ ...before, keyId: keyIdOf(current.master) }));
  for (const division of others) {
    const { place } = division;
    const before = place.access.settled!.newest ?? state;
    const options = { since: now, passwordSlots };
    const isCurrent = before && before.keyId !== keyIdOf(current.master);
    const envelope = sealRing(rotated.ring, isCurrent ? before : undefined, await membershipAt(division), options);
    await putEnvelope(place.repository, envelope, signal);
    await place.keyStore.saveKeys(account, envelope);
  }
  return {
    ...planOf(places, divisions),
    recoveryPhrase: phraseOf(current.master),
    epoch: current.epoch,
    lostPassphrase:
      passphrase === undefined && passwordSlotsOf(readEnvelope(secrets.keyEnvelope), 'passphrase').length > 0,
  };
}

/** Divides the computers of each destination. A computer may have another id at each, so it is found by its name there. */
async function divide(
  { open }: OpenRepositories,
  revoke: string | undefined,
  signal: AbortSignal | undefined,
): Promise<readonly Division[]> {
  for (const { repository } of open) await repository.refreshForWriting(signal);
  const all = open.flatMap(({ repository }) => repository.projection.ledgers.writers());
  const ids = new Set(open.map(({ repository }) => repository.writerKey.id));
  const target = revoke === undefined ? undefined : targetOf(revoke, all, ids);
  return open.map((place) => {
    const { repository, access } = place;
    const isRemoved = (writer: LedgerWriter): boolean => target?.(writer) === true;
    return { place, members: membersOf(repository, access.settled?.revoked ?? [], isRemoved) };
  });
}

/** @throws HoldfastError `usage` (`device-unknown`, `rotation-own-device`) */
function targetOf(
  revoke: string,
  writers: readonly LedgerWriter[],
  own: ReadonlySet<string>,
): (writer: LedgerWriter) => boolean {
  const found = writers.filter(({ id, device, name }) => [id, device, name].includes(revoke));
  const others = found.filter(({ id }) => !own.has(id));
  if (found.length === 0) {
    const known = [...new Set(writers.filter(({ id }) => !own.has(id)).map(({ device }) => device))];
    throw wrongUsage({ problem: 'device-unknown', device: revoke, known });
  }
  if (others.length === 0) throw wrongUsage({ problem: 'rotation-own-device' });
  const ids = new Set(others.map(({ id }) => id));
  const keys = new Set(others.flatMap(({ key }) => (key ? [Buffer.from(key).toString('hex')] : [])));
  return ({ id, key }) => ids.has(id) || (key !== null && keys.has(Buffer.from(key).toString('hex')));
}

function planOf({ absent, services, open }: OpenRepositories, divisions: readonly Division[]): RotationPlan {
  const own = new Set(open.map(({ repository }) => repository.writerKey.id));
  const list = (writers: readonly LedgerWriter[]): readonly KeyHolderInfo[] => {
    const byName = new Map<string, KeyHolderInfo>();
    for (const { id, device, name, key } of writers) {
      const identity = key ? Buffer.from(key).toString('hex') : id;
      byName.set(identity, { id: device, name, isOwn: own.has(id) });
    }
    return [...byName.values()];
  };
  const kept = divisions.flatMap(({ members }) => members.kept);
  return {
    kept: list(kept.filter(({ id, key }) => key !== null || own.has(id))),
    removed: list(divisions.flatMap(({ members }) => members.removed)),
    withoutKey: list(kept.filter(({ id, key }) => key === null && !own.has(id))),
    absent,
    services,
  };
}
