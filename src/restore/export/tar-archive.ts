import { Header, Pax } from 'tar';
import type { ArchiveEntry } from './archive-entry.ts';

const BLOCK_BYTES = 512;
/** GNU tar pads its archives to a multiple of this. */
const RECORD_BYTES = 20 * BLOCK_BYTES;

const TYPES = { file: 'File', directory: 'Directory', symlink: 'SymbolicLink', 'hard-link': 'Link' } as const;

/** Writes entries as a tar archive, with POSIX extended headers where a name, a size or a time needs one. */
export async function* tarArchive(entries: AsyncIterable<ArchiveEntry>): AsyncGenerator<Buffer> {
  let written = 0;
  for await (const entry of entries) {
    const head = headOf(entry);
    yield head;
    written += head.length;
    if (entry.type !== 'file') continue;
    for await (const data of entry.content()) {
      yield data;
      written += data.length;
    }
    const padding = padTo(BLOCK_BYTES, written);
    yield padding;
    written += padding.length;
  }
  const end = Buffer.alloc(2 * BLOCK_BYTES);
  yield end;
  yield padTo(RECORD_BYTES, written + end.length);
}

function headOf({ path, type, mode, modified, uid, gid, size, target }: ArchiveEntry): Buffer {
  const data = {
    path: type === 'directory' ? `${path}/` : path,
    mode,
    mtime: modified,
    size: type === 'file' ? size : 0,
    type: TYPES[type],
    ...(uid === undefined ? {} : { uid }),
    ...(gid === undefined ? {} : { gid }),
    ...(type === 'symlink' || type === 'hard-link' ? { linkpath: target } : {}),
  };
  const header = new Header({ ...data, mtime: wholeSecond(modified) });
  const needsMore = header.encode() || modified.getTime() % 1000 !== 0;
  return needsMore ? Buffer.concat([extendedHeader(new Pax(data), modified), header.block!]) : header.block!;
}

/** Has the exact time in its body only: tar's own blocks hold whole seconds, and the package refuses fractions before 1970 there. */
function extendedHeader(pax: Pax, modified: Date): Buffer {
  const body = Buffer.from(pax.encodeBody());
  const header = new Header({
    path: 'PaxHeader',
    mode: 0o644,
    size: body.length,
    mtime: wholeSecond(modified),
    type: 'ExtendedHeader',
  });
  header.encode();
  return Buffer.concat([header.block!, body, padTo(BLOCK_BYTES, body.length)]);
}

/** Rounds down, also before 1970. */
function wholeSecond(time: Date): Date {
  return new Date(Math.floor(time.getTime() / 1000) * 1000);
}

function padTo(unit: number, length: number): Buffer {
  return Buffer.alloc((unit - (length % unit)) % unit);
}
