import { HoldfastError, wrongUsage } from '../../../base/errors/errors.ts';
import { keyIdOf } from '../../../format/crypto/keys.ts';
import { phraseOf } from '../../../format/crypto/recovery-phrase.ts';
import type { DeviceKey } from '../../../format/crypto/device-key.ts';
import { rotate, sealRing, unique, type Membership } from '../../../format/crypto/rotation.ts';
import { passwordSlotsOf, readEnvelope } from '../../../format/crypto/key-envelope.ts';
import { membersOf, putEnvelope, writerLimits } from '../../../repository/membership.ts';
import type { AgentParts } from '../../context/agent-parts.ts';
import type { OperationRun } from '../../context/operation-run.ts';
import { lockHome } from '../../context/open-context.ts';
import { deviceKeyIn } from '../../destination/keys/adopt-keys.ts';
import { membersAt, membershipAt } from '../../destination/keys/service-keys.ts';
import type { KeyHolder } from '../../destination/keys/service-members.ts';
import { KnownWriters, rememberWriters } from '../../destination/keys/known-writers.ts';
import { requireStoredSettings, updateStoredSettings } from '../../home/settings.ts';
import { accountSecretsIn, keyRingIn } from '../../key-store/key-store.ts';
import { openPlaces, type AbsentDestination, type OpenPlace, type OpenPlaces } from './open-places.ts';

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
  /** Names of services: their other computers get the new key after the next backup of this one there. */
  readonly services: readonly string[];
}

export interface RotationReport extends RotationPlan {
  readonly recoveryPhrase: string;
  readonly epoch: number;
  /** True if a passphrase opened the old key, and none opens the new one. */
  readonly lostPassphrase: boolean;
}

interface Division {
  readonly place: OpenPlace;
  readonly members: Members;
  /** Returns what an envelope for the place states. */
  readonly membership: (author: DeviceKey) => Promise<Membership>;
}

/** The computers of a place that get the new key, and those that do not. */
interface Members {
  readonly kept: readonly KeyHolder[];
  readonly removed: readonly KeyHolder[];
  readonly revoked: readonly Uint8Array[];
}

/** Finds out what a rotation would do. @throws as `rotateKey` */
export async function planRotation(
  parts: AgentParts,
  { revoke }: RotationRequest,
  { signal }: OperationRun = {},
): Promise<RotationPlan> {
  await using places = await openPlaces(parts, signal);
  return planOf(places, await divide(places, revoke, parts, signal));
}

/**
 * Changes the key of the backups at all destinations, and leaves out a computer that is removed. What was stored before stays as it is, and
 * the new key opens it, too. A destination that cannot be reached gets the new key with the next backup there.
 *
 * @throws HoldfastError `usage` (`device-unknown`, `rotation-own-device`), `key_outdated`, `device_cloned`, `home_busy`; what
 *   the first destination throws if none can be opened
 */
export async function rotateKey(
  parts: AgentParts,
  { revoke, passphrase }: RotationRequest,
  { signal }: OperationRun = {},
): Promise<RotationReport> {
  using _lock = lockHome(parts, 'key rotate');
  await using places = await openPlaces(parts, signal);
  const divisions = await divide(places, revoke, parts, signal);
  const [first, ...others] = divisions;
  if (!first) throw new HoldfastError('not_set_up', {});
  const { secrets } = first.place.access;
  const isSame = divisions.every(({ place }) => keyIdOf(place.access.secrets.masterKey) === keyIdOf(secrets.masterKey));
  // One of them brought a new key, which the next attempt finds at all.
  if (!isSame) throw new HoldfastError('key_changed', {}, { retryable: true });
  const author = deviceKeyIn(secrets);
  if (!author) throw new HoldfastError('home_damaged', { problem: 'no-device-key' });
  const now = parts.clock.now();
  const revoked = unique(divisions.flatMap(({ members }) => members.revoked));
  const membershipOf = async (division: Division) => ({ ...(await division.membership(author)), revoked });
  const { state } = first.place.access.settled!;
  const made = { now, passphrase, cost: parts.passwordCost };
  const rotated = await rotate(keyRingIn(secrets), state, await membershipOf(first), made);
  const passwordSlots = passwordSlotsOf(readEnvelope(rotated.envelope), 'passphrase');
  const [current, ...earlierKeys] = rotated.ring;
  const account = {
    ...accountSecretsIn(secrets),
    masterKey: current.master,
    epoch: current.epoch,
    earlierKeys,
    revoked,
  };
  const away = new Set(places.absent.map(({ id }) => id));
  const { destinations } = requireStoredSettings(parts.home);
  await rememberWriters(
    parts.home,
    parts.keyStore,
    destinations.filter(({ id }) => away.has(id)),
  );
  // The destination comes first: from there this home gets the key, too, whatever happens next.
  await store(first.place, rotated.envelope, signal);
  await first.place.keyStore.saveKeys(account, rotated.envelope);
  // A phrase unlocks the window if it is that of the current key.
  updateStoredSettings(parts.home, (before) => ({ ...before, keyId: keyIdOf(current.master) }));
  for (const division of others) {
    const { place } = division;
    const before = place.access.settled!.newest ?? state;
    const options = { since: now, passwordSlots };
    const isCurrent = before && before.keyId !== keyIdOf(current.master);
    const envelope = sealRing(rotated.ring, isCurrent ? before : undefined, await membershipOf(division), options);
    await store(place, envelope, signal);
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

/** A service gets it with the next restore point. */
async function store({ repository }: OpenPlace, envelope: Uint8Array, signal: AbortSignal | undefined): Promise<void> {
  if (repository) await putEnvelope(repository, envelope, signal);
}

/** Divides the computers of each destination. A computer may have another id at each, so it is found by its key or its name there. */
async function divide(
  { open }: OpenPlaces,
  revoke: string | undefined,
  { home, clock }: AgentParts,
  signal: AbortSignal | undefined,
): Promise<readonly Division[]> {
  for (const { repository } of open) await repository?.refreshForWriting(signal);
  const all = open.flatMap((place): readonly KeyHolder[] =>
    place.repository ? place.repository.projection.ledgers.writers() : membersAt(place.keys).all,
  );
  const target = revoke === undefined ? undefined : targetOf(revoke, all, ownIds(open));
  const isRemoved = (holder: KeyHolder): boolean => target?.(holder) === true;
  return open.map((place) => {
    if (!place.repository) {
      const divided = membersAt(place.keys, isRemoved);
      const membership = (author: DeviceKey) => membershipAt(place.keys, divided, author, { clock, signal });
      return { place, members: divided, membership };
    }
    const { repository, access } = place;
    // It was away at the change before, and may have been joined since.
    const known = access.settled?.state ? undefined : new KnownWriters(home, place.settings.id).read();
    const divided = membersOf(repository, access.settled?.revoked ?? [], { isRemoved, known });
    const { members, revoked } = divided;
    const membership = async (author: DeviceKey): Promise<Membership> => {
      const writers = await writerLimits(repository, access.settled?.newest, divided.removed, signal);
      return { author, members, revoked, writers };
    };
    return { place, members: divided, membership };
  });
}

/** The ids of this computer at its destinations. */
function ownIds(open: readonly OpenPlace[]): ReadonlySet<string> {
  return new Set(open.map(({ repository, settings }) => repository?.writerKey.id ?? settings.deviceId));
}

/** @throws HoldfastError `usage` (`device-unknown`, `rotation-own-device`) */
function targetOf(
  revoke: string,
  writers: readonly KeyHolder[],
  own: ReadonlySet<string>,
): (writer: KeyHolder) => boolean {
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

function planOf({ absent, open }: OpenPlaces, divisions: readonly Division[]): RotationPlan {
  const own = ownIds(open);
  const list = (writers: readonly KeyHolder[]): readonly KeyHolderInfo[] => {
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
    services: open.flatMap(({ repository, settings }) => (repository ? [] : [settings.name])),
  };
}
