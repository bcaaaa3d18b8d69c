/**
 * `npm run demo [FOLDER]`: backs up a real folder, changes it, backs it up again, restores both states, and compares both
 * restores with the originals, byte for byte, by a walk that shares no code with the backup.
 *
 * Everything is in one temporary folder (TMPDIR), which is removed at the end. The exit code is 0 only if both
 * restores equal their originals.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { changeFolder } from './demo/changes.ts';
import { bytesOf, differencesBetween, filesOf, readFolderState, type FolderState } from './demo/folder-state.ts';
import { Holdfast, HoldfastFailed, type BackupAnswer, type RestoreAnswer } from './demo/holdfast.ts';
import { buildFolder, copyFolder, NotEnoughSpace, type SourceFolder } from './demo/source-folder.ts';
import { formatBytes, formatCount, formatSeconds, Table } from './demo/table.ts';

const TITLE_WIDTH = 18;
const COLUMN_WIDTH = 14;
/** Maximum entries of each list; the rest is counted. */
const SHOWN = 10;

const workspace = mkdtempSync(join(tmpdir(), 'holdfast-demo-'));
process.once('exit', removeWorkspace);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

try {
  process.exitCode = (await demonstrate(process.argv[2])) ? 0 : 1;
} catch (error) {
  if (!(error instanceof HoldfastFailed || error instanceof NotEnoughSpace)) throw error;
  console.error(`\n${error.message}`);
  process.exitCode = 1;
}

async function demonstrate(folder: string | undefined): Promise<boolean> {
  console.log('\nHoldfast: a folder backed up, changed, backed up again, and restored as it was both times.\n');
  const source = prepare(folder);
  if (!source) return false;
  const holdfast = new Holdfast(join(workspace, 'home'));
  await holdfast.run('setup', '--destination', join(workspace, 'destination'));
  await holdfast.run('set', 'add', 'demo', source.path, '--exclude', '!*');

  const before = readFolderState(source.path);
  describe(
    'The folder',
    source.description,
    `${formatCount(filesOf(before).length)} files, ${formatBytes(bytesOf(before))}`,
  );
  describeAll(source.notes.map((note) => `not copied: ${note}`));
  describe('The destination', 'a repository in another folder: no account, no network');

  const backups = new Table(['', 'files', 'scanned', 'saved', 'uploaded', 'took'], TITLE_WIDTH, COLUMN_WIDTH);
  const first = await backUp(holdfast, backups, 'First backup');
  const changes = changeFolder(source.path, before);
  const after = readFolderState(source.path);
  const second = await backUp(holdfast, backups, 'Second backup');
  console.log('');
  changes.forEach((change, index) => describe(index === 0 ? 'In between' : '', change));
  describeAll(second.warnings.map(({ path, reason }) => `left out: ${path} (${reason})`));

  const restores = new Table(['', 'files', 'written', 'took', 'compared'], TITLE_WIDTH, COLUMN_WIDTH);
  const asItWas = await restore(holdfast, restores, 'As it was first', first.restore_point, source, before);
  const asItIs = await restore(holdfast, restores, 'As it is now', second.restore_point, source, after);
  return verdict([...asItWas, ...asItIs]);
}

function prepare(folder: string | undefined): SourceFolder | undefined {
  const parent = join(workspace, 'source');
  mkdirSync(parent);
  if (folder === undefined) return buildFolder(parent);
  const original = resolve(folder);
  if (existsSync(original) && statSync(original).isDirectory()) return copyFolder(original, parent);
  console.error(`${original} is not a folder. Give one that exists, or none: npm run demo [FOLDER]`);
  return undefined;
}

async function backUp(holdfast: Holdfast, table: Table, title: string): Promise<BackupAnswer> {
  const started = performance.now();
  const answer = await holdfast.run<BackupAnswer>('backup', 'demo');
  table.row(
    title,
    formatCount(answer.files_processed),
    formatBytes(answer.bytes_scanned),
    formatBytes(Math.max(0, answer.bytes_scanned - answer.bytes_uploaded)),
    formatBytes(answer.bytes_uploaded),
    formatSeconds(performance.now() - started),
  );
  return answer;
}

/** Restores into a new folder and returns the differences from `expected`. */
async function restore(
  holdfast: Holdfast,
  table: Table,
  title: string,
  restorePoint: string,
  source: SourceFolder,
  expected: FolderState,
): Promise<readonly string[]> {
  const to = join(workspace, title);
  const started = performance.now();
  const answer = await holdfast.run<RestoreAnswer>('restore', 'demo', '--at', restorePoint, '--to', to);
  const took = performance.now() - started;
  const differences = differencesBetween(expected, readFolderState(join(to, basename(source.path))));
  table.row(
    title,
    formatCount(answer.files_restored),
    formatBytes(answer.bytes_written),
    formatSeconds(took),
    differences.length === 0 ? 'equal' : `${formatCount(differences.length)} differ`,
  );
  return differences.map((difference) => `${title}: ${difference}`);
}

function verdict(differences: readonly string[]): boolean {
  if (differences.length === 0) {
    console.log(
      '\nBoth restores equal what the folder was: names, types, modes, times in nanoseconds, link targets, bytes.\n',
    );
    return true;
  }
  console.log(`\nThe restores differ from what the folder was:`);
  describeAll(differences);
  return false;
}

function describe(title: string, ...facts: readonly string[]): void {
  console.log(`  ${title.padEnd(TITLE_WIDTH)}${facts.join('; ')}`);
}

function describeAll(facts: readonly string[]): void {
  for (const fact of facts.slice(0, SHOWN)) describe('', fact);
  if (facts.length > SHOWN) describe('', `and ${formatCount(facts.length - SHOWN)} more`);
}

function removeWorkspace(): void {
  // A copy may contain folders that not even their owner may change.
  spawnSync('chmod', ['-R', 'u+rwX', workspace], { stdio: 'ignore' });
  rmSync(workspace, { recursive: true, force: true });
}
