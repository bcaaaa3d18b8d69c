import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { comparePaths, isWithin } from '../../../../src/model/entry-path.ts';
import { chunk, file, manifestEntry, TestService } from '../../../unit/service/harness.ts';
import type { Answer, TestDevice, TestFile } from '../../../unit/service/harness.ts';
import { orThorough } from '../../../helpers/thorough.ts';

const names = fc.constantFrom('a', 'b', 'a.b', 'a!', 'é', '\u0001', 'a\u0001', '\u{1f600}', '\ufffd');
const path = fc.array(names, { minLength: 1, maxLength: 3 }).map((segments) => `/${segments.join('/')}`);
const content = fc.array(fc.constantFrom('one', 'two', 'three', 'four'), { maxLength: 3 });

type Change =
  | { readonly kind: 'file'; readonly path: string; readonly content: readonly string[] }
  | { readonly kind: 'removed'; readonly path: string };
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('file' as const), path, content }),
  fc.record({ kind: fc.constant('removed' as const), path }),
);

const INIT = '/functions/v1/backup/init';

type Tree = ReadonlyMap<string, readonly string[]>;

/** Differences in path order, each path with at most one removal followed by one file. */
function ordered(changes: readonly Change[]): readonly Change[] {
  const byKey = new Map(changes.map((one) => [`${one.kind} ${one.path}`, one]));
  return [...byKey.values()].toSorted(
    (a, b) => comparePaths(a.path, b.path) || (a.kind === 'removed' ? -1 : 1) - (b.kind === 'removed' ? -1 : 1),
  );
}

function applied(tree: Tree, changes: readonly Change[]): Tree {
  const next = new Map(tree);
  for (const { path: removed } of changes.filter(({ kind }) => kind === 'removed')) {
    for (const other of next.keys()) if (isWithin(other, removed)) next.delete(other);
  }
  for (const one of changes) if (one.kind === 'file') next.set(one.path, one.content);
  return next;
}

const filesOf = (tree: Tree): TestFile[] =>
  [...tree].map(([at, texts]) => file(at, texts)).toSorted((a, b) => comparePaths(a.path, b.path));

function delta(
  service: TestService,
  device: TestDevice,
  set: string,
  base: string,
  changes: readonly Change[],
): Promise<Answer> {
  const files = changes.map((one) =>
    one.kind === 'file' ? manifestEntry(file(one.path, one.content)) : { path: one.path, removed: true },
  );
  return service.post(INIT, device.token, { device_id: device.id, backup_set: set, base, files });
}

const rows = async (service: TestService, device: TestDevice, set: string): Promise<unknown> => {
  const query = `device_id=${device.id}&backup_set=${set}`;
  const answer = await service.call('GET', `/rest/v1/restore_points?${query}`, device.token);
  const points = answer.body.restore_points as { files: number; bytes: number }[];
  return points.map(({ files, bytes }) => ({ files, bytes }));
};

const listOf = ({ body }: Answer): unknown => ({
  files: body.files as unknown,
  totals: [body.total_files, body.total_bytes, body.total_chunks, body.unique_chunks] as unknown[],
});

describe('a delta manifest', () => {
  test('creates the same tree as the whole manifest, at every restore point', { timeout: 120_000 }, () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(path, content), { maxLength: 15 }),
        fc.array(fc.record({ changes: fc.array(change, { maxLength: 10 }), isAbandoned: fc.boolean() }), {
          minLength: 1,
          maxLength: 4,
        }),
        async (first, runs) => {
          const service = await TestService.open();
          const device = await service.register();
          let tree: Tree = new Map(first);
          let base = (await service.backUp(device, 'delta', filesOf(tree))).body.backup_id as string;
          await service.backUp(device, 'whole', filesOf(tree));
          for (const { changes: all, isAbandoned } of runs) {
            const changes = ordered(all);
            const next = applied(tree, changes);
            const init = await delta(service, device, 'delta', base, changes);
            expect(init.status).toBe(200);
            await service.upload(device, init, filesOf(next));
            if (isAbandoned) {
              await service.post('/functions/v1/backup/abort', device.token, { session_id: init.body.session_id });
              continue;
            }
            service.clock.advance(1_000);
            const completed = await service.complete(device, init.body.session_id as string);
            expect(completed.status).toBe(200);
            base = completed.body.backup_id as string;
            const whole = await service.backUp(device, 'whole', filesOf(next));
            expect(whole.status).toBe(200);
            tree = next;
            expect(listOf(await service.manifest(device, 'delta'))).toEqual(
              listOf(await service.manifest(device, 'whole')),
            );
          }
          expect(await rows(service, device, 'delta')).toEqual(await rows(service, device, 'whole'));
          await service.close();
        },
      ),
      { numRuns: orThorough(25, 60) },
    ),
  );

  async function prepared() {
    const service = await TestService.open();
    const device = await service.register();
    const run = await service.backUp(device, 'docs', [file('/a/b', ['one']), file('/c', ['two', 'three'])]);
    return { service, device, base: run.body.backup_id as string };
  }

  test('counts the files it lists, and reports the deduplicated share of the whole tree', async () => {
    const { service, device, base } = await prepared();
    const changes = [{ kind: 'file', path: '/d', content: ['two', 'fresh'] }] as const;
    const init = await delta(service, device, 'docs', base, changes);
    expect(init.body).toMatchObject({ chunks_deduped: 1, chunks_to_upload: 1 });
    await service.upload(device, init, [file('/d', ['two', 'fresh'])]);
    const run = await service.complete(device, init.body.session_id as string);
    // 3 + 8 + 8 bytes, 5 of them new.
    expect(run.body.dedup_savings_percent).toBe(Math.round(1000 * (1 - 5 / 19)) / 10);
  });

  test('continues an unchanged file below a removed path', async () => {
    const { service, device, base } = await prepared();
    const changes = [
      { kind: 'removed', path: '/a' },
      { kind: 'file', path: '/a/b', content: ['one'] },
    ] as const;
    const init = await delta(service, device, 'docs', base, changes);
    expect((await service.complete(device, init.body.session_id as string)).status).toBe(200);
    const { body } = await service.manifest(device, 'docs');
    expect((body.files as { path: string }[]).map((entry) => entry.path)).toEqual(['/a/b', '/c']);
  });

  test('is refused if its base is not the newest run, and leaves nothing', async () => {
    const { service, device, base } = await prepared();
    const outdated = { status: 409, body: { code: 'base_outdated' } };
    expect(await delta(service, device, 'docs', 'bkp_other', [])).toMatchObject(outdated);
    expect(await delta(service, device, 'other', base, [])).toMatchObject(outdated);
    await service.backUp(device, 'docs', [file('/e', ['one'])]);
    expect(await delta(service, device, 'docs', base, [])).toMatchObject(outdated);
    expect((await service.manifest(device, 'docs')).body.total_files).toBe(1);
  });

  test('becomes its base with its changes, even if another run is completed meanwhile', async () => {
    const { service, device, base } = await prepared();
    const init = await delta(service, device, 'docs', base, [{ kind: 'removed', path: '/a' }]);
    await service.backUp(device, 'docs', [file('/e', ['one'])]);
    service.clock.advance(1_000);
    expect((await service.complete(device, init.body.session_id as string)).status).toBe(200);
    const { body } = await service.manifest(device, 'docs');
    expect((body.files as { path: string }[]).map((entry) => entry.path)).toEqual(['/c']);
  });

  test('is refused while chunks of its base are lost, since these have to be uploaded again', async () => {
    const { service, device, base } = await prepared();
    const { chunks, accounts } = service.service.context.metadata;
    const account = await accounts.findAccount(service.accountId);
    const digest = Buffer.from(chunk('two').hash.slice('sha256:'.length), 'hex');
    const [row] = await chunks.find(account!.number, [digest]);
    await chunks.markLost([row!.id]);
    expect(await delta(service, device, 'docs', base, [])).toMatchObject({ status: 409 });
  });

  test.each<[string, number, (id: string, base: string) => string]>([
    [
      'base behind the files',
      400,
      (id, base) => `{"device_id": "${id}", "backup_set": "docs", "files": [], "base": "${base}"}`,
    ],
    [
      'a removal without a base',
      400,
      (id) => `{"device_id": "${id}", "backup_set": "docs", "files": [{"path": "/a", "removed": true}]}`,
    ],
    [
      'a removal that is none',
      400,
      (id, base) =>
        JSON.stringify({ device_id: id, backup_set: 'docs', base, files: [{ path: '/a', removed: false }] }),
    ],
    [
      'paths out of order',
      422,
      (id, base) =>
        JSON.stringify({
          device_id: id,
          backup_set: 'docs',
          base,
          files: [
            { path: '/b', removed: true },
            { path: '/a', removed: true },
          ],
        }),
    ],
    [
      'a removal behind the file in its place',
      422,
      (id, base) =>
        JSON.stringify({
          device_id: id,
          backup_set: 'docs',
          base,
          files: [manifestEntry(file('/a', ['one'])), { path: '/a', removed: true }],
        }),
    ],
  ])('with %s is refused', async (_, status, body) => {
    const { service, device, base } = await prepared();
    expect((await service.post(INIT, device.token, body(device.id, base))).status).toBe(status);
    expect((await service.manifest(device, 'docs')).body.total_files).toBe(2);
  });

  test('accepts device, set and base in any order before the files', async () => {
    const { service, device, base } = await prepared();
    const text = `{"base": "${base}", "backup_set": "docs", "device_id": "${device.id}", "files": []}`;
    expect((await service.post(INIT, device.token, text)).status).toBe(200);
  });
});
