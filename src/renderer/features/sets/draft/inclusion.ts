import ignore from 'ignore';
import type { Ignore } from 'ignore';
import { above, isBelow, relativeTo } from '../../../../model/local-path.ts';
import { isAnchored, isAnchoredBelow, literal, movedDown, patternOf } from './pattern.ts';

// Matches the rule of a backup, which depends on the system.
const IGNORES_CASE = /^(mac|win)/i.test(globalThis.navigator?.platform ?? '');

/** The part of a set that the tree of folders shows. */
export interface Choice {
  readonly roots: readonly string[];
  readonly excludes: readonly string[];
}

/** `partly`: something inside differs. `outside`: no chosen folder contains it. */
export type Inclusion = 'included' | 'partly' | 'excluded' | 'outside';

/** Returns whether a chosen preset leaves out an entry of this computer, by itself and not with its folder. */
export type LeftOutByPreset = (path: string) => boolean;

/**
 * Evaluates and changes a choice by the rules of a backup: patterns in gitignore syntax, relative to each root; the last match decides.
 * Where none matches, the presets do.
 */
export class InclusionRules {
  readonly #choice: Choice;
  readonly #isLeftOutByPreset: LeftOutByPreset;
  readonly #rules: Ignore;

  constructor(choice: Choice, isLeftOutByPreset: LeftOutByPreset) {
    this.#choice = choice;
    this.#isLeftOutByPreset = isLeftOutByPreset;
    this.#rules = rulesOf(choice.excludes);
  }

  of(path: string, isFolder: boolean): Inclusion {
    const relative = this.relative(path);
    if (relative === undefined) return this.#choice.roots.some((root) => isBelow(root, path)) ? 'partly' : 'outside';
    if (this.#leavesOut(path, isFolder)) return 'excluded';
    return isFolder && this.#differsInside(relative) ? 'partly' : 'included';
  }

  /**
   * Returns the path relative to the chosen folder that contains it, with `/`; empty for that folder itself,
   * `undefined` outside of all.
   */
  relative(path: string): string | undefined {
    const root = this.#choice.roots.find((one) => one === path || isBelow(path, one));
    return root === undefined ? undefined : relativeTo(path, root);
  }

  /**
   * Returns the choice after a press on the box of an entry: it excludes an entry that is fully included, and includes
   * any other.
   */
  toggled(path: string, isFolder: boolean): Choice {
    const relative = this.relative(path);
    if (relative === undefined) return this.#withRoot(path);
    switch (this.of(path, isFolder)) {
      case 'included':
        return relative === '' ? this.withoutRoot(path) : this.#without(path, relative, isFolder);
      case 'partly':
        return this.#with(this.#choice.excludes.filter((pattern) => !isAnchoredBelow(pattern, relative)));
      case 'excluded':
      case 'outside':
        return this.#takenBack(path, relative, isFolder);
    }
  }

  withoutRoot(path: string): Choice {
    return { ...this.#choice, roots: this.#choice.roots.filter((root) => root !== path) };
  }

  #with(excludes: readonly string[]): Choice {
    return { roots: this.#choice.roots, excludes: [...new Set(excludes)] };
  }

  /** A folder that is left out takes with it what is inside. */
  #leavesOut(path: string, isFolder: boolean, excludes?: readonly string[]): boolean {
    const relative = this.relative(path);
    if (relative === undefined || relative === '') return false;
    const rules = excludes ? rulesOf(excludes) : this.#rules;
    const names = relative.split('/');
    return names.some((_name, index) => {
      const isInnermost = index === names.length - 1;
      const entry = names.slice(0, index + 1).join('/');
      const { ignored, unignored } = rules.test(isInnermost && !isFolder ? entry : `${entry}/`);
      return ignored || (!unignored && this.#isLeftOutByPreset(above(path, names.length - 1 - index)));
    });
  }

  #differsInside(relative: string): boolean {
    return this.#choice.excludes.some((pattern) => isAnchoredBelow(pattern, relative));
  }

  /** The folder replaces chosen folders inside of it. Their exclusions stay. */
  #withRoot(path: string): Choice {
    const { roots, excludes } = this.#choice;
    const inside = roots.filter((root) => isBelow(root, path));
    const others = roots.filter((root) => !isBelow(root, path));
    const moved = inside.flatMap((root) =>
      excludes.filter(isAnchored).map((pattern) => movedDown(pattern, literal(relativeTo(root, path)))),
    );
    const isTheirs = inside.length > 0 && others.length === 0;
    const kept = isTheirs ? excludes.filter((pattern) => !isAnchored(pattern)) : excludes;
    return { roots: [...others, path], excludes: [...new Set([...kept, ...moved])] };
  }

  #without(path: string, relative: string, isFolder: boolean): Choice {
    const takenBack = patternOf(relative, isFolder, '!');
    const left = this.#choice.excludes.filter(
      (pattern) => pattern !== takenBack && !isAnchoredBelow(pattern, relative),
    );
    // Without the exception, another rule may exclude it already.
    return this.#with(this.#leavesOut(path, isFolder, left) ? left : [...left, patternOf(relative, isFolder)]);
  }

  /**
   * No entry inside of an excluded folder can be included by itself: on the way down each folder is included, and all of
   * its contents but the next one excluded.
   */
  #takenBack(path: string, inRoot: string, isFolder: boolean): Choice {
    const names = inRoot.split('/');
    let excludes = this.#choice.excludes;
    for (const index of names.keys()) {
      const isLast = index === names.length - 1;
      const relative = names.slice(0, index + 1).join('/');
      const entry = above(path, names.length - 1 - index);
      if (!this.#leavesOut(entry, isFolder || !isLast, excludes)) continue;
      const own = patternOf(relative, isFolder || !isLast);
      const without = excludes.filter((pattern) => pattern !== own);
      excludes = this.#leavesOut(entry, isFolder || !isLast, without)
        ? [...without, patternOf(relative, isFolder || !isLast, '!')]
        : without;
      if (!isLast) excludes = [...excludes, `/${literal(relative)}/*`];
    }
    return this.#with(excludes);
  }
}

function rulesOf(excludes: readonly string[]): Ignore {
  return ignore({ ignorecase: IGNORES_CASE }).add([...excludes]);
}
