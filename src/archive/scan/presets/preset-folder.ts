import type { Rule } from '../rules.ts';

/** A folder on the way to what a preset leaves out, or that folder itself. */
export interface PresetFolder {
  readonly inside: Map<string, PresetFolder>;
  /** What follows `*`. */
  any?: PresetFolder;
  /** The rule that leaves it out. */
  rule?: Rule;
}

export function newFolder(): PresetFolder {
  return { inside: new Map() };
}

/**
 * Adds a folder below another.
 *
 * @param path names that are separated by slashes; `*` stands for any one name
 */
export function addFolder(top: PresetFolder, path: string, rule: Rule, key: (name: string) => string): void {
  let folder = top;
  for (const name of path.split('/').filter(Boolean))
    folder = name === '*' ? (folder.any ??= newFolder()) : next(folder, key(name));
  folder.rule = rule;
}

function next({ inside }: PresetFolder, name: string): PresetFolder {
  const known = inside.get(name);
  if (known) return known;
  const added = newFolder();
  inside.set(name, added);
  return added;
}

/** Returns where a name in one of the folders leads. */
export function foldersNamed(folders: readonly PresetFolder[], name: string): readonly PresetFolder[] {
  return folders.flatMap(({ inside, any }) => [inside.get(name), any].filter((found) => found !== undefined));
}
