import { create } from 'zustand';
import type { Conditions, Limits, RetentionForm, SetForm, Verification } from '../../../../ipc/contract/sets.ts';
import { parseSchedule, printSchedule } from './schedule-choice.ts';
import { patternProblem } from './pattern.ts';
import type { ScheduleChoice } from './schedule-choice.ts';
import { isEqual } from '../../../shared/shared-parts.ts';

/** A set while a person edits it: it may be unfinished. */
export interface Draft {
  /** The set that is edited; nothing for a new one. */
  readonly origin: string | undefined;
  readonly name: string;
  readonly roots: readonly string[];
  readonly excludes: readonly string[];
  readonly presets: readonly string[];
  readonly oneFileSystem: boolean;
  readonly privateNames: boolean;
  readonly schedule: ScheduleChoice;
  readonly conditions: Conditions;
  readonly limits: Limits;
  readonly verification: Verification | undefined;
  /** Nothing before it is known, or where the destination keeps everything by itself. */
  readonly policy: RetentionForm | undefined;
}

/** Parts of the editor, in their order. */
export const SECTIONS = ['what', 'leaveOut', 'when', 'conditions', 'limits', 'keep', 'check', 'command'] as const;
export type Section = (typeof SECTIONS)[number];

interface Held {
  readonly draft: Draft | undefined;
  /** What is saved, or what a new set begins with. */
  readonly saved: Draft | undefined;
  readonly section: Section;
  /** A pattern that is written and not added yet: it counts, so that it is not lost. */
  readonly written: string;
  /** Whether saving was tried: only then is it said what is missing. */
  readonly isTried: boolean;
}

/** Outside of the view: who looks at something else and comes back finds all that was entered. */
export const useDraft = create<Held>(() => ({
  draft: undefined,
  saved: undefined,
  section: 'what',
  written: '',
  isTried: false,
}));

export function openDraft(draft: Draft): void {
  useDraft.setState({ draft, saved: draft, section: 'what', written: '', isTried: false });
}

export function closeDraft(): void {
  useDraft.setState({ draft: undefined, saved: undefined, written: '', isTried: false });
}

export function writePattern(written: string): void {
  useDraft.setState({ written });
}

/** With the pattern that is written and not added yet, where it is one. */
export function withWritten(draft: Draft, written: string): Draft {
  return patternProblem(written, draft.excludes) ? draft : { ...draft, excludes: [...draft.excludes, written.trim()] };
}

export function changeDraft(change: Partial<Draft>): void {
  useDraft.setState(({ draft }) => (draft ? { draft: { ...draft, ...change } } : {}));
}

/** What came from the agent later on: it is saved already. */
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
    privateNames: false,
    schedule: { kind: 'every', minutes: 60 },
    conditions: {},
    limits: {},
    verification: { everyDays: 30, samplePercent: 5 },
    policy: undefined,
  };
}

export function draftOf(form: SetForm): Draft {
  const { schedule, verification, ...rest } = form;
  return { ...rest, origin: form.name, schedule: parseSchedule(schedule), verification, policy: undefined };
}

/** As the agent takes it. */
export function formOf(draft: Draft): SetForm {
  const { name, roots, excludes, presets, oneFileSystem, privateNames, schedule, conditions, limits, verification } =
    draft;
  return {
    name: name.trim(),
    roots: [...roots],
    excludes: [...excludes],
    presets: [...presets],
    oneFileSystem,
    privateNames,
    schedule: printSchedule(schedule),
    conditions,
    limits,
    ...(verification ? { verification } : {}),
  };
}
