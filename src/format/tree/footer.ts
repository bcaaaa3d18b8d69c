import { hash, timingSafeEqual } from 'node:crypto';
import { hmacSha256 } from '../../base/crypto/hmac.ts';
import { z } from 'zod';
import { isEntryPath } from '../../protocol/path.ts';
import { comparePaths } from '../../model/entry-path.ts';
import { chunkCount, decodeChunkList, encodeChunkList } from '../chunks/chunk-list.ts';
import { keysOfEpoch, LAST_EPOCH, type EpochKeys } from '../crypto/keys.ts';
import { unpackChunk } from './piece.ts';
import type { ListedPiece, TreeFooter, VerifiedFooter } from './record.ts';
import { treeInvalid } from './tree-invalid.ts';
import { KIB, MIB } from '../../model/units.ts';

/** Version of the encoded tree. A change of format increments it and adds a sample to test/fixtures. */
const TREE_VERSION = 1;

/** Maximum raw bytes of a footer. */
export const MAX_FOOTER_BYTES = 16 * MIB;

/** Maximum JSON bytes of the warnings in a footer. */
export const FOOTER_WARNING_BYTES = 512 * KIB;

/** Characters of a device's name that are kept. */
const LONGEST_NAME = 255;

const OPENING = '{"footer":';
const BEFORE_MAC = ',"mac":"';
const CLOSING = '"}';
const MAC_DIGITS = 64;
const TAIL_BYTES = BEFORE_MAC.length + MAC_DIGITS + CLOSING.length;

/** Prefix of the MAC's input, so that no other HMAC under this key can pass for it. */
const MAC_CONTEXT = 'holdfast/v1/tree-footer\n';

const digest = z.string().regex(/^[0-9a-f]{64}$/);
const footerForm = z.object({
  epoch: z.int().min(1).max(LAST_EPOCH),
  created: z.int().nonnegative(),
  roots: z.array(z.string()),
  mounts: z.array(z.tuple([z.string(), z.int().nonnegative()])).default([]),
  warnings: z.array(z.object({ path: z.string(), reason: z.string() })),
  warnings_total: z.int().nonnegative(),
  device: z.string(),
  device_name: z.string().optional(),
  set: z.string(),
  private_names: z.boolean(),
  sequence: z.int().nonnegative(),
  previous: digest.optional(),
  pieces: z.array(z.tuple([z.string(), z.int().positive(), z.string()])),
});
const versionForm = z.object({ version: z.int(), epoch: z.int().catch(0) });

/**
 * Encodes the last line of a tree: `{"footer":F,"mac":"<hex>"}`. The MAC is HMAC-SHA256 under the tree sub-key over
 * `holdfast/v1/tree-footer`, a line feed, and the exact bytes of F.
 *
 * @returns the line without its line feed
 */
export function encodeFooter(footer: TreeFooter, pieces: readonly ListedPiece[], [{ epoch, key }]: EpochKeys): Buffer {
  const body = JSON.stringify({
    version: TREE_VERSION,
    epoch,
    created: footer.created,
    roots: footer.roots,
    mounts: footer.mounts?.length ? footer.mounts.map(({ path, place }) => [path, place]) : undefined,
    warnings: warningsThatFit(footer.warnings),
    warnings_total: footer.warningsTotal ?? footer.warnings.length,
    device: footer.deviceId,
    device_name: footer.deviceName?.slice(0, LONGEST_NAME),
    set: footer.backupSet,
    private_names: footer.privateNames,
    sequence: footer.sequence,
    previous: footer.previousTree,
    pieces: pieces.map(({ chunks, records, firstPath }) => [encodeChunkList(chunks), records, firstPath]),
  });
  const mac = macOf(Buffer.from(body, 'utf8'), key);
  const line = Buffer.from(OPENING + body + BEFORE_MAC + mac + CLOSING, 'utf8');
  if (line.length >= MAX_FOOTER_BYTES) throw new RangeError(`a tree's footer has at most ${MAX_FOOTER_BYTES} bytes`);
  return line;
}

/**
 * Reads a footer and verifies its MAC, from the last chunk of `/.holdfast/tree` alone. It proves every piece of records.
 *
 * @param plaintext the last chunk's plaintext
 * @throws HoldfastError `tree_invalid` with reason `compression`, `footer`, `mac` or `version`
 */
export function readFooter(plaintext: Uint8Array, treeSubKeys: EpochKeys): VerifiedFooter {
  return decodeFooter(unpackChunk(plaintext, MAX_FOOTER_BYTES), treeSubKeys);
}

/** Does the same from the raw bytes. */
export function decodeFooter(raw: Buffer, treeSubKeys: EpochKeys): VerifiedFooter {
  const isOpened = raw.toString('latin1', 0, OPENING.length) === OPENING;
  if (!isOpened || raw.indexOf(0x0a) !== raw.length - 1) throw treeInvalid('footer');
  const line = raw.subarray(0, -1);
  const body = line.subarray(OPENING.length, -TAIL_BYTES);
  const tail = line.toString('latin1', Math.max(0, line.length - TAIL_BYTES));
  if (!tail.startsWith(BEFORE_MAC) || !tail.endsWith(CLOSING)) throw treeInvalid('footer');
  const value = parseJson(body);
  // Before the MAC, which a newer version may compute differently: the user then needs to know that it is newer.
  if (versionForm.safeParse(value).data?.version !== TREE_VERSION) throw treeInvalid('version');
  // Compared as digits: uppercase ones would decode to the same MAC and give the tree a second hash.
  const mac = Buffer.from(tail.slice(BEFORE_MAC.length, -CLOSING.length), 'latin1');
  const { epoch } = versionForm.parse(value);
  const isProven = keysOfEpoch(treeSubKeys, epoch).some(({ key }) => {
    const expected = Buffer.from(macOf(body, key), 'latin1');
    return mac.length === expected.length && timingSafeEqual(mac, expected);
  });
  if (!isProven) throw treeInvalid('mac');
  return { ...footerOf(value), treeHash: hash('sha256', line, 'hex') };
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (cause) {
    throw treeInvalid('footer', cause);
  }
}

function footerOf(value: unknown): Omit<VerifiedFooter, 'treeHash'> {
  const form = footerForm.safeParse(value);
  if (!form.success) throw treeInvalid('footer', form.error);
  return {
    epoch: form.data.epoch,
    created: form.data.created,
    roots: form.data.roots,
    mounts: form.data.mounts.map(([path, place]) => ({ path, place })),
    warnings: form.data.warnings,
    warningsTotal: form.data.warnings_total,
    deviceId: form.data.device,
    deviceName: form.data.device_name,
    backupSet: form.data.set,
    privateNames: form.data.private_names,
    sequence: form.data.sequence,
    previousTree: form.data.previous,
    pieces: piecesOf(form.data.pieces),
  };
}

function piecesOf(listed: readonly (readonly [list: string, records: number, firstPath: string])[]): ListedPiece[] {
  const pieces = listed.map(([list, records, firstPath]): ListedPiece => {
    const chunks = decodeChunkList(list);
    const count = chunks ? chunkCount(chunks) : 0;
    // Only a single line may be longer than a chunk.
    const isValid = isEntryPath(firstPath) && (count === 1 || (count > 1 && records === 1));
    if (!chunks || !isValid) throw treeInvalid('footer');
    return { chunks, records, firstPath };
  });
  const isOrdered = pieces.every(({ firstPath }, index) => {
    const previous = pieces[index - 1];
    return !previous || comparePaths(previous.firstPath, firstPath) < 0;
  });
  if (!isOrdered) throw treeInvalid('footer');
  return pieces;
}

/** 64 lowercase hex digits. */
function macOf(body: Uint8Array, treeSubKey: Uint8Array): string {
  return hmacSha256(treeSubKey, Buffer.concat([Buffer.from(MAC_CONTEXT), body])).toString('hex');
}

function warningsThatFit(warnings: TreeFooter['warnings']): TreeFooter['warnings'] {
  let room = FOOTER_WARNING_BYTES;
  const end = warnings.findIndex((warning) => {
    room -= Buffer.byteLength(JSON.stringify(warning)) + 1;
    return room < 0;
  });
  return end < 0 ? warnings : warnings.slice(0, end);
}
