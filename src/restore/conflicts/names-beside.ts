import { readdirSync } from 'node:fs';
import type { Folder } from '../../os/filesystem/folder.ts';
import { segmentOfBytes } from '../../os/filesystem/names/entry-path.ts';
import type { Action, PlannedEntry } from '../record/planned-entry.ts';
import type { TargetLocation } from '../plan/target-layout.ts';
import { localTime, timeOfNameBeside } from '../plan/target-names.ts';
import type { ContentComparison } from './content-comparison.ts';
import { hasSameLink, statIfPossible, typeOf } from './existing-comparison.ts';
import type { NameProblemList } from './name-problems.ts';
import type { ResumeJournal } from '../record/resume-journal.ts';

/** A decision about an entry that gets another name. */
export interface Renamed {
  readonly action: Action;
  readonly name: string;
}

interface Input {
  readonly journal: ResumeJournal;
  readonly content: ContentComparison;
}

/** Finds what earlier restores put beside the names that entries would have had. */
export class NamesBeside {
  readonly #input: Input;
  readonly #names: NameProblemList;
  #restored: { readonly key: string; readonly names: readonly string[] } | undefined;

  constructor(input: Input, names: NameProblemList) {
    this.#input = input;
    this.#names = names;
  }

  /** Returns the name that an earlier restore gave an entry, if the file of that name still is that entry. Later restores are searched first. */
  async find(
    entry: PlannedEntry,
    folder: Folder,
    { folder: names, name }: TargetLocation,
  ): Promise<Renamed | undefined> {
    const { journal, content } = this.#input;
    // What the interrupted run of this restore made is continued.
    const own = journal.resumed ? localTime(journal.startedAt) : undefined;
    const known = this.#restoredIn(names, folder).flatMap((beside) => {
      const time = timeOfNameBeside(beside, name);
      return time === undefined || localTime(time) === own ? [] : [{ beside, time }];
    });
    for (const { beside } of known.toSorted((a, b) => b.time - a.time)) {
      const path = folder.pathOf(beside);
      const stat = statIfPossible(path);
      if (!stat || typeOf(stat) !== entry.type) continue;
      if (entry.type === 'symlink' && !hasSameLink(entry, path)) continue;
      if (entry.type === 'file' && (Number(stat.size) !== entry.size || !(await content.isSame(entry, path)))) continue;
      if (this.#names.claim(names, beside, entry.type) !== undefined) continue;
      return { action: entry.type === 'directory' ? 'use' : 'keep', name: beside };
    }
    return undefined;
  }

  /** Names in a folder that earlier restores may have given. Many entries of one folder may ask. */
  #restoredIn(names: readonly string[], folder: Folder): readonly string[] {
    const key = names.join('/');
    if (this.#restored?.key !== key) {
      const all = readdirSync(folder.self, { encoding: 'buffer' });
      this.#restored = { key, names: all.filter((one) => one.includes(' (restored ')).map(segmentOfBytes) };
    }
    return this.#restored.names;
  }
}
