import { isWithin, parentOf } from '../../../../model/entry-path.ts';
import type { MetEntry } from '../../../../ipc/contract/restore/restore.ts';
import type { ConflictChoice } from '../../../../model/restore-request.ts';

/** Choices by entry path. The deepest path decides, then the choice for all. */
export type PathChoices = ReadonlyMap<string, ConflictChoice>;

export const NO_CHOICES: PathChoices = new Map();

/** Returns what happens to an entry. */
export function choiceOf(choices: PathChoices, path: string, forAll: ConflictChoice): ConflictChoice {
  if (choices.size === 0) return forAll;
  for (let above = path; above !== ''; above = parentOf(above)) {
    const choice = choices.get(above);
    if (choice !== undefined) return choice;
  }
  return forAll;
}

/** Chooses for a file, or for a folder with everything in it. One that is the same as above of it is no choice of its own. */
export function withChoice(
  choices: PathChoices,
  path: string,
  choice: ConflictChoice,
  forAll: ConflictChoice,
): PathChoices {
  const changed = new Map([...choices].filter(([other]) => !isWithin(other, path)));
  if (choiceOf(changed, path, forAll) !== choice) changed.set(path, choice);
  return changed;
}

/** Chooses for several files. */
export function withChoices(
  choices: PathChoices,
  paths: readonly string[],
  choice: ConflictChoice,
  forAll: ConflictChoice,
): PathChoices {
  const changed = new Map(choices);
  for (const path of paths) {
    changed.delete(path);
    if (choiceOf(changed, path, forAll) !== choice) changed.set(path, choice);
  }
  return changed;
}

export type ShownKind = 'all' | MetEntry['kind'];

export const KINDS: readonly MetEntry['kind'][] = ['changed', 'newer', 'same-time', 'other-type'];

export type ChoiceRow =
  | { readonly kind: 'folder'; readonly path: string; readonly files: number }
  | { readonly kind: 'entry'; readonly entry: MetEntry };

/** Returns the shown entries, each group below a row for its folder. */
export function rowsOf(met: readonly MetEntry[], shown: ShownKind): readonly ChoiceRow[] {
  const groups = new Map<string, MetEntry[]>();
  for (const entry of met) {
    if (shown !== 'all' && entry.kind !== shown) continue;
    const folder = parentOf(entry.path);
    const group = groups.get(folder);
    if (group) group.push(entry);
    else groups.set(folder, [entry]);
  }
  const rows: ChoiceRow[] = [];
  for (const [path, entries] of groups) {
    rows.push({ kind: 'folder', path, files: entries.length });
    for (const entry of entries) rows.push({ kind: 'entry', entry });
  }
  return rows;
}
