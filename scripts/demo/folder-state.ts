import { createHash } from 'node:crypto';
import { closeSync, lstatSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';

/** The contents of a folder at one moment: an entry for each path, as bytes in Latin-1. */
export type FolderState = ReadonlyMap<string, EntryState>;

export interface EntryState {
  readonly type: 'file' | 'directory' | 'symlink';
  /** The low 12 bits of st_mode. */
  readonly mode: number;
  readonly mtimeNs: bigint;
  /** Bytes; 0 unless it is a file. */
  readonly size: number;
  /** SHA-256 of a file in hex, or the target of a link. */
  readonly content: string;
}

const PIECE = 4 * 1024 * 1024;
const PERMISSIONS = 0o7777n;

/** Reads all of `root` without Holdfast's engine. Omits FIFOs, sockets and devices. */
export function readFolderState(root: string): FolderState {
  const state = new Map<string, EntryState>();
  const piece = Buffer.allocUnsafe(PIECE);
  const visit = (path: Buffer, name: string): void => {
    const status = lstatSync(path, { bigint: true });
    const common = { mode: Number(status.mode & PERMISSIONS), mtimeNs: status.mtimeNs, size: 0 };
    if (status.isFile()) {
      state.set(name, { ...common, type: 'file', size: Number(status.size), content: digest(path, piece) });
    } else if (status.isSymbolicLink()) {
      state.set(name, { ...common, type: 'symlink', content: readlinkSync(path, 'latin1') });
    } else if (status.isDirectory()) {
      state.set(name, { ...common, type: 'directory', content: '' });
      for (const child of readdirSync(path, { encoding: 'buffer' })) {
        visit(Buffer.concat([path, SLASH, child]), `${name}/${child.toString('latin1')}`);
      }
    }
  };
  visit(Buffer.from(root), '.');
  return state;
}

/** Describes every difference; returns an empty list for equal folders. */
export function differencesBetween(expected: FolderState, actual: FolderState): readonly string[] {
  const missing = [...expected.keys()]
    .filter((path) => !actual.has(path))
    .map((path) => `${readable(path)} is missing`);
  const added = [...actual.keys()].filter((path) => !expected.has(path)).map((path) => `${readable(path)} is too many`);
  const changed: string[] = [];
  for (const [path, entry] of expected) {
    const other = actual.get(path);
    if (!other) continue;
    const names = ENTRY_FACTS.filter((fact) => entry[fact] !== other[fact]);
    for (const fact of names)
      changed.push(`${readable(path)}: ${fact} ${String(other[fact])}, not ${String(entry[fact])}`);
  }
  return [...missing, ...added, ...changed];
}

export function filesOf(state: FolderState): readonly (readonly [path: string, entry: EntryState])[] {
  return [...state].filter(([, { type }]) => type === 'file');
}

export function bytesOf(state: FolderState): number {
  return filesOf(state).reduce((sum, [, { size }]) => sum + size, 0);
}

const ENTRY_FACTS = ['type', 'mode', 'mtimeNs', 'size', 'content'] as const;
const SLASH = Buffer.from('/');

function readable(path: string): string {
  return JSON.stringify(Buffer.from(path, 'latin1').toString('utf8'));
}

function digest(path: Buffer, piece: Buffer): string {
  const hash = createHash('sha256');
  const file = openSync(path, 'r');
  try {
    for (let read = readSync(file, piece); read > 0; read = readSync(file, piece)) hash.update(piece.subarray(0, read));
  } finally {
    closeSync(file);
  }
  return hash.digest('hex');
}
