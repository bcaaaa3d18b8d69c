import { bufferOf } from '../../base/buffer-of.ts';
import { isHoldfastError } from '../../base/errors/errors.ts';
import { isEntryPath, isReservedPath } from '../../protocol/path.ts';
import { comparePaths } from '../../model/entry-path.ts';
import { decodeChunkList, encodeChunkList, NO_CHUNKS, plaintextBytes } from '../chunks/chunk-list.ts';
import type { TreeRecord } from './record.ts';
import { treeInvalid } from './tree-invalid.ts';

/**
 * Encodes a record as one line of JSON. The keys are short since there are millions of them:
 *
 * | key | of | value |
 * |---|---|---|
 * | `t` | all | `f` file, `d` directory, `l` symlink |
 * | `p` | all | entry path |
 * | `m` | all | mode, the low 12 bits |
 * | `mt` | all | mtime in ns since the epoch, a decimal string |
 * | `bt` | all | birth time likewise; absent if unknown |
 * | `u`, `g` | all | uid, gid |
 * | `x` | all | extended attributes, name to base64 of the value; absent if there are none |
 * | `s` | file | size in bytes |
 * | `c` | file | its chunks (chunk/chunk-list.ts) in base64; absent if the file is empty |
 * | `h` | file | hard-link group; absent if the file has one name |
 * | `sp` | file | 1 if the file was sparse; otherwise absent |
 * | `l` | symlink | target |
 *
 * The text is concatenated by hand, which takes a third of the time of JSON.stringify.
 *
 * @returns the line without its line feed
 */
export function encodeRecord(record: TreeRecord): string {
  let line = `{"t":"${LETTER[record.type]}","p":${JSON.stringify(record.path)},"m":${record.mode},"mt":"${record.mtimeNs}"`;
  if (record.birthtimeNs !== undefined) line += `,"bt":"${record.birthtimeNs}"`;
  line += `,"u":${record.uid},"g":${record.gid}`;
  if (record.type === 'file') {
    line += `,"s":${record.size}`;
    if (record.chunks.length > 0) line += `,"c":"${encodeChunkList(record.chunks)}"`;
    if (record.hardLinkGroup !== undefined) line += `,"h":${JSON.stringify(record.hardLinkGroup)}`;
    if (record.sparse) line += ',"sp":1';
  } else if (record.type === 'symlink') {
    line += `,"l":${JSON.stringify(record.target)}`;
  }
  if (record.xattrs !== undefined) line += `,"x":{${encodeAttributes(record.xattrs)}}`;
  return `${line}}`;
}

const LETTER = { file: 'f', directory: 'd', symlink: 'l' } as const;

/** Sorts names by code units, so that equal attributes make equal lines. */
function encodeAttributes(attributes: Readonly<Record<string, Uint8Array>>): string {
  const names = Object.keys(attributes).toSorted();
  return names.map((name) => `${JSON.stringify(name)}:"${base64Of(attributes[name]!)}"`).join(',');
}

function base64Of(bytes: Uint8Array): string {
  return bufferOf(bytes).toString('base64');
}

/** A parsed line. Every field is checked before use; unknown ones are ignored. */
type Fields = Readonly<Record<string, unknown>>;

/** The decoded lines of one piece. */
export interface DecodedRecords {
  readonly records: readonly TreeRecord[];
  /** Paths of lines that are not valid records; `undefined` if such a line has no valid path. */
  readonly refused: readonly (string | undefined)[];
}

/**
 * Decodes complete lines. A line whose fields are wrong is refused by itself.
 *
 * @param text lines with their line feeds
 * @throws HoldfastError `tree_invalid` with reason `record` if a line is not JSON, `order` if paths do not ascend
 */
export function decodeRecords(text: string): DecodedRecords {
  const records: TreeRecord[] = [];
  const refused: (string | undefined)[] = [];
  let last: string | undefined;
  for (const fields of parseLines(text)) {
    const path = pathOf(fields);
    if (path !== undefined && last !== undefined && comparePaths(last, path) >= 0) throw treeInvalid('order');
    last = path ?? last;
    const record = path === undefined ? undefined : recordOf(path, fields);
    if (record) records.push(record);
    else refused.push(path);
  }
  return { records, refused };
}

function parseLines(text: string): readonly Fields[] {
  if (!text.endsWith('\n')) throw treeInvalid('record');
  let lines: unknown;
  try {
    // JSON has no bare line feed, so the lines of a piece are one array: one parse for all of them.
    lines = JSON.parse(`[${text.slice(0, -1).replaceAll('\n', ',')}]`);
  } catch (cause) {
    throw treeInvalid('record', cause);
  }
  return (lines as unknown[]).map((line) => (typeof line === 'object' && line !== null ? (line as Fields) : {}));
}

function pathOf({ p: path }: Fields): string | undefined {
  return typeof path === 'string' && isEntryPath(path) && !isReservedPath(path) ? path : undefined;
}

function recordOf(path: string, fields: Fields): TreeRecord | undefined {
  try {
    return decodeRecord(path, fields);
  } catch (error) {
    if (isHoldfastError(error, 'tree_invalid')) return undefined;
    throw error;
  }
}

function decodeRecord(path: string, fields: Fields): TreeRecord {
  const common = {
    path,
    mode: countOf(fields['m'], 0o7777),
    mtimeNs: nanosecondsOf(fields['mt']),
    birthtimeNs: fields['bt'] === undefined ? undefined : nanosecondsOf(fields['bt']),
    uid: countOf(fields['u'], MAX_ID),
    gid: countOf(fields['g'], MAX_ID),
    xattrs: fields['x'] === undefined ? undefined : attributesOf(fields['x']),
  };
  switch (fields['t']) {
    case 'f': {
      const size = countOf(fields['s'], Number.MAX_SAFE_INTEGER);
      return {
        type: 'file',
        ...common,
        size,
        chunks: chunksOf(fields['c'], size),
        hardLinkGroup: fields['h'] === undefined ? undefined : textOf(fields['h']),
        sparse: fields['sp'] === 1,
      };
    }
    case 'd':
      return { type: 'directory', ...common };
    case 'l':
      return { type: 'symlink', ...common, target: textOf(fields['l']) };
    default:
      throw treeInvalid('record');
  }
}

/** The chunks of a file. Their sizes must add up to its size. */
function chunksOf(value: unknown, size: number): Buffer {
  const chunks = value === undefined ? NO_CHUNKS : decodeChunkList(textOf(value));
  if (!chunks || plaintextBytes(chunks) !== size) throw treeInvalid('record');
  return chunks;
}

const MAX_ID = 0xffff_ffff;
const NANOSECONDS = /^-?\d{1,20}$/;

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw treeInvalid('record');
  return value;
}

function countOf(value: unknown, most: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > most) throw treeInvalid('record');
  return value;
}

function nanosecondsOf(value: unknown): bigint {
  if (typeof value !== 'string' || !NANOSECONDS.test(value)) throw treeInvalid('record');
  return BigInt(value);
}

function attributesOf(value: unknown): Record<string, Uint8Array> {
  if (typeof value !== 'object' || value === null) throw treeInvalid('record');
  const attributes = Object.entries(value).map(([name, text]) => [name, Buffer.from(textOf(text), 'base64')] as const);
  // fromEntries defines own properties whatever their names are; an assignment to `__proto__` would not.
  return Object.fromEntries(attributes);
}
