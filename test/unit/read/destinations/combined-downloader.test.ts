import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { CombinedDownloader } from '../../../../src/read/destinations/combined-downloader.ts';
import type { OnBlob, OtherDestination } from '../../../../src/read/destinations/member.ts';
import type { BlobDownloader, BlobSource } from '../../../../src/remote/ports.ts';
import { ManualClock, settled } from '../../service/webhooks/manual-clock.ts';

function hashOf(name: string): string {
  return `sha256:${createHash('sha256').update(name).digest('hex')}`;
}

/** A destination with some chunks, whose blobs are their own names and the destination's. */
class Place implements BlobDownloader, OtherDestination {
  readonly concurrency = 4;
  readonly name: string;
  readonly chunks: Set<string>;
  readonly requests: string[][] = [];
  opened = 0;
  /** Called before each download. */
  before: ((hashes: readonly string[], signal: AbortSignal | undefined) => Promise<void> | void) | undefined;
  beforeOpen: ((signal: AbortSignal) => Promise<void> | void) | undefined;

  constructor(name: string, ...chunks: readonly string[]) {
    this.name = name;
    this.chunks = new Set(chunks.map(hashOf));
  }

  async download(_session: string, hashes: readonly string[], onBlob: OnBlob, signal?: AbortSignal): Promise<void> {
    this.requests.push([...hashes]);
    await this.before?.(hashes, signal);
    for (const hash of hashes) {
      signal?.throwIfAborted();
      await onBlob(hash, this.chunks.has(hash) ? Buffer.from(this.name) : undefined);
    }
  }

  async open(_alive: () => void, signal: AbortSignal) {
    this.opened += 1;
    await this.beforeOpen?.(signal);
    return {
      download: (hashes: readonly string[], onBlob: OnBlob, _alive: () => void, inner: AbortSignal) =>
        this.download('', hashes, onBlob, inner),
    };
  }
}

/** Resolves never, as a hung request. */
function hung(): Promise<void> {
  return new Promise(() => undefined);
}

const clock = new ManualClock();

function combined(first: Place, others: readonly Place[], nearer: readonly Place[] = []): CombinedDownloader {
  return new CombinedDownloader({ first: { name: first.name, downloader: first }, others, nearer, clock });
}

/** Rejects what a destination has delivered. */
function reject(downloader: CombinedDownloader, name: string, source: BlobSource = downloader.delivering): void {
  downloader.reject(hashOf(name), source);
}

/** Returns who delivered each chunk. */
async function fetch(
  downloader: CombinedDownloader,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<Record<string, string | undefined>> {
  const delivered: Record<string, string | undefined> = {};
  await downloader.download(
    'session',
    names.map(hashOf),
    (hash, bytes) => {
      const name = names.find((each) => hashOf(each) === hash)!;
      if (name in delivered) throw new Error(`${name} was delivered twice`);
      delivered[name] = bytes && Buffer.from(bytes).toString();
    },
    signal,
  );
  return delivered;
}

describe('a downloader from several destinations', () => {
  test('asks only the first when that has everything', async () => {
    const disk = new Place('disk', 'a', 'b');
    const bucket = new Place('bucket', 'a', 'b');
    const downloader = combined(disk, [bucket]);
    expect(await fetch(downloader, ['a', 'b'])).toEqual({ a: 'disk', b: 'disk' });
    expect(bucket.opened).toBe(0);
    expect(downloader.read).toEqual([]);
  });

  test('asks the others in order for what the first lacks', async () => {
    const [disk, bucket, nas] = [new Place('disk', 'a'), new Place('bucket', 'b'), new Place('nas', 'b', 'c')];
    const downloader = combined(disk, [bucket, nas]);
    expect(await fetch(downloader, ['a', 'b', 'c', 'd'])).toEqual({ a: 'disk', b: 'bucket', c: 'nas', d: undefined });
    expect(nas.requests).toEqual([['c', 'd'].map(hashOf)]);
    expect(downloader.read).toEqual([
      { destination: 'disk', chunks: 1, bytes: 4 },
      { destination: 'bucket', chunks: 1, bytes: 6 },
      { destination: 'nas', chunks: 1, bytes: 3 },
    ]);
  });

  test('asks nearer ones before the first', async () => {
    const [disk, bucket] = [new Place('disk', 'a'), new Place('bucket', 'a', 'b')];
    const downloader = combined(bucket, [], [disk]);
    expect(await fetch(downloader, ['a', 'b'])).toEqual({ a: 'disk', b: 'bucket' });
  });

  test('opens another once, and does not ask it twice for what it lacks', async () => {
    const [disk, bucket] = [new Place('disk'), new Place('bucket')];
    const downloader = combined(disk, [bucket]);
    await Promise.all([fetch(downloader, ['a']), fetch(downloader, ['b'])]);
    await fetch(downloader, ['a', 'b']);
    expect(bucket.opened).toBe(1);
    expect(bucket.requests.flat()).toEqual(['a', 'b'].map(hashOf));
    expect(disk.requests.flat()).toHaveLength(4);
  });

  test('asks another for a blob that was damaged, and the first again if nobody has it', async () => {
    const [disk, bucket, nas] = [new Place('disk', 'a', 'b'), new Place('bucket', 'a'), new Place('nas')];
    const downloader = combined(disk, [bucket, nas]);
    await fetch(downloader, ['a', 'b']);
    reject(downloader, 'a');
    reject(downloader, 'b');
    expect(await fetch(downloader, ['a', 'b'])).toEqual({ a: 'bucket', b: 'disk' });
    expect([...downloader.damaged]).toEqual(['a', 'b'].map(hashOf));
  });

  test('does not ask one again that lied, and takes none of the attempts of the first', async () => {
    const [disk, liar] = [new Place('disk', 'a'), new Place('liar', 'a')];
    const downloader = combined(disk, [liar]);
    const delivered: (string | undefined)[] = [];
    for (let attempt = 1; attempt <= 3 + downloader.others; attempt += 1) {
      delivered.push((await fetch(downloader, ['a']))['a']);
      reject(downloader, 'a');
    }
    expect(delivered).toEqual(['disk', 'liar', 'disk', 'disk']);
  });

  test('asks the one that has a good blob after a second request rejects the bad one late', async () => {
    const [disk, bucket] = [new Place('disk', 'a'), new Place('bucket', 'a')];
    const downloader = combined(disk, [bucket]);
    // Two overlapping requests receive the damaged blob of the disk.
    await fetch(downloader, ['a']);
    const source = downloader.delivering;
    reject(downloader, 'a', source);
    expect(await fetch(downloader, ['a'])).toEqual({ a: 'bucket' });
    reject(downloader, 'a', source);
    expect(await fetch(downloader, ['a'])).toEqual({ a: 'bucket' });
    expect([...downloader.damaged]).toEqual([hashOf('a')]);
  });

  test('continues from another when the first fails in the middle', async () => {
    const [disk, bucket] = [new Place('disk', 'a', 'b', 'c'), new Place('bucket', 'a', 'b', 'c')];
    const downloader = combined(disk, [bucket]);
    expect(await fetch(downloader, ['a'])).toEqual({ a: 'disk' });
    disk.before = () => Promise.reject(new Error('unplugged'));
    expect(await fetch(downloader, ['b'])).toEqual({ b: 'bucket' });
    expect(await fetch(downloader, ['c'])).toEqual({ c: 'bucket' });
    // A while later it is tried again.
    expect(disk.requests).toHaveLength(2);
    disk.before = undefined;
    await clock.advance(60_000);
    expect(await fetch(downloader, ['a'])).toEqual({ a: 'disk' });
  });

  test('throws the error of the first when another lacks a chunk', async () => {
    const [disk, bucket] = [new Place('disk', 'a', 'b'), new Place('bucket', 'a')];
    const downloader = combined(disk, [bucket]);
    disk.before = () => Promise.reject(new Error('unplugged'));
    await expect(fetch(downloader, ['a', 'b'])).rejects.toThrow('unplugged');
    // It stays the last resort.
    disk.before = undefined;
    expect(await fetch(downloader, ['a', 'b'])).toEqual({ a: 'bucket', b: 'disk' });
  });

  test('is not affected by one that cannot be opened, which it soon leaves alone', async () => {
    const [disk, bucket] = [new Place('disk'), new Place('bucket', 'a')];
    const downloader = combined(disk, [bucket]);
    bucket.beforeOpen = () => Promise.reject(new Error('absent'));
    expect(await fetch(downloader, ['a'])).toEqual({ a: undefined });
    expect(await fetch(downloader, ['a'])).toEqual({ a: undefined });
    expect(bucket.opened).toBe(1);
    for (let hour = 0; hour < 5; hour += 1) {
      await clock.advance(3_600_000);
      await fetch(downloader, ['a']);
    }
    expect(bucket.opened).toBe(3);
  });

  test('is not affected by one that fails in the middle', async () => {
    const [disk, bucket, nas] = [new Place('disk'), new Place('bucket', 'a', 'b'), new Place('nas', 'a', 'b')];
    const downloader = combined(disk, [bucket, nas]);
    bucket.download = async (_session, hashes, onBlob) => {
      await onBlob(hashes[0]!, Buffer.from('bucket'));
      throw new Error('gone');
    };
    expect(await fetch(downloader, ['a', 'b'])).toEqual({ a: 'bucket', b: 'nas' });
  });

  test.each(['opening', 'downloading'])('leaves another that is silent while %s', async (phase) => {
    const [disk, bucket, nas] = [new Place('disk'), new Place('bucket', 'a'), new Place('nas', 'a')];
    const downloader = combined(disk, [bucket, nas]);
    if (phase === 'opening') bucket.beforeOpen = hung;
    else bucket.before = hung;
    const fetching = fetch(downloader, ['a']);
    await clock.advance(60_000);
    expect(await fetching).toEqual({ a: 'nas' });
  });

  test('ignores what another delivers after it was left', async () => {
    const [disk, bucket] = [new Place('disk'), new Place('bucket', 'a')];
    const downloader = combined(disk, [bucket]);
    const { promise, resolve } = Promise.withResolvers<void>();
    bucket.before = () => promise;
    const fetching = fetch(downloader, ['a']);
    await clock.advance(60_000);
    expect(await fetching).toEqual({ a: undefined });
    resolve();
    await settled();
    expect(downloader.read).toEqual([]);
  });

  test('asks another while the first is silent, and waits for the first if that lacks a chunk', async () => {
    const [disk, bucket] = [new Place('disk', 'a', 'b'), new Place('bucket', 'a')];
    const downloader = combined(disk, [bucket]);
    const { promise, resolve } = Promise.withResolvers<void>();
    disk.before = () => promise;
    const one = fetch(downloader, ['a']);
    const both = fetch(downloader, ['a', 'b']);
    await clock.advance(60_000);
    expect(await one).toEqual({ a: 'bucket' });
    resolve();
    expect(await both).toEqual({ a: 'bucket', b: 'disk' });
  });

  test('throws the error of a first that was silent before it failed', async () => {
    const [disk, bucket] = [new Place('disk', 'a'), new Place('bucket')];
    const downloader = combined(disk, [bucket]);
    const { promise, reject } = Promise.withResolvers<void>();
    disk.before = () => promise;
    const fetching = fetch(downloader, ['a']);
    fetching.catch(() => undefined);
    await clock.advance(60_000);
    reject(new Error('unplugged'));
    await expect(fetching).rejects.toThrow('unplugged');
  });

  test('ends when the caller aborts, whoever is asked', async () => {
    for (const [disk, bucket] of [
      [new Place('disk', 'a'), new Place('bucket', 'a')],
      [new Place('disk'), new Place('bucket', 'a')],
    ] as const) {
      const abort = new AbortController();
      const wait = (_hashes: readonly string[], signal: AbortSignal | undefined): Promise<void> =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason as Error));
          abort.abort(new Error('stopped'));
        });
      if (disk.chunks.size > 0) disk.before = wait;
      else bucket.before = wait;
      await expect(fetch(combined(disk, [bucket]), ['a'], abort.signal)).rejects.toThrow('stopped');
    }
  });

  test('passes on an error of the caller as it is, and asks nobody else', async () => {
    const [disk, bucket] = [new Place('disk', 'a'), new Place('bucket', 'a')];
    const downloader = combined(disk, [bucket]);
    const onBlob = (): void => {
      throw new Error('out of memory');
    };
    await expect(downloader.download('session', [hashOf('a')], onBlob)).rejects.toThrow('out of memory');
    expect(bucket.opened).toBe(0);
  });
});
