import { rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HoldfastError } from '../../../../../src/base/errors/errors.ts';
import { WorkerPool } from '../../../../../src/workers/pool.ts';
import { Computer, Place, STEPS } from './places.ts';
import { orThorough } from '../../../../helpers/thorough.ts';

const PLACES = ['first', 'second', 'third'];
const NAMES = ['a', 'b', 'c'];

const edit = fc.record({
  action: fc.constantFrom('write' as const, 'write' as const, 'remove' as const),
  path: fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 }),
});
const part = fc.record({
  place: fc.constantFrom(...PLACES),
  fails: fc.option(fc.constantFrom(...STEPS)),
  early: fc.boolean(),
  /** Edits while this place is sent its manifest. */
  meanwhile: fc.array(edit, { maxLength: 2 }),
});
const run = fc.record({
  edits: fc.array(edit, { maxLength: 6 }),
  parts: fc.uniqueArray(part, { minLength: 1, maxLength: 3, selector: ({ place }) => place }),
});

test(
  'every restore point can be restored, and has what was there, whatever is edited and fails at any destination',
  { timeout: 180_000 },
  async () => {
    await using pool = new WorkerPool(2);
    let version = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(run, { minLength: 1, maxLength: 5 }), async (runs) => {
        using computer = new Computer(pool);
        const apply = ({ action, path }: { action: 'write' | 'remove'; path: readonly string[] }): void => {
          version += 1;
          if (action === 'write') computer.write(join(...path, 'x'), `version ${version}`, 1000 + version);
          else rmSync(join(computer.source, ...path), { recursive: true, force: true });
        };
        const places = new Map(PLACES.map((id) => [id, new Place(id)]));
        for (const { edits, parts } of runs) {
          edits.forEach(apply);
          let isEdited = false;
          const chosen = parts.map(({ place, fails, early, meanwhile }) => {
            const target = places.get(place)!;
            target.offered = new Set(early ? ['backup.compression', 'backup.open'] : []);
            for (const step of STEPS) delete target.hooks[step];
            target.hooks.init = (call) => {
              if (call > 1 || meanwhile.length === 0) return;
              isEdited = true;
              meanwhile.forEach(apply);
            };
            if (fails) {
              target.hooks[fails] = () => {
                throw new HoldfastError('destination_full', {});
              };
            }
            return target;
          });
          const outcomes = await computer.backUp(chosen, { allowEmpty: true });
          for (const [index, { report, error }] of outcomes.entries()) {
            const { fails } = parts[index]!;
            // A step that does not take place cannot fail.
            if (error !== undefined)
              expect([fails, (error as Error).message]).toEqual([fails ?? '', 'destination_full']);
            if (!report) continue;
            if (isEdited) await computer.expectRestorable(chosen[index]!);
            else await computer.expectRestored(chosen[index]!);
          }
        }
        // Once nothing fails any more, all have everything.
        for (const place of places.values()) for (const step of STEPS) delete place.hooks[step];
        const last = await computer.backUp([...places.values()], { allowEmpty: true });
        expect(last.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
        for (const place of places.values()) await computer.expectRestored(place);
      }),
      { numRuns: orThorough(6, 15) },
    );
  },
);
