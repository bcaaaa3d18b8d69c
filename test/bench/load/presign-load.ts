import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { deviceToken, good } from './client.ts';
import type { LoadClient, LoadDevice } from './client.ts';
import type { ServiceProcess } from './service-process.ts';
import { count, megabytes, printTable } from './table.ts';

const CHUNKS = 20_000;
const SIZE = 1_000;
const OVERHEAD = 28;

/** Measures the chunks presigned per second: one by one, and many in a call. */
export async function measurePresigns(
  service: ServiceProcess,
  client: LoadClient,
  device: LoadDevice,
  lasting: number,
): Promise<void> {
  const token = await deviceToken(client, device);
  const hashes = Array.from({ length: CHUNKS }, () => `sha256:${randomBytes(32).toString('hex')}`);
  const files = hashes.map((hash, index) => ({
    path: `/file ${index}`,
    size: SIZE,
    modified: '2026-01-01T00:00:00.000Z',
    chunks: [{ hash, size: SIZE }],
  }));
  const manifest = { device_id: device.id, backup_set: 'presigns', files };
  const init = good('init', await client.post('/functions/v1/backup/init', manifest, token));
  const sessionId = init['session_id'];

  let next = 0;
  const taken = (many: number) =>
    Array.from({ length: many }, () => {
      next = (next + 1) % CHUNKS;
      return { chunk_hash: hashes[next]!, chunk_size: SIZE + OVERHEAD };
    });
  const rows: string[][] = [];
  const measure = async (what: string, atOnce: number, many: number): Promise<void> => {
    service.used();
    const from = performance.now();
    let presigned = 0;
    const work = async (): Promise<void> => {
      while (performance.now() - from < lasting * 1000) {
        const chunks = taken(many);
        const body = { session_id: sessionId, ...(many === 1 ? chunks[0] : { chunks }) };
        good('presign', await client.post('/functions/v1/backup/presign', body, token));
        presigned += many;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    const wall = (performance.now() - from) / 1000;
    const { cpu, peak } = service.used();
    rows.push([what, count(presigned / wall), count(presigned / cpu), megabytes(peak)]);
  };
  await measure('warming up', 16, 1);
  rows.pop();
  await measure('one in a call, 16 calls at once', 16, 1);
  await measure('100 in a call, 4 calls at once', 4, 100);
  await measure('1,000 in a call, 4 calls at once', 4, 1_000);
  printTable('Presigns', ['uploads', 'a second', 'a CPU second', 'peak memory'], rows);
}
