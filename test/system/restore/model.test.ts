import {
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { isHoldfastError } from '../../../src/base/errors/errors.ts';
import type { ConflictChoice } from '../../../src/model/restore-request.ts';
import { WorkerPool } from '../../../src/workers/pool.ts';
import { RestoreWorld } from '../../helpers/memory-service/restore-world.ts';
import { orThorough } from '../../helpers/thorough.ts';

const pool = new WorkerPool(2);
afterAll(() => pool.close());

/** A file is its text, a link is `-> target`, a folder is an object. */
type Node = string | Folder;
interface Folder {
  [name: string]: Node;
}

const leaf = fc.constantFrom('', 'one', 'two', 'a longer text', '-> a', '-> nowhere', '-> ../b');

function folders(names: readonly string[]): fc.Arbitrary<Folder> {
  const { folder } = fc.letrec<{ folder: Folder; node: Node }>((tie) => ({
    folder: fc.dictionary(fc.constantFrom(...names), tie('node'), { maxKeys: 4, noNullPrototype: true }),
    node: fc.oneof({ maxDepth: 3, depthSize: 'small' }, leaf, tie('folder')),
  }));
  return folder;
}

function isLeaf(node: Node | undefined): node is string {
  return typeof node === 'string';
}

/** Writes a folder to disk. @param seconds modification time of everything in it */
function make(path: string, node: Node, seconds: number): void {
  if (!isLeaf(node)) {
    mkdirSync(path, { recursive: true });
    for (const [name, child] of Object.entries(node)) make(join(path, name), child, seconds);
  } else if (node.startsWith('-> ')) {
    symlinkSync(node.slice(3), path);
  } else {
    writeFileSync(path, node);
  }
  lutimesSync(path, seconds, seconds);
}

/** Replaces the time in second names. */
function read(path: string): Node {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return `-> ${readlinkSync(path)}`;
  if (stat.isFile()) return readFileSync(path, 'utf8');
  const entries = readdirSync(path).map((name) => [
    name.replace(/ \(restored [^)]+\)/, ' again'),
    read(join(path, name)),
  ]);
  return Object.fromEntries(entries) as Folder;
}

/** The simplest model of a restore. Returns the number of conflicts. */
function restoreInto(target: Folder, name: string, wanted: Node, choice: ConflictChoice): number {
  const there = target[name];
  if (there === undefined) {
    target[name] = structuredClone(wanted);
    return 0;
  }
  if (!isLeaf(there) && !isLeaf(wanted)) {
    const inside = Object.entries(wanted).map(([child, node]) => restoreInto(there, child, node, choice));
    return inside.reduce((sum, count) => sum + count, 0);
  }
  if (choice === 'overwrite' && isLeaf(there)) target[name] = structuredClone(wanted);
  if (choice === 'keep-both') target[`${name} again`] = structuredClone(wanted);
  return 1;
}

/** Lists the paths of all nodes in a folder. */
function pathsOf(folder: Folder): string[][] {
  const paths: string[][] = [];
  for (const [name, node] of Object.entries(folder)) {
    paths.push([name]);
    if (!isLeaf(node)) for (const path of pathsOf(node)) paths.push([name, ...path]);
  }
  return paths;
}

function nodeAt(folder: Folder, path: readonly string[]): Node {
  return path.reduce<Node>((node, name) => (node as Folder)[name]!, folder);
}

const scenario = fc.record({
  source: folders(['a', 'b', 'c']),
  before: folders(['a', 'b', 'c', 'source']),
  choice: fc.constantFrom<ConflictChoice | undefined>(undefined, 'skip', 'overwrite', 'keep-both'),
  privateNames: fc.boolean(),
  pick: fc.nat(),
});

describe('any restore', () => {
  test('leaves the target as the model does', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ source, before, choice, privateNames, pick }) => {
        // An empty selection restores the whole set under the name of its root.
        const picks = [[], ...pathsOf(source)];
        const path = picks[pick % picks.length]!;
        using world = new RestoreWorld(pool);
        // Files with the same time and content would not be kept twice.
        make(world.source, source, 1_000_000_000);
        make(world.target, before, 1_100_000_000);
        await world.backup({ privateNames, roots: [world.source] });
        const expected = structuredClone(before);
        const conflicts = restoreInto(expected, path.at(-1) ?? 'source', nodeAt(source, path), choice ?? 'skip');
        const paths = path.length === 0 ? [] : [join(world.source, ...path)];
        const request = { paths, ...(choice ? { conflict: choice } : {}) };
        const refused = choice === undefined && conflicts > 0;
        const outcome = await world.restore(request).catch((error: unknown) => error);
        expect(isHoldfastError(outcome, 'target_conflict')).toBe(refused);
        expect(read(world.target)).toEqual(refused ? before : expected);
        if (!refused) expect(outcome).toMatchObject({ warnings: [], stoppedBy: undefined });
      }),
      { numRuns: orThorough(15, 40) },
    );
  });
});
