import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chunk, file, TestService } from '../../../unit/service/harness.ts';
import type { Answer, TestDevice, TestFile } from '../../../unit/service/harness.ts';
import { orThorough } from '../../../helpers/thorough.ts';

/** Names for every corner case of the order: below and above `/`, U+0001, surrogates beside U+FFFD. */
const names = fc.constantFrom('a', 'b', 'a.b', 'a b', 'a!', 'A', 'é', '\u0001', 'a\u0001', '\u{1f600}', '\ufffd', '0');
const paths = fc.array(names, { minLength: 1, maxLength: 3 }).map((segments) => `/${segments.join('/')}`);
const contents = fc.array(fc.constantFrom('one', 'two', 'three', 'four', 'five'), { maxLength: 3 });
const times = fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z', '2026-01-01T00:00:00.123456Z');

interface Entry {
  readonly content: readonly string[];
  readonly modified: string;
}

/** The changes of a run: the paths to set (or to drop) in the set's tree, in an order. */
interface Step {
  readonly set: 'docs' | 'photos';
  readonly changes: readonly (readonly [path: string, entry: Entry | undefined])[];
  readonly order: 'sorted' | 'reversed' | 'shuffled';
  readonly seed: number;
  /** Contents that are uploaded before the manifest, in a waiting session; and whether a manifest is refused first. */
  readonly early: { readonly contents: readonly string[]; readonly isRefusedFirst: boolean } | undefined;
  /** When the session is completed: immediately, after the next step's init, or never. */
  readonly end: 'complete' | 'late' | 'abort';
}

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    set: fc.constantFrom('docs' as const, 'docs' as const, 'photos' as const),
    changes: fc.array(
      fc.tuple(paths, fc.option(fc.record({ content: contents, modified: times }), { nil: undefined })),
      { maxLength: 12 },
    ),
    order: fc.constantFrom('sorted' as const, 'sorted' as const, 'reversed' as const, 'shuffled' as const),
    seed: fc.integer(),
    early: fc.option(fc.record({ contents, isRefusedFirst: fc.boolean() }), { nil: undefined }),
    end: fc.constantFrom('complete' as const, 'complete' as const, 'late' as const, 'abort' as const),
  }),
  { minLength: 1, maxLength: 8 },
);

/** The naive model: a full copy of the tree for each completed run. */
type Tree = ReadonlyMap<string, Entry>;
interface Run {
  readonly set: string;
  readonly at: string;
  readonly tree: Tree;
}

test(
  'the tree at every restore point equals the manifest of its run, whatever happened in between',
  { timeout: 120_000 },
  () =>
    fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const service = await TestService.open();
        const device = await service.register();
        const runs = await play(service, device, sequence);
        for (const run of runs) {
          const answer = await service.manifest(device, run.set, { point_in_time: run.at });
          expect(answer.status).toBe(200);
          expect(answer.body.point_in_time).toBe(run.at);
          expectTree(answer, run.tree);
        }
        await service.close();
      }),
      { numRuns: orThorough(25, 60) },
    ),
);

async function play(service: TestService, device: TestDevice, sequence: readonly Step[]): Promise<Run[]> {
  const newest = new Map<string, Tree>();
  const runs: Run[] = [];
  let late: { readonly init: Answer; readonly step: Step; readonly tree: Tree } | undefined;
  const complete = async (init: Answer, step: Step, tree: Tree): Promise<void> => {
    service.clock.advance(1_000);
    const answer = await service.complete(device, init.body.session_id as string);
    expect(answer.status).toBe(200);
    runs.push({ set: step.set, at: answer.body.restore_point as string, tree });
    newest.set(step.set, tree);
  };
  for (const step of sequence) {
    const tree = changed(newest.get(step.set) ?? new Map(), step);
    const files = ordered(
      [...tree].map(([path, entry]) => file(path, entry.content, entry.modified)),
      step,
    );
    const head = step.early ? await openEarly(service, device, step.set, step.early) : {};
    const init = await service.init(device, step.set, files, head);
    expect(init.status).toBe(200);
    await service.upload(device, init, files);
    if (late) await complete(late.init, late.step, late.tree);
    late = undefined;
    if (step.end === 'complete') await complete(init, step, tree);
    else if (step.end === 'late') late = { init, step, tree };
    else await service.post('/functions/v1/backup/abort', device.token, { session_id: init.body.session_id });
  }
  if (late) await complete(late.init, late.step, late.tree);
  return runs;
}

async function openEarly(
  service: TestService,
  device: TestDevice,
  set: string,
  { contents: texts, isRefusedFirst }: NonNullable<Step['early']>,
): Promise<object> {
  const { body } = await service.openSession(device, set);
  const head = { session_id: body.session_id as string };
  for (const { hash, blob } of texts.map(chunk)) {
    expect([200, 409]).toContain((await service.put(device, head.session_id, hash, blob)).status);
  }
  if (isRefusedFirst) {
    const twice = [file('/a', texts), file('/b', ['refused']), file('/a', [])];
    expect((await service.init(device, set, twice, head)).status).toBe(422);
  }
  return head;
}

function changed(tree: Tree, step: Step): Tree {
  const next = new Map(tree);
  for (const [path, entry] of step.changes) {
    if (entry) next.set(path, entry);
    else next.delete(path);
  }
  return next;
}

/** Depth first, names by their UTF-8 bytes. */
function inPathOrder(a: { readonly path: string }, b: { readonly path: string }): number {
  const left = a.path.split('/');
  const right = b.path.split('/');
  const different = left.findIndex((segment, index) => segment !== right[index]);
  if (different === -1) return left.length - right.length;
  return Buffer.compare(Buffer.from(left[different]!), Buffer.from(right[different] ?? ''));
}

function ordered(files: TestFile[], { order, seed }: Step): TestFile[] {
  const sorted = files.toSorted(inPathOrder);
  if (order === 'sorted') return sorted;
  if (order === 'reversed') return sorted.toReversed();
  return sorted.toSorted((a, b) => rank(a, seed) - rank(b, seed));
}

function rank({ path }: TestFile, seed: number): number {
  let hash = seed;
  for (const character of path) hash = Math.imul(hash ^ character.codePointAt(0)!, 16_777_619);
  return hash;
}

function expectTree(answer: Answer, tree: Tree): void {
  const files = answer.body.files as { path: string; size: number; modified: string; chunks: string[] }[];
  const wanted = [...tree].map(([path, { content, modified }]) => ({
    path,
    size: content.join('').length,
    modified,
    chunks: content.map((text) => chunk(text).hash),
  }));
  expect(files).toEqual(wanted.toSorted(inPathOrder));
  const all = wanted.flatMap((entry) => entry.chunks);
  expect(answer.body.total_files).toBe(wanted.length);
  expect(answer.body.total_chunks).toBe(all.length);
  expect(answer.body.unique_chunks).toBe(new Set(all).size);
  expect(answer.body.total_bytes).toBe(wanted.reduce((sum, entry) => sum + entry.size, 0));
}
