import { createHash } from 'node:crypto';

export const DESCRIPTION_FILE = 'holdfast.json';
/** The same bytes: without the repository's id nothing opens. */
export const DESCRIPTION_COPY = 'holdfast-copy.json';
export const KEYS_FOLDER = 'keys/';
export const PACKS_FOLDER = 'packs/';
/** Parity of packs, by the hashes of the packs. */
export const PARITY_FOLDER = 'parity/';
export const LEDGER_FOLDER = 'ledger/';
export const CHECKPOINTS_FOLDER = 'checkpoints/';
/** Files that a repair moved aside, under their names. */
export const DAMAGED_FOLDER = 'damaged/';
/** For a file that holds nothing but space, which a store that is full gives up first. */
export const RESERVE_FOLDER = 'reserve/';
export const RESERVE_FILE = `${RESERVE_FOLDER}space`;

/** Digits of a segment's number, so that the order of the names is that of the numbers. */
const NUMBER_DIGITS = 12;
/** The largest number of a segment. */
export const LAST_NUMBER = 10 ** NUMBER_DIGITS - 1;

const PACK_NAME = /^packs\/([0-9a-f]{2})\/([0-9a-f]{64})$/;
const PARITY_NAME = /^parity\/([0-9a-f]{2})\/([0-9a-f]{64})-([0-9a-f]{64})$/;
const LEDGER_NAME = /^(ledger|checkpoints)\/([0-9a-f]{32})\/(\d{12})-([0-9a-f]{64})$/;
const KEY_NAME = /^keys\/([0-9a-f]{64})$/;

/** Where a segment or a checkpoint belongs. */
export interface LedgerPlace {
  /** 32 hex digits. */
  readonly writer: string;
  /** From 1. */
  readonly number: number;
}

export interface LedgerFile extends LedgerPlace {
  readonly name: string;
  readonly folder: 'ledger' | 'checkpoints';
  /** Hex SHA-256 of the file's bytes. */
  readonly hash: string;
}

/** Lowercase hex SHA-256 of parts, concatenated: the name of a file. */
export function hashOf(...parts: readonly Uint8Array[]): string {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(part);
  return digest.digest('hex');
}

export function packName(hash: string): string {
  return `${PACKS_FOLDER}${hash.slice(0, 2)}/${hash}`;
}

/** Returns the hash in a pack's name; `undefined` for another name. */
export function packHashIn(name: string): string | undefined {
  const [, shard, hash] = PACK_NAME.exec(name) ?? [];
  return shard !== undefined && hash?.startsWith(shard) === true ? hash : undefined;
}

/** The name of a pack's parity. */
export function parityName(pack: string, hash: string): string {
  return `${PARITY_FOLDER}${pack.slice(0, 2)}/${pack}-${hash}`;
}

/** How parity is named that is not there: what its own hash would be is not known. */
export function missingParityName(pack: string): string {
  return `${PARITY_FOLDER}${pack.slice(0, 2)}/${pack}`;
}

/** Returns the hash of the pack and that of the file; `undefined` for another name. */
export function parseParityName(name: string): { readonly pack: string; readonly hash: string } | undefined {
  const [, shard, pack, hash] = PARITY_NAME.exec(name) ?? [];
  if (shard === undefined || pack === undefined || hash === undefined || !pack.startsWith(shard)) return undefined;
  return { pack, hash };
}

export function keyName(hash: string): string {
  return `${KEYS_FOLDER}${hash}`;
}

/** Returns the hash in a key envelope's name; `undefined` for another name. */
export function keyHashIn(name: string): string | undefined {
  return KEY_NAME.exec(name)?.[1];
}

/** The name of a segment or checkpoint without its hash. */
export function ledgerPlaceName(folder: 'ledger' | 'checkpoints', { writer, number }: LedgerPlace): string {
  return `${folder}/${writer}/${String(number).padStart(NUMBER_DIGITS, '0')}`;
}

export function ledgerFileName(folder: 'ledger' | 'checkpoints', place: LedgerPlace, hash: string): string {
  return `${ledgerPlaceName(folder, place)}-${hash}`;
}

/** Parses the name of a segment or checkpoint; `undefined` for another name. */
export function parseLedgerName(name: string): LedgerFile | undefined {
  const [, folder, writer, digits, hash] = LEDGER_NAME.exec(name) ?? [];
  if (folder === undefined || writer === undefined || digits === undefined || hash === undefined) return undefined;
  const number = Number(digits);
  if (number === 0) return undefined;
  return { name, folder: folder as LedgerFile['folder'], writer, number, hash };
}
