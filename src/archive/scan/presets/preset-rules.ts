import { nameOf } from '../../../model/entry-path.ts';
import type { Rule } from '../rules.ts';
import { homesOf, type Homes } from './homes.ts';
import { addFolder, newFolder, foldersNamed, type PresetFolder } from './preset-folder.ts';
import { PRESETS, type NamedRule, type Preset, type PresetName } from './presets.ts';
import { CACHE_TAG, isTaggedCache } from './signs.ts';

/** What the presets of a set leave out in one folder. */
export interface PresetScope {
  /** How far the folder is on the way to what presets leave out. */
  readonly folders: readonly PresetFolder[];
  /** True in a folder that has a `CACHEDIR.TAG`. */
  readonly isCache: boolean;
  /** Where the folder really is: its source may be a link. Around a source, where that is. */
  readonly real: string;
}

/** The computer that presets are for. */
export interface PresetSystem {
  readonly platform: NodeJS.Platform;
  readonly homes: Homes;
}

/** What is known of a folder that is entered. */
export interface EnteredFolder {
  readonly isSource: boolean;
  /** Returns whether a person has chosen this very folder, which then has its files whatever tag is in it. */
  readonly isChosen: () => boolean;
  /** Returns whether the folder has an entry of this name. */
  readonly has: (name: string) => boolean;
}

/** A rule of a name, and how it is counted. */
interface KnownRule extends NamedRule {
  readonly rule: Rule;
}

const TAGGED = `*/ (${CACHE_TAG})`;

/**
 * Decides what presets leave out: folders in the places where programs keep them, names that only a program gives, and what has a sign of its program.
 * Nothing else of the same name is left out, since it may be a person's own.
 */
export class PresetRules {
  readonly #platform: NodeJS.Platform;
  #homes: Homes | undefined;
  readonly #inHome = newFolder();
  readonly #onComputer = newFolder();
  readonly #named = new Map<string, KnownRule[]>();
  readonly #extensions = new Map<string, KnownRule[]>();
  readonly #beginnings: (readonly [start: string, known: KnownRule])[] = [];
  readonly #tagged: Rule | undefined;
  readonly #key: (name: string) => string;

  constructor(presets: readonly PresetName[], { platform = process.platform, homes }: Partial<PresetSystem> = {}) {
    this.#platform = platform;
    this.#homes = homes;
    // Names are compared like those of the platform's file systems.
    this.#key = platform === 'darwin' || platform === 'win32' ? (name) => name.toLowerCase() : (name) => name;
    for (const name of presets) this.#add(name, PRESETS[name]);
    const tagged = presets.find((name) => (PRESETS[name] as Preset).tagged);
    this.#tagged = tagged && ruleOf(tagged, TAGGED);
  }

  /** Returns the scope around a source, which is entered like any other folder. @param real where the source is, whatever links lead there */
  above(real: string): PresetScope {
    let folders: readonly PresetFolder[] = [this.#onComputer];
    for (let end = real.indexOf('/', 1); end > 0; end = real.indexOf('/', end + 1)) {
      folders = this.#foldersIn(folders, real.slice(0, end));
    }
    return { folders, isCache: false, real };
  }

  /**
   * Returns the scope in a folder.
   *
   * @param folder entry path
   */
  enter(
    { folders, real: outer }: PresetScope,
    folder: string,
    { isSource, isChosen, has }: EnteredFolder,
  ): PresetScope {
    const isCache = has(CACHE_TAG) && this.leavesOutContents(folder) && !isChosen();
    const real = isSource ? outer : `${outer.endsWith('/') ? outer : `${outer}/`}${nameOf(folder)}`;
    return { folders: this.#foldersIn(folders, real), isCache, real };
  }

  /** Returns whether everything in a folder is left out, but for the tag that says so. */
  leavesOutContents(folder: string): boolean {
    return this.#tagged !== undefined && isTaggedCache(folder);
  }

  /** Returns the rule that leaves out an entry of a folder. */
  excludes({ folders, isCache }: PresetScope, path: string, isDirectory: boolean): Rule | undefined {
    const name = nameOf(path);
    if (isCache && name !== CACHE_TAG) return this.#tagged;
    const key = this.#key(name);
    const found = isDirectory ? foldersNamed(folders, key).find(({ rule }) => rule) : undefined;
    return found?.rule ?? this.#knownOf(key, isDirectory).find(({ sign }) => sign?.(path) ?? true)?.rule;
  }

  /** What lies in a folder that is left out is nothing: a person who chooses something in it means it. */
  #foldersIn(folders: readonly PresetFolder[], folder: string): readonly PresetFolder[] {
    const name = nameOf(folder);
    // The top of the computer, or of a drive, which has been named without its slash before.
    const inside = name === '' ? folders : foldersNamed(folders, this.#key(name)).filter(({ rule }) => !rule);
    if (this.#inHome.inside.size === 0) return inside;
    this.#homes ??= homesOf(this.#platform);
    return this.#homes.has(folder) ? [...inside, this.#inHome] : inside;
  }

  #knownOf(key: string, isDirectory: boolean): readonly KnownRule[] {
    const exact = this.#named.get(isDirectory ? `${key}/` : key);
    if (isDirectory) return exact ?? NONE;
    const extension =
      this.#extensions.size === 0 ? undefined : this.#extensions.get(key.slice(key.lastIndexOf('.') + 1));
    const begun = this.#beginnings.find(([start]) => key.startsWith(start));
    return exact ?? extension ?? (begun ? [begun[1]] : NONE);
  }

  #add(preset: PresetName, { home, system, named = [] }: Preset): void {
    const platform = this.#platform as 'linux';
    for (const path of home?.[platform] ?? []) addFolder(this.#inHome, path, ruleOf(preset, `~/${path}`), this.#key);
    for (const path of system?.[platform] ?? []) addFolder(this.#onComputer, path, ruleOf(preset, path), this.#key);
    for (const one of named) this.#addNamed({ ...one, rule: ruleOf(preset, textOf(one)) });
  }

  #addNamed(known: KnownRule): void {
    const pattern = this.#key(known.pattern);
    if (pattern.startsWith('*.')) append(this.#extensions, pattern.slice(2), known);
    else if (pattern.endsWith('*')) this.#beginnings.push([pattern.slice(0, -1), known]);
    else append(this.#named, pattern, known);
  }
}

const NONE: readonly KnownRule[] = [];

/** Returns what a preset leaves out on a system, as people read it. */
export function presetPatterns(name: PresetName, platform: NodeJS.Platform = process.platform): string[] {
  const { home, system, named = [], tagged = false }: Preset = PRESETS[name];
  return [
    ...(tagged ? [TAGGED] : []),
    ...(home?.[platform as 'linux'] ?? []).map((path) => `~/${path}`),
    ...(system?.[platform as 'linux'] ?? []),
    ...named.map(textOf),
  ];
}

function textOf({ pattern, signText }: NamedRule): string {
  return signText === undefined ? pattern : `${pattern} (${signText})`;
}

function ruleOf(preset: PresetName, pattern: string): Rule {
  return { pattern, source: `preset:${preset}` };
}

function append<Key, Item>(map: Map<Key, Item[]>, key: Key, item: Item): void {
  const known = map.get(key);
  if (known) known.push(item);
  else map.set(key, [item]);
}
