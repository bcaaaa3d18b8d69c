import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HoldfastError } from '../../../../src/base/errors/errors.ts';
import { checkRepository } from '../../../../src/repository/check/check-repository.ts';
import { agentAt, lostOf, openDestination, pointsIn, treesOf } from './in-process.ts';
import { differences, type Place } from './place.ts';
import type { Known } from './recording.ts';

/** The exit status of a backup with warnings. */
const WARNED = 3;

export interface Expectation {
  readonly place: Place;
  readonly known: Known;
  readonly phrase: string;
  readonly masterKey: Uint8Array;
  /** True if the destination was damaged on purpose: a check finds that. */
  readonly isDamaged: boolean;
}

/** A new computer with the phrase finds every restore point complete, and a check finds no damage. */
export async function requireSoundDestination({ place, known, masterKey, isDamaged }: Expectation): Promise<void> {
  if (known.homes.size === 0) return;
  const folder = place.path('reader');
  await using opened = await openDestination(place.destination, masterKey, folder);
  assert(opened, 'the destination has no repository');
  const { repository } = opened;
  const report = await checkRepository(repository, { scratch: join(folder, 'check.sqlite'), percent: 100 });
  if (!isDamaged) {
    const { findings, losses, isProjectionSound } = report;
    assert.deepEqual({ findings, losses, isProjectionSound }, { findings: [], losses: [], isProjectionSound: true });
  }
  const { points } = repository.projection;
  const needed = new Set<string>();
  for (const [id, { device, set, time, tree, chunks }] of known.points) {
    const found = points.find(Buffer.from(id, 'hex'));
    assert(found, `restore point ${id} is gone`);
    const { tree: digest, ...rest } = found;
    assert.deepEqual([rest.device, rest.set, rest.time, digest.toString('hex')], [device, set, time, tree]);
    for (const chunk of chunks) needed.add(chunk);
  }
  assert.deepEqual(await lostOf(repository, [...needed]), [], 'restore points lack chunks');
  for (const id of known.removed) {
    assert(!points.find(Buffer.from(id, 'hex')), `the removed restore point ${id} is back`);
  }
}

/**
 * A home goes on: it has its sets and their restore points, and the next backup of each succeeds and has the chunks of its files.
 *
 * @param isRestored restores that backup, too, which takes longer
 */
export async function requireWorkingHome(expectation: Expectation, home: string, isRestored: boolean): Promise<void> {
  const { place, known, masterKey, isDamaged } = expectation;
  const own = known.homes.get(home);
  if (!own) return await requireNewSetup(expectation, home);
  const agent = agentAt(place.home(home));
  const { deviceId } = agent.settings() ?? assert.fail('the home is not set up any more');
  for (const set of own.sets) {
    assert.equal((await agent.set({ set })).name, set);
    const ids = (await agent.points({ set })).map(({ backup_id: id }) => id);
    const listed = await treesOf(place.home(home), ids);
    assert.equal(listed.size, ids.length, 'the home lists a restore point twice');
    for (const [id, { device, set: ofSet, tree }] of known.points) {
      if (device === deviceId && ofSet === set) assert(listed.has(tree), `the home lacks restore point ${id}`);
    }
    const report = await agent.backup({ set, priority: 'normal' }, {});
    assert(report.restorePoint !== undefined, 'the next backup made no restore point');
    if (isDamaged && report.warnings.length > 0) await requireRepair(expectation, home, set);
    else assert.deepEqual(report.warnings, []);
    if (!isRestored || isDamaged) continue;
    const target = place.path('restored');
    try {
      const restored = await agent.restore({ set, at: 'latest', paths: [], to: target }, {});
      assert.deepEqual(restored.failures, []);
      assert.equal(differences(place.source(set), join(target, set)), '');
    } finally {
      rmSync(target, { recursive: true, force: true });
    }
  }
  if (own.sets.size === 0) return;
  const after = await pointsIn(place.destination, masterKey, place.path('reader'));
  // Backups count on what is damaged until a check has found it.
  for (const set of isDamaged ? [] : own.sets) {
    const ofSet = [...after.values()].filter((point) => point.device === deviceId && point.set === set);
    const newest = ofSet.reduce((one, other) => (one.time > other.time ? one : other));
    for (const hash of hashesIn(place.source(set)))
      assert(newest.chunks.includes(hash), 'a file is not in the next backup');
  }
  const trees = new Set([...after.values()].map(({ tree }) => tree));
  for (const [id, { device, tree }] of known.points) {
    // The backup may have applied a policy.
    assert(trees.has(tree) || device === deviceId, `restore point ${id} is lost by the next backup`);
  }
}

/** A home that a check or a repair has told of the damage says so with every backup, until a repair ends. */
async function requireRepair({ place }: Expectation, home: string, set: string): Promise<void> {
  const agent = agentAt(place.home(home));
  const warned = await agent.backup({ set, priority: 'normal' }, {});
  assert.deepEqual(warned.warnings, [{ path: place.destination, reason: 'destination-damaged' }]);
  await agent.repair({}, {});
  const { warnings } = await agent.backup({ set, priority: 'normal' }, {});
  assert.deepEqual(warnings, []);
}

/** Files of one chunk each: the chunk's name is the hash of the file. */
function hashesIn(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const contents = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name)));
  return contents.filter(({ length }) => length > 0).map((bytes) => `sha256:${hash('sha256', bytes)}`);
}

/** A setup that did not end is done again. It succeeds, or says what has to be done. */
async function requireNewSetup({ place, known, phrase }: Expectation, home: string): Promise<void> {
  const agent = agentAt(place.home(home));
  const recoveryPhrase = known.homes.size > 0 ? phrase : undefined;
  try {
    if (agent.settings()) return;
    const directory = place.destination;
    await agent.setup({
      destination: { kind: 'folder', directory },
      deviceName: home,
      ...(recoveryPhrase && { recoveryPhrase }),
    });
  } catch (error) {
    // The phrase of a first setup that did not end is known to nobody.
    assert(
      error instanceof HoldfastError && error.code === 'phrase_needed' && recoveryPhrase === undefined,
      error as Error,
    );
  }
}

/** Does all that with the program. */
export function requireWorkingProgram({ place, known, phrase, isDamaged }: Expectation, home: string): void {
  const own = known.homes.get(home);
  const at = place.home(home);
  const run = (words: readonly string[], from = at, expected: readonly number[] = [0]): number => {
    const { status, stdout, stderr } = place.run(from, words);
    const isExpected = status !== null && expected.includes(status);
    assert(isExpected, `${words.join(' ')} ended with ${status}\n${stdout}${stderr}`);
    return status;
  };
  const check = (from = at): void => {
    const { stdout, stderr } = place.run(from, ['check', '--read-data', '--json']);
    assert.notEqual(stdout, '', `check said nothing\n${stderr}`);
    const { findings, losses } = JSON.parse(stdout) as { findings: unknown; losses: unknown };
    assert.deepEqual({ findings, losses }, { findings: [], losses: [] });
  };
  if (!own) return;
  const other = place.path('new-home');
  const target = place.path('restored');
  try {
    writeFileSync(place.path('phrase'), phrase);
    run(['setup', '--destination', place.destination, '--recovery-phrase-file', place.path('phrase')], other);
    if (!isDamaged) check(other);
    run(['status']);
    for (const [index, point] of [...known.points.values()].entries()) {
      if (!existsSync(target)) mkdirSync(target);
      const to = join(target, String(index));
      const when = new Date(point.time).toISOString();
      run(['restore', point.set, '--device', point.device, '--at', when, '--to', to], other);
    }
    for (const set of own.sets) {
      // As in `requireRepair`.
      if (run(['backup', set], at, isDamaged ? [0, WARNED] : [0]) === WARNED) {
        run(['repair'], at, [0, 1]);
        run(['backup', set]);
      }
      if (isDamaged) continue;
      run(['restore', set, '--to', join(target, 'latest')]);
      assert.equal(differences(place.source(set), join(target, 'latest', set)), '');
    }
    if (!isDamaged) check();
  } finally {
    rmSync(target, { recursive: true, force: true });
    rmSync(other, { recursive: true, force: true });
  }
}
