import { appendFileSync, readdirSync, rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { performance } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildTree } from '../../helpers/tree/build.ts';
import { compareTrees } from '../../helpers/tree/compare.ts';
import { buildRealTree } from '../../helpers/tree/real-tree.ts';
import { describeEnd, Workplace, type VerifyAnswer } from './workplace.ts';
import { file } from '../../helpers/tree/nodes.ts';
import { orThorough } from '../../helpers/thorough.ts';

/** The number of kills before a command may complete. */
const KILLS = orThorough(5, 12);
const MINUTES = 60_000;

describe('kill -9 at random moments', () => {
  const workplace = new Workplace({ isReal: true });
  const source = workplace.path('source');
  afterAll(() => workplace[Symbol.dispose]());

  beforeAll(async () => {
    await buildRealTree(source);
    await buildTree(workplace.path('source', 'more'), {
      'a.bin': file({ seed: 71, size: 30_000_000 }),
      'b.bin': file({ seed: 72, size: 30_000_000 }),
    });
    await workplace.setUp();
    await workplace.addSet('killed', source);
  }, 2 * MINUTES);

  test(
    'of backup, then one complete run: restore equals source and verify finds no damage',
    async () => {
      const kills = await killOftenUntilDone(['backup', 'killed', '--json'], () => {
        // Gives the following runs new work.
        appendFileSync(workplace.path('source', 'more', 'a.bin'), `${Math.random()}`.repeat(1_000));
      });
      expect(kills).toBeGreaterThan(0);
      const { failures } = await workplace.json<VerifyAnswer>(['verify', 'killed']);
      expect(failures).toEqual([]);
      await workplace.json(['restore', 'killed', '--to', workplace.path('after backup')]);
      expect(await compareTrees(source, workplace.path('after backup', 'source'))).toEqual([]);
    },
    5 * MINUTES,
  );

  test(
    'of restore, then the same command again: the target equals the source, without other files',
    async () => {
      const target = workplace.path('after restore');
      const kills = await killOftenUntilDone(['restore', 'killed', '--to', target, '--json'], () => {
        rmSync(target, { recursive: true });
      });
      expect(kills).toBeGreaterThan(0);
      expect(readdirSync(target)).toEqual(['source']);
      expect(await compareTrees(source, workplace.path('after restore', 'source'))).toEqual([]);
      rmSync(target, { recursive: true });
    },
    5 * MINUTES,
  );

  /**
   * Kills the command `KILLS` times at different moments, calls `next` after each run that completed before its kill, and
   * then lets one complete. Returns the number of killed runs.
   */
  async function killOftenUntilDone(words: readonly string[], next: () => Promise<void> | void): Promise<number> {
    let kills = 0;
    const delays: number[] = [];
    // The duration of a whole run is measured on runs that completed before their kill.
    let longest = 1_500;
    for (let round = 0; round < KILLS; round += 1) {
      const delay = Math.random() * longest;
      delays.push(Math.round(delay));
      const started = performance.now();
      const { child, ended } = workplace.start(words);
      const stop = new AbortController();
      const killed = pause(delay, undefined, { signal: stop.signal }).then(
        () => child.kill('SIGKILL'),
        () => undefined,
      );
      const end = await ended;
      stop.abort();
      await killed;
      if (end.signal === 'SIGKILL') kills += 1;
      else if (end.status === 0) longest = performance.now() - started;
      else throw new Error(`killed after ${delays.join(', ')} ms: ${describeEnd(end)}`);
      // A run that is killed after its output counts as completed.
      if (end.status === 0 || end.stdout !== '') await next();
    }
    const end = await workplace.run(...words);
    if (end.status !== 0) throw new Error(`killed after ${delays.join(', ')} ms: ${describeEnd(end)}`);
    return kills;
  }
});
