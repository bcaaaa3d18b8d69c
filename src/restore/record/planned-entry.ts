import type { FileChunks } from '../../read/chunks/wanted-chunks.ts';

/**
 * Decision about an entry; one without a decision is created.
 *
 * - `create`: nothing exists at its target
 * - `replace`: what exists is removed
 * - `rename`: it gets a different name beside the existing one
 * - `skip`: what exists stays, and entries inside are skipped too
 * - `use`: the folder exists already
 * - `keep`: what exists in the entry's original place has its content; only its attributes are set
 * - `done`: an interrupted run of the same restore made it
 * - `blocked`: a folder exists where a file should go, and the request does not allow folders to be deleted
 * - `unproven`: what exists stays, since no tree proves the entry
 * - `taken`: another entry's target is there, under a different spelling
 * - `unnamable`: the file system of the target does not take its name
 */
export type Action =
  | 'create'
  | 'replace'
  | 'rename'
  | 'skip'
  | 'use'
  | 'keep'
  | 'done'
  | 'blocked'
  | 'unproven'
  | 'taken'
  | 'unnamable';

/** An entry of the plan as it is stored; numbers that need 64 bits are split. */
export interface PlannedEntry {
  /** Counts the entries in path order, from 1. */
  readonly id: number;
  readonly path: string;
  readonly type: 'file' | 'directory' | 'symlink';
  readonly mode: number;
  /** Whole seconds since the epoch; `null` if the time is not known. */
  readonly seconds: number | null;
  /** Nanoseconds beyond the whole seconds. */
  readonly nanoseconds: number;
  readonly uid: number | null;
  readonly gid: number | null;
  readonly size: number;
  readonly sparse: 0 | 1;
  readonly hardLinkGroup: string | null;
  /** The target of a symlink. */
  readonly target: string | null;
  /** JSON: pairs of name and base64. */
  readonly xattrs: string | null;
}

/** The content of a file. */
export interface PlannedContent {
  /** Milliseconds since the epoch, as in a manifest. */
  readonly modified: number;
  /** Index into the plan's restore sessions. */
  readonly session: number;
  /** Packed digests, 32 bytes each. */
  readonly chunks: Uint8Array;
  /** Bytes of each plaintext, 32-bit big-endian; only a tree has them. */
  readonly sizes?: Uint8Array;
}

/** A file as a manifest describes it, without its chunks. */
export interface PlannedFile {
  readonly id: number;
  readonly path: string;
  readonly size: number;
  readonly modified: number;
}

/** A planned entry with its content and decision. */
export interface PlannedWork extends PlannedEntry, FileChunks {
  readonly action: Action | null;
  /** The name that it gets beside an existing one. */
  readonly name: string | null;
  /** The entry whose file gets this one's name too; its own id for that file itself. */
  readonly leader: number | null;
}

/** A further name of a file that is written under its leader's name. */
export interface PlannedLink extends PlannedEntry {
  readonly leader: number;
  /** Path below the target folder; `null` if the leader was not written. */
  readonly leaderLocation: string | null;
  /** Path below the target folder. */
  readonly location: string;
  readonly action: Action | null;
}

/** A folder whose attributes are set at the end. */
export interface PlannedFolder extends PlannedEntry {
  /** Path below the target folder. */
  readonly location: string;
}

/** A manifest's file that waits to be planned without a tree. */
export interface StagedFile extends PlannedContent {
  readonly key: string;
  readonly path: string;
  readonly size: number;
}

/** Something that a restore to the original places is going to make. */
export interface PlannedChange extends Pick<
  PlannedEntry,
  'type' | 'size' | 'mode' | 'seconds' | 'nanoseconds' | 'target'
> {
  /** Path below the target folder. */
  readonly location: string;
  /** True if something is there, which it replaces. */
  readonly exists: boolean;
}

/** Attributes of a file, folder or link. */
export interface Metadata {
  readonly mode: number;
  /** `null` if the time is not known. */
  readonly seconds: number | null;
  readonly nanoseconds: number;
  /** `null` if ownership is not restored. */
  readonly owner: { readonly uid: number; readonly gid: number } | null;
  /** JSON: pairs of name and base64. */
  readonly xattrs: string | null;
}
