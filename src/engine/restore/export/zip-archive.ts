import { once } from 'node:events';
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { ArchiveEntry } from './archive-entry.ts';

const LINK = 0o120000;
const FILE = 0o100000;
const FOLDER = 0o040000;

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
  if (type === 'directory') {
    zip.addEmptyDirectory(path, { mtime, mode: FOLDER | mode });
    return;
  }
  if (type !== 'file') {
    zip.addBuffer(Buffer.from(target), path, { mtime, mode: LINK | 0o777, compress: false });
    return;
  }
  const content = Readable.from(entry.content(), { objectMode: false });
  // Else each file would leave its listeners at the output.
  const read = new AbortController();
  const { signal } = read;
  const ended = Promise.race([once(content, 'end', { signal }), once(output, 'close', { signal })]);
  zip.addReadStream(content, path, { mtime, mode: FILE | mode, size });
  try {
    await ended;
  } finally {
    read.abort();
  }
}
