import { HoldfastError } from '../../base/errors/errors.ts';
import { inspectRepository, type CheckOptions, type Inspection } from '../check/check-repository.ts';
import { checkLedger } from '../check/check-ledger.ts';
import { PointCheck } from '../check/check-points.ts';
import { Findings, MOST_LISTED, type CheckReport, type PointName } from '../check/report.ts';
import type { DamageProblem } from '../../format/repository/damage.ts';
import type { Fact, FactOf } from '../../format/repository/facts.ts';
import { packHashIn, packName, PACKS_FOLDER, parseLedgerName } from '../../format/repository/file-names.ts';
import { hasAsMuchParity } from '../parity/parity-layout.ts';
import { restoreVersion } from '../locks/show-hidden.ts';
import { readIfSound } from '../packs/read-pack-end.ts';
import type { Point } from '../projection/points.ts';
import type { StoredPack } from '../projection/packs.ts';
import { leaveOut } from '../../storage/unreadable.ts';
import type { Repository } from '../repository.ts';
import { moveAside, moveObstacles, type Moved } from './move-aside.ts';
import { completedFooters, divideFooters, findFooters, pointFrom } from './recover-points.ts';
import { recoverNames } from './recover-names.ts';
import { mendPacks, renewParity } from './mend-packs.ts';
import { repairDescription } from './repair-description.ts';
import { adoptPacks, findLostPacks, PackRescue } from './repair-packs.ts';
import { restateFacts } from './restate-facts.ts';

export interface RepairOptions extends CheckOptions {
  /** Written to the repository if it lost its key envelopes. */
  readonly keyEnvelope: Uint8Array;
  /** True to bring back also restore points that nothing but an earlier key proves. */
  readonly takesUnproven?: boolean | undefined;
  /** Files that were hidden and are shown again (`showHidden`). */
  readonly shown?: readonly string[];
  /** Files that were missing or exchanged, and had to be written before the repository could be opened. */
  readonly written?: readonly string[];
}

/** A restore point that was stated again from its tree. */
export interface RecoveredPoint extends PointName {
  readonly files: number;
}

/**
 * What became of a damaged file: `mended` by its parity or an earlier version, parity that was written anew, a description that was `written` again,
 * or `shown` again after somebody had hidden or covered it in a store that keeps versions.
 */
export type RepairOutcome = Moved | 'mended' | 'renewed' | 'shown' | 'written';

export interface RepairReport {
  /** The check before the repair. */
  readonly before: CheckReport;
  /** The check after it. What it calls lost stays so until a computer that still has the files backs them up. */
  readonly after: CheckReport;
  /** Damaged files with what became of them, at most `MOST_LISTED`. */
  readonly files: readonly { readonly file: string; readonly outcome: RepairOutcome }[];
  /** Packs that are named again. */
  readonly adoptedPacks: number;
  /** Chunks that were copied out of damaged packs. */
  readonly rescuedChunks: number;
  /** Blobs of metadata that stood in one pack, and were stored in a second one. */
  readonly secondCopies: number;
  /** Facts that this computer remembered of lost segments. */
  readonly restatedFacts: number;
  readonly recoveredPoints: readonly RecoveredPoint[];
  /** Restore points that were found, and that nothing but a key proves that was replaced since. They are not listed. */
  readonly unprovenPoints: readonly PointName[];
  /** Restore points that cannot be read any more, and are no longer listed. */
  readonly lostPoints: readonly PointName[];
  /** True if points that were removed may have come back, since the segments that would say so are lost. */
  readonly mayIncludeRemoved: boolean;
}

/**
 * Repairs a repository as far as what is left of it allows. Missing parts of the ledger are stated again from this computer's projection
 * and from the packs; damaged packs are written again by their parity; what is undamaged in others
 * is copied; damaged files are moved aside; the projection is built anew. At a store that is full, all of that happens once more without the
 * reserve: nothing can be freed there while it is damaged.
 *
 * @throws the signal's reason; what the storage throws; HoldfastError `device_cloned`
 */
export async function repairRepository(repository: Repository, options: RepairOptions): Promise<RepairReport> {
  return await repository.reserve.lend(() => repairOnce(repository, options), options.signal);
}

async function repairOnce(repository: Repository, options: RepairOptions): Promise<RepairReport> {
  const { scratch, keyEnvelope, takesUnproven = false, signal } = options;
  const { projection } = repository;
  const obstacles = await moveObstacles(repository.storage, signal);
  await repository.refreshForWriting(signal);
  await requirePacks(repository, signal);
  const remembered = new Findings();
  const { isProjectionSound } = await checkLedger(repository, scratch, remembered, signal);
  const restored = await restoreCovered(repository, remembered, signal);
  const isIncomplete = projection.ledgers.isIncomplete();
  const restatedFacts = await restateFacts(repository, scratch, signal);
  const suspects = suspectPacks(repository);
  // Nothing may be given up because a projection is wrong.
  projection.clear();
  await repository.refresh(signal);
  const found = await findLostPacks(repository, signal);
  if (found.length > 0) {
    const time = projection.packs.lostTime(repository.clock.now());
    await repository.append(() => [{ kind: 'found', packs: found, time }], signal);
  }
  const inspection = await inspectRepository(repository, options);
  const isLedgerLost = isIncomplete || inspection.isLedgerLost;
  const { findings, packs } = inspection;
  for (const [file, problem] of remembered.problems) findings.add(file, problem);
  const before = { ...inspection.report, ...findings.report(), isProjectionSound };
  const moved = new Map<string, RepairOutcome>(obstacles);
  for (const file of [...(options.shown ?? []), ...restored]) moved.set(file, 'shown');
  for (const file of options.written ?? []) moved.set(file, 'written');
  for (const [file, outcome] of await repairDescription(repository, keyEnvelope, findings, signal)) {
    moved.set(file, outcome);
  }

  const known = packs.unnamed.filter(({ hash }) => projection.packs.numberOf(Buffer.from(hash, 'hex')) === undefined);
  const adoption = await adoptPacks(repository, known, signal);
  const suspected = damagedPacks(repository, inspection, suspects);
  const hashes = [
    ...suspected.map(({ hash }) => hash.toString('hex')),
    ...adoption.damaged.map(({ hash }) => hash),
    ...packs.orphans,
  ];
  const mend = async (wanted: readonly string[]): ReturnType<typeof mendPacks> => {
    const whole = await mendPacks(repository, wanted, signal);
    for (const [hash, { outcome }] of whole) if (outcome !== 'sound') moved.set(packName(hash), outcome);
    return whole;
  };
  const whole = await mend(hashes);
  const orphans = packs.orphans.map((hash) => ({ hash, bytes: 0, isYoung: false }));
  const mended = [...adoption.damaged, ...orphans].filter(({ hash }) => whole.has(hash));
  const readopted = await adoptPacks(
    repository,
    mended.map((pack) => ({ ...pack, bytes: whole.get(pack.hash)!.bytes })),
    signal,
  );
  const adopted = adoption.adopted + readopted.adopted;
  const damaged = adoption.damaged.filter((pack) => !mended.includes(pack));
  const lost = suspected.filter(({ hash }) => !whole.has(hash.toString('hex')));
  const rescue = new PackRescue(repository);
  await rescue.copyAll(lost, signal);
  if (findings.report().lossesTotal > 0) await rescue.copyLeftOver(packs.leftOver, signal);
  await rescue.finish(signal);
  // Before a segment names them.
  for (const [file, outcome] of await renewParity(repository, findings, signal)) moved.set(file, outcome);

  const check = new PointCheck(repository, new Findings());
  const mayHaveFooters = adopted + rescue.rescued + found.length > 0 || isLedgerLost || takesUnproven;
  const { continued } = inspection;
  const footers = mayHaveFooters
    ? await completedFooters(
        repository,
        await findFooters(repository, check, signal),
        { continued, isLedgerLost },
        signal,
      )
    : [];
  const { proven, unproven } = divideFooters(repository, footers, continued);
  const returning = takesUnproven ? footers : proven;
  const points: FactOf<'point'>[] = [];
  for (const footer of returning) points.push(await pointFrom(repository, footer, check, signal));
  const names = await recoverNames(repository, returning, check, signal);
  if (adopted > 0) {
    // Nobody has read the trees in these packs before.
    for (const point of [...projection.points.all(), ...points.map(asListed)]) await check.run(point, signal);
    const damagedNow = new Set(projection.packs.withDamagedBlobs());
    const others = [...projection.packs.stored()].filter(
      ({ number, hash }) => damagedNow.has(number) && !hashes.includes(hash.toString('hex')),
    );
    const mendedOthers = await mend(others.map(({ hash }) => hash.toString('hex')));
    const lostOthers = others.filter(({ hash }) => !mendedOthers.has(hash.toString('hex')));
    lost.push(...lostOthers);
    await rescue.copyAll(lostOthers, signal);
    await rescue.finish(signal);
  }
  const secondCopies = await rescue.storeSecondCopies([...projection.points.all(), ...points], signal);

  const lostPoints: Point[] = [];
  for (const point of projection.points.all()) {
    if (!(await check.read(point.tree, 'tree', signal))) lostPoints.push(point);
  }

  const ledgerFiles = [...findings.problems].filter(
    ([file, problem]) => parseLedgerName(file) !== undefined && !IS_WHOLE.has(problem),
  );
  const packFiles = [...lost.map(({ hash }) => hash.toString('hex')), ...damaged.map(({ hash }) => hash)].map(packName);
  const files = [...ledgerFiles.map(([file]) => file), ...packFiles];
  await repository.append((): readonly Fact[] | undefined => {
    const facts: Fact[] = [
      ...projection.packs.unreportedFacts(),
      ...points.filter(({ tree }) => !projection.points.isTreeKnown(tree)),
      ...names,
    ];
    // Not for good: the packs may come back.
    if (lostPoints.length > 0) facts.push({ kind: 'withdrawn', points: lostPoints.map(({ id }) => id) });
    const time = projection.packs.lostTime(repository.clock.now());
    const gone = [...lost.map(({ hash }) => hash), ...packs.orphans.filter((hash) => !whole.has(hash)).map(fromHex)];
    if (gone.length > 0) facts.push({ kind: 'lost', packs: gone, time });
    if (files.length > 0) facts.push({ kind: 'accepted', files });
    return facts.length > 0 ? facts : undefined;
  }, signal);
  // The facts come first: what is moved is then no longer needed by anybody.
  for (const file of files) moved.set(file, await moveAside(repository.storage, file, signal));

  projection.clear();
  const { report: after, findings: named } = await inspectRepository(repository, { ...options, percent: undefined });
  return {
    before,
    after,
    files: [...moved].slice(0, MOST_LISTED).map(([file, outcome]) => ({ file, outcome })),
    adoptedPacks: adopted + found.length,
    rescuedChunks: rescue.rescued,
    secondCopies,
    restatedFacts,
    recoveredPoints: points.map((point) => ({ ...named.nameOf(point), files: point.files })),
    unprovenPoints: (takesUnproven ? [] : unproven).map(({ footer }) =>
      named.nameOf({ device: footer.deviceId, set: footer.backupSet, time: footer.created }),
    ),
    lostPoints: lostPoints.map((point) => named.nameOf(point)),
    mayIncludeRemoved: isLedgerLost && points.length > 0,
  };
}

/** What only other programs, keys or rights can read is no damage that a repair makes up for. */
const IS_WHOLE: ReadonlySet<DamageProblem> = new Set(['newer-version', 'later-key', 'denied']);

/** Makes the earlier versions of files of the ledger current that somebody covered with others. Returns their names. */
async function restoreCovered(
  { storage, projection }: Repository,
  { problems }: Findings,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const restored: string[] = [];
  for (const name of problems.keys()) {
    if (parseLedgerName(name) === undefined || !(await restoreVersion(storage, name, signal))) continue;
    projection.ledgers.clearDamage(name);
    restored.push(name);
  }
  return restored;
}

/** Hashes of packs that an earlier check found damaged. */
function suspectPacks({ projection }: Repository): ReadonlySet<string> {
  const withBlobs = new Set(projection.packs.withDamagedBlobs());
  const files = new Set(projection.ledgers.damage().map(({ file }) => file));
  const suspects = new Set<string>();
  for (const { number, hash } of projection.packs.stored()) {
    const name = hash.toString('hex');
    if (withBlobs.has(number) || files.has(packName(name))) suspects.add(name);
  }
  return suspects;
}

/** Packs that the ledgers name and that are damaged, now or at an earlier check that read more. */
function damagedPacks(
  repository: Repository,
  { findings }: Inspection,
  suspects: ReadonlySet<string>,
): readonly StoredPack[] {
  const now = suspectPacks(repository);
  return [...repository.projection.packs.stored()].filter(({ hash }) => {
    const name = hash.toString('hex');
    const problem = findings.problems.get(packName(name));
    if (problem === 'denied') return false;
    return now.has(name) || suspects.has(name) || (problem !== undefined && problem !== 'unnamed');
  });
}

function asListed({ envelope, ...point }: FactOf<'point'>): Parameters<PointCheck['run']>[0] {
  return { ...point, tree: Buffer.from(point.tree), envelope: envelope ? Buffer.from(envelope) : undefined };
}

function fromHex(hash: string): Buffer {
  return Buffer.from(hash, 'hex');
}

/** Packs that are mended to find out whether parity brings any of them back. */
const MOST_MENDED = 4;

/** A repository with one pack may have lost it. */
const FEWEST_PACKS = 2;

/**
 * Refuses to give up everything: a repository without any of its packs is a folder that is not there, rather than damage.
 *
 * @throws HoldfastError `destination_missing`
 */
async function requirePacks(repository: Repository, signal?: AbortSignal): Promise<void> {
  const { projection, storage, parity } = repository;
  const stored = [...projection.packs.stored()];
  const known = new Set(stored.map(({ hash }) => hash.toString('hex')));
  if (known.size < FEWEST_PACKS) return;
  for await (const batch of storage.list(PACKS_FOLDER, signal, leaveOut)) {
    if (batch.some(({ name }) => known.has(packHashIn(name) ?? ''))) return;
    // The segments that name the others may be lost.
    for (const { name, bytes } of batch) {
      const hash = packHashIn(name);
      if (hash !== undefined && (await readIfSound(repository, hash, bytes, signal))) return;
    }
  }
  // As much parity as data brings back packs that are gone. Those of a few blocks always have as much, and tell nothing of the others.
  const withParity = await parity.list(undefined, signal);
  const isTelling = ({ bytes }: StoredPack): boolean => !hasAsMuchParity(bytes, parity.percent);
  const telling = withParity.size > 0 ? stored.filter(isTelling) : [];
  const tried = (telling.length > 0 ? telling : stored).filter(({ hash }) => withParity.has(hash.toString('hex')));
  for (const { hash } of tried.slice(0, MOST_MENDED)) if (await parity.mend(hash.toString('hex'), signal)) return;
  throw new HoldfastError('destination_missing', { directory: storage.address, problem: 'damaged' });
}
