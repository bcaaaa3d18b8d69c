import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';

/** `report.pdf` for `.report.pdf.icloud`. */
export function nameBehindIcloud(placeholder: string): string | undefined {
  const name = /^\.(.+)\.icloud$/s.exec(placeholder)?.[1];
  return name === '.' || name === '..' ? undefined : name;
}

/** Placeholders have 150 to 400 bytes. */
const MOST_PLACEHOLDER_BYTES = 4096;

/**
 * Returns whether a file is a placeholder of iCloud Drive: a small binary property list with the name and the size of the file that it
 * stands for, which is the name that it has itself, and nothing else. Another file with such a name is a person's own, and is backed up.
 */
export function isIcloudPlaceholder(path: string): boolean {
  let file: number | undefined;
  try {
    // Neither a link nor a pipe, which could be anywhere or block.
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = fstatSync(file);
    if (!stat.isFile() || stat.size > MOST_PLACEHOLDER_BYTES) return false;
    const content = Buffer.alloc(MOST_PLACEHOLDER_BYTES);
    return standsFor(content.subarray(0, readSync(file, content, 0, content.length, 0)), basename(path));
  } catch {
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** The keys of a placeholder, with the types of their values. */
const KEYS: Readonly<Record<string, 'string' | 'number'>> = {
  NSURLNameKey: 'string',
  NSURLFileResourceTypeKey: 'string',
  NSURLFileSizeKey: 'number',
};

function standsFor(content: Buffer, placeholder: string): boolean {
  const values = flatPropertyList(content);
  if (!values?.has('NSURLFileSizeKey')) return false;
  if (![...values].every(([key, value]) => typeof value === KEYS[key])) return false;
  const name = values.get('NSURLNameKey');
  return typeof name === 'string' && name.normalize() === nameBehindIcloud(placeholder)?.normalize();
}

const HEADER_BYTES = 8;
const TRAILER_BYTES = 32;
/** The first half of an object's first byte (Apple, CFBinaryPList.c). */
const INTEGER = 0x1;
const ASCII = 0x5;
const UTF16 = 0x6;
const DICTIONARY = 0xd;
const LARGE = 0xf;

/**
 * Reads a binary property list that is a dictionary of texts and integers.
 *
 * @throws RangeError if it refers to bytes behind its end
 */
function flatPropertyList(content: Buffer): ReadonlyMap<string, string | number> | undefined {
  if (content.length < HEADER_BYTES + TRAILER_BYTES) return undefined;
  if (content.toString('latin1', 0, HEADER_BYTES) !== 'bplist00') return undefined;
  const trailer = content.subarray(content.length - TRAILER_BYTES);
  const offsetBytes = trailer[6]!;
  const referenceBytes = trailer[7]!;
  const objects = Number(trailer.readBigUInt64BE(8));
  const table = Number(trailer.readBigUInt64BE(24));
  // The table of offsets ends where the trailer begins.
  if (table + objects * offsetBytes !== content.length - TRAILER_BYTES) return undefined;
  const objectAt = (reference: number): number => content.readUIntBE(table + reference * offsetBytes, offsetBytes);

  const top = sizedAt(content, objectAt(Number(trailer.readBigUInt64BE(16))));
  if (top?.kind !== DICTIONARY) return undefined;
  const values = new Map<string, string | number>();
  for (let index = 0; index < top.size; index += 1) {
    const referenceAt = (place: number): number =>
      content.readUIntBE(top.start + place * referenceBytes, referenceBytes);
    const key = valueAt(content, objectAt(referenceAt(index)));
    const value = valueAt(content, objectAt(referenceAt(top.size + index)));
    if (typeof key !== 'string' || value === undefined) return undefined;
    values.set(key, value);
  }
  return values;
}

/** An object's kind, its size (in bytes, characters or entries), and where its content begins. */
function sizedAt(
  content: Buffer,
  at: number,
): { readonly kind: number; readonly size: number; readonly start: number } {
  const [kind, size] = [content.readUInt8(at) >> 4, content.readUInt8(at) & 0xf];
  if (kind === INTEGER) return { kind, size: 2 ** size, start: at + 1 };
  if (size !== LARGE) return { kind, size, start: at + 1 };
  // The size is an integer of its own.
  const bytes = 2 ** (content.readUInt8(at + 1) & 0xf);
  return { kind, size: content.readUIntBE(at + 2, bytes), start: at + 2 + bytes };
}

function valueAt(content: Buffer, at: number): string | number | undefined {
  const { kind, size, start } = sizedAt(content, at);
  switch (kind) {
    case INTEGER:
      return size === 8 ? Number(content.readBigInt64BE(start)) : content.readUIntBE(start, size);
    case ASCII:
      return content.toString('latin1', start, start + size);
    case UTF16:
      return Buffer.from(content.subarray(start, start + 2 * size))
        .swap16()
        .toString('utf16le');
    default:
      return undefined;
  }
}
