import { create } from 'zustand';
import type { Conditions, Drill, Limits, OnlineFiles, Pings, SetForm, Verification } from '../../../../model/set.ts';
import type { Compression } from '../../../../model/compression.ts';
import type { RetentionForm } from '../../../../ipc/contract/sets.ts';
import { parseSchedule, printSchedule } from '../../../../model/schedule/grammar.ts';
import { patternIn, patternProblem } from './pattern.ts';
import type { Schedule } from '../../../../model/schedule/schedule.ts';
import { isEqual } from '../../../bridge/deep-equality.ts';

/** A set while it is edited; it may be incomplete. */
export interface Draft {
  /** Name of the edited set; `undefined` for a new one. */
  readonly origin: string | undefined;
  readonly name: string;
  readonly roots: readonly string[];
  readonly excludes: readonly string[];
  readonly presets: readonly string[];
  readonly oneFileSystem: boolean;
  /** Roots that may be missing. */
  readonly optionalRoots: readonly string[];
  readonly privateNames: boolean;
  readonly compression: Compression;
  readonly schedule: Schedule;
  readonly conditions: Conditions;
  readonly limits: Limits;
  readonly verification: Verification | undefined;
  readonly drill: Drill | undefined;
  readonly onlineFiles: OnlineFiles;
  readonly pings: Pings;
  /** `undefined` before it is loaded, and for a destination that keeps everything by itself. */
  readonly policy: RetentionForm | undefined;
  /** Policies of single destinations, by their ids, as far as they were loaded. `policy` is that for all. */
  readonly policies: Readonly<Record<string, RetentionForm>>;
}

/** Sections of the editor, in their order. */
export const SECTIONS = [
  'what',
  'leaveOut',
  'when',
  'conditions',
  'limits',
  'keep',
  'check',
  'hooks',
  'command',
] as const;
export type Section = (typeof SECTIONS)[number];

interface Held {
  readonly draft: Draft | undefined;
  /** The saved state, or the initial one of a new set. */
  readonly saved: Draft | undefined;
  readonly section: Section;
  /** A typed pattern that was not added yet. It counts, so that it is not lost. */
  readonly written: string;
  /** Saving was attempted. Only then are missing values shown. */
  readonly isTried: boolean;
  /** Counts the drafts that were opened. */
  readonly opened: number;
  /** Counts the changes by the person. */
  readonly changes: number;
}

/** Kept outside of the view, so that it survives a visit to another view. */
export const useDraft = create<Held>(() => ({
  draft: undefined,
  saved: undefined,
  section: 'what',
  written: '',
  isTried: false,
  opened: 0,
  changes: 0,
}));

export function openDraft(draft: Draft): void {
  useDraft.setState(({ opened }) => ({
    draft,
    saved: draft,
    section: 'what',
    written: '',
    isTried: false,
    opened: opened + 1,
  }));
}

/** Returns what tells whether this draft is still the one that is edited, for an answer that arrives later. */
export function whetherOpen(): () => boolean {
  const { opened } = useDraft.getState();
  return () => useDraft.getState().opened === opened;
}

export function closeDraft(): void {
  useDraft.setState({ draft: undefined, saved: undefined, written: '', isTried: false });
}

/**
 * Returns what ends the editing of a draft that is about to be saved. If the person has changed it since, it stays open with these changes, and what was saved
 * counts as saved.
 */
export function whenSaved(whole: Draft): (set: string) => void {
  const { changes } = useDraft.getState();
  return (set) => {
    const held = useDraft.getState();
    if (held.changes === changes) return closeDraft();
    useDraft.setState({ saved: { ...whole, origin: set, policy: whole.policy ?? held.saved?.policy } });
  };
}

export function writePattern(written: string): void {
  useDraft.setState(({ changes }) => ({ written, changes: changes + 1 }));
}

/** Adds the typed pattern, if it is valid. */
export function withWritten(draft: Draft, written: string): Draft {
  return patternProblem(written, draft.excludes)
    ? draft
    : { ...draft, excludes: [...draft.excludes, patternIn(written)] };
}

export function changeDraft(change: Partial<Draft>): void {
  useDraft.setState(({ draft, changes }) => (draft ? { draft: { ...draft, ...change }, changes: changes + 1 } : {}));
}

/** Adds values that the agent has sent later. They count as saved. */
export function fillDraft(change: Partial<Draft>): void {
  useDraft.setState(({ draft, saved }) =>
    draft && saved ? { draft: { ...draft, ...change }, saved: { ...saved, ...change } } : {},
  );
}

export function showSection(section: Section): void {
  useDraft.setState({ section });
}

export function isChanged({ draft, saved }: Pick<Held, 'draft' | 'saved'>): boolean {
  return !isEqual(draft, saved);
}

export function newDraft(presets: readonly string[]): Draft {
  return {
    origin: undefined,
    name: '',
    roots: [],
    excludes: [],
    presets,
    oneFileSystem: false,
    optionalRoots: [],
    privateNames: false,
    compression: 'default',
    schedule: { kind: 'every', minutes: 60 },
    conditions: {},
    limits: {},
    verification: { everyDays: 30, samplePercent: 5 },
    drill: { everyDays: 7 },
    onlineFiles: 'skip',
    pings: {},
    policy: undefined,
    policies: {},
  };
}

export function draftOf(form: SetForm): Draft {
  const { schedule = 'manual', verification, drill, compression = 'default', optionalRoots = [], ...others } = form;
  const { conditions = {}, limits = {}, onlineFiles = 'skip', pings = {}, ...rest } = others;
  return {
    ...rest,
    compression,
    optionalRoots,
    origin: form.name,
    schedule: parseSchedule(schedule) ?? { kind: 'cron', expression: schedule.replace(/^cron\s+/i, '') },
    conditions,
    limits,
    verification,
    drill,
    onlineFiles,
    pings,
    policy: undefined,
    policies: {},
  };
}

/** Converts the draft for the agent. */
export function formOf(draft: Draft): SetForm {
  const { name, roots, excludes, presets, oneFileSystem, privateNames, compression, optionalRoots } = draft;
  const { schedule, conditions, limits, verification, drill, onlineFiles } = draft;
  const pings = Object.fromEntries(Object.entries(draft.pings).filter(([, address]) => address?.trim()));
  return {
    name: name.trim(),
    roots: [...roots],
    excludes: [...excludes],
    presets: [...presets],
    oneFileSystem,
    ...(optionalRoots.length === 0 ? {} : { optionalRoots: [...optionalRoots] }),
    privateNames,
    ...(compression === 'default' ? {} : { compression }),
    ...(schedule.kind === 'manual' ? {} : { schedule: printSchedule(schedule) }),
    conditions,
    limits,
    ...(verification ? { verification } : {}),
    ...(drill ? { drill } : {}),
    ...(onlineFiles === 'skip' ? {} : { onlineFiles }),
    ...(Object.keys(pings).length === 0 ? {} : { pings }),
  };
}
