import type { Repository } from '../repository.ts';
import { checkDescription } from './check-description.ts';
import { checkLedger } from './check-ledger.ts';
import { checkPacks, footersIn, type FoundFooter, type PackCheck } from './check-packs.ts';
import { packName } from '../../format/repository/file-names.ts';
import { LARGEST_PACK_BYTES } from '../../format/repository/pack-file.ts';
import { hashStored } from '../../storage/hash-stored.ts';
import { hiddenFiles } from '../locks/show-hidden.ts';
import { readIfSound } from '../packs/read-pack-end.ts';
import { PointCheck } from './check-points.ts';
import { recordTrees } from './unnamed-trees.ts';
import { Findings, type CheckReport, type FileCount, type PointName } from './report.ts';

/** Progress of a check. */
export interface CheckProgress {
  readonly phase: 'ledger' | 'packs' | 'points';
  readonly packsTotal: number;
  readonly packsDone: number;
  readonly bytesTotal: number;
  readonly bytesDone: number;
}

export interface CheckOptions {
  /** Name of a file for a projection, which is removed again. */
  readonly scratch: string;
  /** The share of packs that are read completely, chosen at random; none by default. */
  readonly percent?: number | undefined;
  readonly onProgress?: ((progress: CheckProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A check with what a repair needs of it. */
export interface Inspection {
  readonly report: CheckReport;
  readonly findings: Findings;
  readonly packs: PackCheck;
  /** Names of the trees that those of the restore points continue. */
  readonly continued: ReadonlySet<string>;
  /** True if the ledgers lack what was in them. */
  readonly isLedgerLost: boolean;
}

/**
 * Checks a repository: its description and keys, each file of its ledgers, the projection, the tables of its packs and the trees of
 * its restore points, and, if chosen, the bytes of its packs. Names what is damaged, and the files of which restore points need it.
 * Damage is recorded in the projection, so that the next backup stores again what this computer still has.
 *
 * @throws the signal's reason; what the storage throws
 */
export async function checkRepository(repository: Repository, options: CheckOptions): Promise<CheckReport> {
  return (await inspectRepository(repository, options)).report;
}

export async function inspectRepository(repository: Repository, options: CheckOptions): Promise<Inspection> {
  const { scratch, percent, onProgress, signal } = options;
  const { projection } = repository;
  repository.parity.tryAgain();
  const progress = {
    phase: 'ledger' as CheckProgress['phase'],
    packsTotal: 0,
    packsDone: 0,
    bytesTotal: 0,
    bytesDone: 0,
  };
  const show = (): void => onProgress?.({ ...progress });
  show();
  await repository.refresh(signal);
  const findings = new Findings(projection.ledgers.deviceNames());
  for (const name of await hiddenFiles(repository.storage, projection, signal)) findings.add(name, 'hidden');
  await checkDescription(repository, findings, signal);
  const ledger = await checkLedger(repository, scratch, findings, signal);
  const named = [...projection.packs.stored()];
  Object.assign(progress, {
    phase: 'packs',
    packsTotal: named.length,
    bytesTotal: named.reduce((sum, { bytes }) => sum + bytes, 0),
  });
  show();
  const onPack = (bytes: number): void => {
    progress.packsDone += 1;
    progress.bytesDone += bytes;
    show();
  };
  const packs = await checkPacks(repository, { percent, onPack }, findings, signal);
  progress.phase = 'points';
  show();
  const points = projection.points.all();
  const check = new PointCheck(repository, findings);
  for (const point of points) {
    signal?.throwIfAborted();
    await check.run(point, signal);
  }
  const { continued } = check;
  const { unfinished, isLedgerLost } = await checkUnnamed(
    repository,
    packs,
    { findings, isRead: percent !== undefined, continued },
    signal,
  );
  repository.unreadPacks = packs.orphans.length + packs.unlisted.size;
  repository.onRead?.(repository.doubt);
  const { unnamed, orphans: _orphans, unlisted: _unlisted, leftOver, ...counts } = packs;
  const report = {
    ...findings.report(),
    ...ledger,
    ...counts,
    points: points.length,
    unfinished,
    unnamed: countOf(unnamed),
    leftOver: countOf(leftOver),
    inOnePack: check.inOnePack(),
  };
  return { report, findings, packs, continued, isLedgerLost };
}

/**
 * Checks packs that no segment names. A restore point in one was reported as complete if a later one continues its chain, and perhaps if
 * files of the ledgers are lost: then it is lost itself. Otherwise its backup was killed at its very end.
 *
 * @param continued names of the trees that known ones continue
 * @returns restore points of backups that were killed, and whether the ledgers lack what was in them
 */
async function checkUnnamed(
  repository: Repository,
  { unnamed }: PackCheck,
  options: { readonly findings: Findings; readonly isRead: boolean; readonly continued: ReadonlySet<string> },
  signal: AbortSignal | undefined,
): Promise<{ readonly unfinished: readonly PointName[]; readonly isLedgerLost: boolean }> {
  const { projection } = repository;
  const { findings, isRead } = options;
  // A backup may have ended since its packs were listed.
  if (unnamed.length > 0) await repository.refresh(signal);
  const found: (FoundFooter & { readonly file: string })[] = [];
  for (const { hash, bytes, isYoung } of unnamed) {
    const name = Buffer.from(hash, 'hex');
    if (projection.packs.numberOf(name) !== undefined) continue;
    const end = await readIfSound(repository, hash, bytes, signal);
    const file = packName(hash);
    const footers = end ? await footersIn(repository, hash, end, signal) : [];
    if (end) recordTrees(repository, hash, footers);
    found.push(...footers.map((footer) => Object.assign(footer, { file })));
    // It may be one that is being stored.
    if (isYoung) continue;
    if (isRead && !(await isWhole(repository, file, signal))) findings.add(file, 'hash');
    if (!end) findings.add(file, 'content');
  }
  const continued = new Set([...options.continued, ...found.flatMap(({ footer }) => footer.previousTree ?? [])]);
  const isLedgerLost = projection.ledgers.isIncomplete() || found.some(({ footer }) => continued.has(footer.treeHash));
  const unfinished: PointName[] = [];
  const named = new Set<string>();
  for (const { file, footer } of found) {
    if (isLedgerLost) findings.add(file, 'unnamed');
    // It stands in two packs.
    if (named.has(footer.treeHash)) continue;
    named.add(footer.treeHash);
    findings.learnName(footer);
    const point = { device: footer.deviceId, set: footer.backupSet, time: footer.created };
    if (isLedgerLost) findings.addLoss(point, { path: undefined, file });
    else unfinished.push(findings.nameOf(point));
  }
  return { unfinished, isLedgerLost };
}

async function isWhole({ storage }: Repository, file: string, signal: AbortSignal | undefined): Promise<boolean> {
  const hash = await hashStored(storage, file, LARGEST_PACK_BYTES, signal);
  return hash !== undefined && packName(hash) === file;
}

function countOf(files: readonly { readonly bytes: number }[]): FileCount {
  return { files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) };
}
