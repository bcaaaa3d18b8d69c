import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import type { HttpGet } from './http-get.ts';
import { UpdateProblem } from './update-problem.ts';

/** A file as signed metadata announce it. */
export interface AnnouncedFile {
  /** In bytes. */
  readonly size: number;
  /** In base64. */
  readonly sha512: string;
}

export interface BoundedDownload {
  readonly get: HttpGet;
  readonly address: string;
  /** Must not exist. */
  readonly file: string;
  readonly announced: AnnouncedFile;
  readonly signal: AbortSignal;
  /** The download fails after this time without a byte. */
  readonly patienceMs: number;
  /** The download fails after this time, although bytes still come. */
  readonly longestMs: number;
  /** Called with the bytes so far. */
  readonly onBytes: (bytes: number) => void;
}

/**
 * Downloads a file: no byte more than announced, from no other address, and without waiting for ever. The file exists afterwards only if it is the announced
 * one.
 *
 * @throws UpdateProblem `network`, `damaged`, or `install` if it cannot be stored
 */
export async function downloadBounded(download: BoundedDownload): Promise<void> {
  const { get, address, file, announced, signal, patienceMs, longestMs, onBytes } = download;
  const stalled = new AbortController();
  const timer = setTimeout(() => stalled.abort(), patienceMs);
  const end = setTimeout(() => stalled.abort(), longestMs);
  let handle: FileHandle | undefined;
  try {
    const response = await get(address, AbortSignal.any([signal, stalled.signal])).catch(failWith('network'));
    if (!response.ok || !response.body) throw new UpdateProblem('network');
    handle = await open(file, 'wx', 0o600).catch(failWith('install'));
    const hash = createHash('sha512');
    let length = 0;
    for await (const part of partsOf(response.body)) {
      timer.refresh();
      length += part.length;
      if (length > announced.size) throw new UpdateProblem('damaged');
      hash.update(part);
      await handle.writeFile(part).catch(failWith('install'));
      onBytes(length);
    }
    if (length !== announced.size || hash.digest('base64') !== announced.sha512) throw new UpdateProblem('damaged');
    await handle.sync().catch(failWith('install'));
    await handle.close();
  } catch (error) {
    // A file that was there before is somebody else's.
    if (handle) rmSync(file, { force: true });
    await handle?.close().catch(() => undefined);
    throw error;
  } finally {
    clearTimeout(timer);
    clearTimeout(end);
    // Ends a response that was not read to its end.
    stalled.abort();
  }
}

async function* partsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw new UpdateProblem('network', { cause: error });
  }
}

function failWith(kind: UpdateProblem['kind']): (cause: unknown) => never {
  return (cause) => {
    throw new UpdateProblem(kind, { cause });
  };
}
