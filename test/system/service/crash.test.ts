import BetterSqlite from 'better-sqlite3';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { CrashReport, PutBlob } from './crash-report.ts';
import { TestService, temporaryDirectory } from '../../unit/service/harness.ts';
import type { TestDevice } from '../../unit/service/harness.ts';
import { sampled } from '../../helpers/thorough.ts';

const PROCESS = fileURLToPath(new URL('crash-process.ts', import.meta.url));

/** Number of report lines after which each process is killed: during PUTs, at a complete, in between. */
const KILLS = sampled([2, 5, 9, 11, 12, 17, 28, 33], 2, 1);

test('everything acknowledged before a kill -9 is stored completely afterwards', { timeout: 120_000 }, async () => {
  const directory = await temporaryDirectory();
  const reports: CrashReport[] = [];
  for (const [seed, lines] of KILLS.entries()) reports.push(...(await runAndKill(directory, seed, lines)));
  expect(reports.filter(({ kind }) => kind === 'completed').length).toBeGreaterThan(2);

  const service = await TestService.open(directory);
  const device: TestDevice = { id: '', key: '', token: '' };
  for (const report of reports) {
    if (report.kind === 'ready')
      Object.assign(device, { id: report.device, token: await service.tokenOf(report.device) });
  }
  for (const report of reports) {
    if (report.kind === 'completed') await expectRun(service, device, report);
  }
  const puts = reports.filter((report) => report.kind === 'put').flatMap(({ blobs }) => blobs);
  await service.close();
  await expectStored(directory, service.accountId, puts);
});

async function runAndKill(directory: string, seed: number, lines: number): Promise<CrashReport[]> {
  const child = spawn(process.execPath, [PROCESS, directory, String(seed)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const reports: CrashReport[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    // Lines in the pipe were acknowledged, too; a line truncated by the kill was not.
    if (!line.endsWith('}')) break;
    reports.push(JSON.parse(line) as CrashReport);
    if (reports.length === lines) child.kill('SIGKILL');
  }
  const [, signal] = (await closed) as [unknown, string];
  expect(signal).toBe('SIGKILL');
  return reports;
}

async function expectRun(
  service: TestService,
  device: TestDevice,
  report: Extract<CrashReport, { kind: 'completed' }>,
): Promise<void> {
  const manifest = await service.manifest(device, 'docs', { point_in_time: report.restorePoint });
  const files = manifest.body.files as { path: string; chunks: string[] }[];
  const wanted = report.files.map(({ path, hash }) => ({ path, chunks: [hash] }));
  expect(files.map(({ path, chunks }) => ({ path, chunks })).toSorted(byPath)).toEqual(wanted.toSorted(byPath));
  const presign = await service.post('/functions/v1/restore/presign', device.token, {
    restore_session_id: manifest.body.restore_session_id as string,
    chunk_hashes: report.files.map(({ hash }) => hash),
  });
  for (const [index, { url }] of (presign.body.downloads as { url: string }[]).entries()) {
    const got = await service.call('GET', url);
    expect(digestOf(got.body as Buffer)).toBe(report.files[index]!.blob);
  }
}

/** Checks the store's own files: every stored chunk has its complete blob, and each acknowledged PUT is stored. */
async function expectStored(directory: string, accountId: string, puts: readonly PutBlob[]): Promise<void> {
  const metadata = new BetterSqlite(join(directory, 'metadata.sqlite'), { readonly: true });
  const small = new BetterSqlite(join(directory, 'blobs.sqlite'), { readonly: true });
  for (const database of [metadata, small]) expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
  const stored = metadata
    .prepare<[], { id: number; digest: string; size: number }>(
      'SELECT id, lower(hex(digest)) AS digest, size FROM chunk WHERE size IS NOT NULL',
    )
    .all();
  const placeOf = small.prepare<[number], { pack: number; offset: number; length: number }>(
    'SELECT pack, "offset", length FROM packed WHERE chunk_id = ?',
  );
  const packs = new Map<number, Buffer>();
  const blobOf = async (id: number): Promise<Buffer> => {
    const { pack, offset, length } = placeOf.get(id)!;
    if (!packs.has(pack)) packs.set(pack, await readFile(join(directory, 'objects', 'packs', `${pack}.pack`)));
    return packs.get(pack)!.subarray(offset, offset + length);
  };
  const digests = new Map<string, string>();
  for (const { id, digest, size } of stored) {
    const file = join(directory, 'objects', accountId, digest.slice(0, 2), `${digest}.${id}`);
    const blob = size + 28 <= 131_072 ? await blobOf(id) : await readFile(file);
    expect(blob.length).toBe(size + 28);
    digests.set(`sha256:${digest}`, digestOf(blob));
  }
  for (const { hash, blob } of puts) expect(digests.get(hash)).toBe(blob);
  metadata.close();
  small.close();
}

function byPath(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : 1;
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
