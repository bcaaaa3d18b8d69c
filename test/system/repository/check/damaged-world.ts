import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isHoldfastError } from '../../../../src/base/errors/errors.ts';
import { chunkCount, digestAt } from '../../../../src/format/chunks/chunk-list.ts';
import { readFooter } from '../../../../src/format/tree/footer.ts';
import { TreeReader } from '../../../../src/format/tree/tree-reader.ts';
import type { WorkerPool } from '../../../../src/workers/pool.ts';
import { isSound, type CheckReport } from '../../../../src/repository/check/report.ts';
import { packName } from '../../../../src/format/repository/file-names.ts';
import { writeCheckpoint } from '../../../../src/repository/ledger/checkpoint.ts';
import type { Point } from '../../../../src/repository/projection/points.ts';
import { readChunk } from '../../../../src/repository/restore/read-chunk.ts';
import { removalOf } from '../../../../src/repository/retention/decide-points.ts';
import { Computer, copyAged, filesIn, hashesIn, StepClock, type Place } from './world.ts';
import { seededBytes } from '../../../helpers/seeded-bytes.ts';

/** A restore point as it was backed up, with what each of its files needs. */
interface OriginalPoint {
  readonly name: string;
  readonly tree: string;
  readonly device: string;
  readonly isRemoved: boolean;
  /** Files relative to the target, with their SHA-256. */
  readonly hashes: ReadonlyMap<string, string>;
  /** Packs of each chunk of the tree; the first chunk is the footer's. */
  readonly treePacks: readonly (readonly string[])[];
  /** By entry path: packs of each chunk. */
  readonly filePacks: ReadonlyMap<string, readonly (readonly string[])[]>;
}

export type Damage = 'removed' | 'altered' | 'truncated';

/** Two computers' backups, and a copy of the repository from which single files are taken. */
export class DamagedWorld {
  readonly files: readonly string[];
  readonly #place: Place;
  readonly #pool: WorkerPool;
  readonly #clock: StepClock;
  readonly #points: readonly OriginalPoint[];
  #cases = 0;

  private constructor(place: Place, pool: WorkerPool, clock: StepClock, points: readonly OriginalPoint[]) {
    this.#place = place;
    this.#pool = pool;
    this.#clock = clock;
    this.#points = points;
    this.files = filesIn(place.path('aged'));
  }

  static async create(place: Place, pool: WorkerPool): Promise<DamagedWorld> {
    const clock = new StepClock();
    const destination = place.path('destination');
    mkdirSync(destination);
    const a = await Computer.setUp(place.path('alpha'), destination, { pool, clock, isNew: true });
    const b = await Computer.setUp(place.path('beta'), destination, { pool, clock });
    const taken: { computer: Computer; name: string; hashes: Map<string, string>; tree: string }[] = [];
    const backUp = async (computer: Computer, name: string): Promise<void> => {
      await computer.backUp();
      const [newest] = computer.repository.projection.points.ofSet({ device: computer.id, set: 'documents' });
      const hashes = new Map([...hashesIn(computer.source)].map(([path, hash]) => [join('source', path), hash]));
      taken.push({ computer, name, hashes, tree: newest!.tree.toString('hex') });
    };
    a.write('letters/first secret.txt', 'a letter');
    a.write('large.bin', seededBytes(900_000, 'large'));
    await backUp(a, 'P1');
    b.write('photo.bin', seededBytes(400_000, 'photo'));
    b.write('shared.bin', seededBytes(900_000, 'large'));
    await backUp(b, 'Q1');
    a.write('letters/second.txt', 'another letter');
    await backUp(a, 'P2');
    await writeCheckpoint(a.repository.ledger);
    a.write('large.bin', Buffer.concat([seededBytes(900_000, 'large'), seededBytes(300_000, 'more')]));
    await backUp(a, 'P3');
    const first = a.repository.projection.points.all().find(({ tree }) => tree.toString('hex') === taken[0]!.tree);
    await a.repository.append(() => [removalOf([first!])]);
    b.write('note.txt', 'a note');
    await backUp(b, 'Q2');
    await a.repository.refresh();
    const points: OriginalPoint[] = [];
    for (const { computer, name, hashes, tree } of taken) {
      const needs = await needsOf(a, Buffer.from(tree, 'hex'));
      points.push({ name, tree, device: computer.id, hashes, isRemoved: name === 'P1', ...needs });
    }
    copyAged(destination, place.path('aged'));
    await a.close();
    await b.close();
    return new DamagedWorld(place, pool, clock, points);
  }

  /**
   * Damages files, and recovers what is left on a new computer.
   *
   * @returns what went wrong
   */
  async try(damages: ReadonlyMap<string, Damage>, position = 0.5): Promise<string[]> {
    this.#cases += 1;
    const folder = this.#place.path(`case-${this.#cases}`);
    const destination = join(folder, 'destination');
    copyAged(this.#place.path('aged'), destination);
    for (const [file, damage] of damages) damageFile(join(destination, file), damage, position);
    const problems: string[] = [];
    try {
      await this.#recover(folder, destination, damages, problems);
    } catch (error) {
      // Without both descriptions nothing opens, and a sentence says so.
      const isHopeless = ['holdfast.json', 'holdfast-copy.json'].every((name) => damages.has(name));
      if (!isHopeless || !isHoldfastError(error))
        problems.push(`threw ${error instanceof Error ? error.stack : String(error)}`);
    }
    rmSync(folder, { recursive: true, force: true });
    const label = [...damages].map(([file, damage]) => `${shortName(file)} ${damage}`).join(', ');
    return problems.map((problem) => `${problem.slice(0, 1_000)} (${label})`);
  }

  async #recover(
    folder: string,
    destination: string,
    damages: ReadonlyMap<string, Damage>,
    problems: string[],
  ): Promise<void> {
    // Nothing is left of a file that was cut off at its beginning.
    const before = filesIn(destination).filter((file) => statSync(join(destination, file)).size > 0);
    const computer = await Computer.setUp(join(folder, 'new'), destination, { pool: this.#pool, clock: this.#clock });
    try {
      const found = await computer.check(100);
      problems.push(...this.#unnamed(found, damages));
      const { after, lostPoints } = await computer.repair();
      for (const file of before) {
        if (!filesIn(destination).some((name) => name.endsWith(file)))
          problems.push(`${file} was deleted without a copy`);
      }
      const remaining = after.findings.map(({ file, problem }) => `${file} ${problem}`);
      if (remaining.length > 0) problems.push(`found after the repair: ${remaining.join()}`);
      const isLedgerDamaged = [...damages.keys()].some((file) => file.startsWith('ledger/'));
      const known = new Map(
        computer.repository.projection.points.all().map((point) => [point.tree.toString('hex'), point]),
      );
      for (const original of this.#points) {
        const point = known.get(original.tree);
        known.delete(original.tree);
        const lost = lostIn(original, damages);
        if (point) problems.push(...(await this.#restore(computer, folder, original, point, after, lost)));
        else if (!original.isRemoved && lost !== 'tree') problems.push(`${original.name} is gone`);
        else if (
          !original.isRemoved &&
          !isLedgerDamaged &&
          !lostPoints.some(({ device }) => device === original.device)
        ) {
          problems.push(`${original.name} is lost and not named`);
        }
        if (point && original.isRemoved && !isLedgerDamaged) {
          problems.push(`${original.name} came back`);
        }
      }
      if (known.size > 0) problems.push(`${known.size} restore points that never were`);
    } finally {
      await computer.close();
    }
  }

  /** Damage that a check does not name. */
  #unnamed(report: CheckReport, damages: ReadonlyMap<string, Damage>): string[] {
    const relevant = [...damages].filter(([file, damage]) => damage !== 'removed' || !isReplaceable(file, this.files));
    // A newest segment that is gone, and that nobody has read, is like one of a backup that was killed before it.
    if (relevant.length > 0 && isSound(report) && report.unfinished.length === 0) return ['the check found nothing'];
    const named = new Set(report.findings.map(({ file }) => file));
    return relevant
      .filter(([file, damage]) => damage !== 'removed' && !named.has(file))
      .map(([file]) => `the check does not name ${file}: ${[...named].join()}`);
  }

  async #restore(
    computer: Computer,
    folder: string,
    original: OriginalPoint,
    point: Point,
    report: CheckReport,
    lost: 'tree' | ReadonlySet<string>,
  ): Promise<string[]> {
    const target = join(folder, `target-${original.name}`);
    const losses = report.losses.filter(
      ({ device, time }) => device === point.device && Date.parse(time) === point.time,
    );
    const isAllNamed = losses.some(({ path, entries }) => path === undefined || entries > 1);
    const failed = new Set(losses.map(({ path }) => path));
    try {
      const { failures } = await computer.restore(point.device, point.time, target);
      for (const { path } of failures) failed.add(path);
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
      if (lost !== 'tree') return [`${original.name} cannot be restored: ${error.message}`];
    }
    const restored = hashesIn(target);
    const problems: string[] = [];
    for (const [path, hash] of original.hashes) {
      const entryPath = [...original.filePacks.keys()].find((entry) => entry.endsWith(`/${path}`))!;
      const now = restored.get(path);
      restored.delete(path);
      if (now !== undefined && now !== hash) problems.push(`${original.name}: ${path} is another file`);
      if (now === hash) continue;
      if (lost !== 'tree' && !lost.has(entryPath)) problems.push(`${original.name}: ${path} is not restored`);
      if (!isAllNamed && !failed.has(entryPath)) problems.push(`${original.name}: ${path} is lost and not named`);
    }
    for (const path of restored.keys()) problems.push(`${original.name}: ${path} never was`);
    return problems;
  }
}

async function needsOf(
  { repository }: Computer,
  tree: Buffer,
): Promise<Pick<OriginalPoint, 'treePacks' | 'filePacks'>> {
  const packsOf = (digest: Buffer): string[] =>
    repository.projection.packs.locate(digest).map(({ packHash }) => packName(packHash));
  const footer = readFooter(await readChunk(repository, tree), repository.keys.tree);
  const treePacks = [packsOf(tree)];
  const filePacks = new Map<string, string[][]>();
  for (const [index, { chunks }] of footer.pieces.entries()) {
    const digests = digestsIn(chunks);
    treePacks.push(...digests.map(packsOf));
    const plaintexts = await Promise.all(digests.map((digest) => readChunk(repository, digest)));
    for (const record of new TreeReader(footer).read(index, plaintexts).records) {
      if (record.type === 'file') filePacks.set(record.path, digestsIn(record.chunks).map(packsOf));
    }
  }
  return { treePacks, filePacks };
}

function digestsIn(chunks: Buffer): Buffer[] {
  return Array.from({ length: chunkCount(chunks) }, (_, index) => Buffer.from(digestAt(chunks, index)));
}

/** What damaged packs may have lost: `tree`, or entry paths. */
function lostIn(point: OriginalPoint, damages: ReadonlyMap<string, Damage>): 'tree' | ReadonlySet<string> {
  const isLost = (packs: readonly string[]): boolean => packs.every((pack) => damages.has(pack));
  if (point.treePacks.some(isLost)) return 'tree';
  return new Set([...point.filePacks].filter(([, packs]) => packs.some(isLost)).map(([path]) => path));
}

/** Returns whether nothing shows that a file was there, and nothing is lost with it: a checkpoint, or a segment that one covers. */
function isReplaceable(file: string, files: readonly string[]): boolean {
  const [folder, writer, name] = file.split('/');
  if (folder === 'checkpoints') return true;
  const covers = files.some(
    (other) => other.startsWith(`checkpoints/${writer}/`) && other.split('/')[2]!.slice(0, 12) >= name!.slice(0, 12),
  );
  return folder === 'ledger' && covers;
}

/** With the beginnings of hashes only. */
function shortName(file: string): string {
  return file.replaceAll(/[0-9a-f]{32,}/g, (hash) => hash.slice(0, 4));
}

function damageFile(path: string, damage: Damage, position: number): void {
  if (damage === 'removed') {
    rmSync(path);
    return;
  }
  const { mtime } = statSync(path);
  const bytes = readFileSync(path);
  const at = Math.floor(position * bytes.length);
  if (damage === 'altered') bytes[at]! ^= 4;
  writeFileSync(path, damage === 'altered' ? bytes : bytes.subarray(0, at));
  utimesSync(path, mtime, mtime);
}
