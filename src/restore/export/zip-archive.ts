import { once } from 'node:events';
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { ArchiveEntry } from './archive-entry.ts';

const LINK = 0o120000;
const FILE = 0o100000;
const FOLDER = 0o040000;

/** Seconds since 1970 that the timestamp of Info-ZIP has (yazl writes 31 bits). */
const END_OF_TIMESTAMP = 2 ** 31;
/** The last time that an MS-DOS date has, in milliseconds: it ends in every time zone. */
const END_OF_DATE = Date.UTC(2107, 11, 31);

/** Returns whether an archive can have an entry of that path: yazl takes backslashes for slashes, and refuses drives. */
export function isZipPath(path: string): boolean {
  return !path.includes('\\') && !/^[a-z]:/i.test(path);
}

/** Returns whether an archive can state a time; otherwise it has 1980 or 2107. */
export function isZipTime(time: Date): boolean {
  return time.getTime() >= 0 && time.getTime() < END_OF_DATE;
}

/** Writes entries as a zip archive, one after the other; Zip64 where a size or the number of entries needs it. */
export function zipArchive(entries: AsyncIterable<ArchiveEntry>): Readable {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  zip.on('error', (error: Error) => output.destroy(error));
  const feed = async (): Promise<void> => {
    for await (const entry of entries) await add(zip, entry, output);
    zip.end();
  };
  feed().catch((error: unknown) => output.destroy(error as Error));
  return output;
}

async function add(zip: ZipFile, entry: ArchiveEntry, output: Readable): Promise<void> {
  const { path, type, mode, modified: mtime, size, target } = entry;
  const seconds = mtime.getTime() / 1000;
  const times = { mtime, forceDosTimestamp: seconds < 0 || seconds >= END_OF_TIMESTAMP };
  if (type === 'directory') {
    zip.addEmptyDirectory(path, { ...times, mode: FOLDER | mode });
    return;
  }
  if (type !== 'file') {
    zip.addBuffer(Buffer.from(target), path, { ...times, mode: LINK | 0o777, compress: false });
    return;
  }
  const content = Readable.from(entry.content(), { objectMode: false });
  // Else each file would leave its listeners at the output.
  const read = new AbortController();
  const { signal } = read;
  const ended = Promise.race([once(content, 'end', { signal }), once(output, 'close', { signal })]);
  zip.addReadStream(content, path, { ...times, mode: FILE | mode, size });
  try {
    await ended;
  } finally {
    read.abort();
  }
}
