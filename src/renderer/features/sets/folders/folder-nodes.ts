import type { LocalEntry } from '../../../../ipc/contract/sets.ts';
import { call } from '../../../bridge/bridge.ts';
import { Observable } from '../../../shared/observable.ts';

/** A line of the tree. A folder that occurs twice in it has two keys. */
export type TreeLine =
  | {
      readonly kind: 'entry';
      readonly key: string;
      readonly level: number;
      readonly entry: LocalEntry;
      readonly isExpanded: boolean;
      readonly position: number;
      readonly siblings: number;
    }
  | { readonly kind: 'loading' | 'empty' | 'truncated' | 'failed'; readonly key: string; readonly level: number };

type Content =
  | { readonly kind: 'loading' | 'failed' }
  | { readonly kind: 'ready'; readonly entries: readonly LocalEntry[]; readonly isTruncated: boolean };

const TOP = '';

/** The folders of this computer that were opened so far. */
export class FolderNodes extends Observable {
  readonly #contents = new Map<string, Content>();
  readonly #expanded = new Set<string>();
  /** The presets that leave out an entry, by its path. */
  readonly #presets = new Map<string, readonly string[]>();

  /** Reads the top level, and opens the home folder in it. */
  async start(): Promise<void> {
    if (this.#contents.has(TOP)) return;
    await this.#read(TOP, undefined);
    const top = this.#contents.get(TOP);
    const entries = top?.kind === 'ready' ? top.entries : [];
    const home = entries.find(({ path, kind }) => kind === 'folder' && /[/\\][^/\\]+$/.test(path));
    if (home) this.expand(`${TOP}>${home.path}`, home);
  }

  expand(key: string, entry: LocalEntry): void {
    if (entry.kind !== 'folder' || !entry.isReadable) return;
    this.#expanded.add(key);
    this.changed();
    if (this.#contents.get(entry.path)?.kind !== 'ready') void this.#read(entry.path, entry.path);
  }

  collapse(key: string): void {
    this.#expanded.delete(key);
    this.changed();
  }

  lines(showsHidden: boolean): readonly TreeLine[] {
    const lines: TreeLine[] = [];
    this.#add(lines, TOP, TOP, 1, showsHidden);
    return lines;
  }

  /** Returns the presets that leave out an entry that was read so far. */
  presetsOf(path: string): readonly string[] {
    return this.#presets.get(path) ?? [];
  }

  #add(lines: TreeLine[], path: string, parent: string, level: number, showsHidden: boolean): void {
    const content = this.#contents.get(path);
    if (content?.kind !== 'ready') {
      lines.push({ kind: content?.kind ?? 'loading', key: `${parent}>?`, level });
      return;
    }
    const shown = showsHidden ? content.entries : content.entries.filter(({ isHidden }) => !isHidden);
    for (const [index, entry] of shown.entries()) {
      const key = `${parent}>${entry.path}`;
      const isExpanded = this.#expanded.has(key);
      lines.push({ kind: 'entry', key, level, entry, isExpanded, position: index + 1, siblings: shown.length });
      if (isExpanded) this.#add(lines, entry.path, key, level + 1, showsHidden);
    }
    if (content.isTruncated) lines.push({ kind: 'truncated', key: `${parent}>…`, level });
    else if (shown.length === 0) lines.push({ kind: 'empty', key: `${parent}>-`, level });
  }

  async #read(key: string, path: string | undefined): Promise<void> {
    this.#contents.set(key, { kind: 'loading' });
    this.changed();
    try {
      const { entries, isTruncated } = await call('sets.folder', path === undefined ? {} : { path });
      for (const entry of entries) if (entry.presets) this.#presets.set(entry.path, entry.presets);
      this.#contents.set(key, { kind: 'ready', entries, isTruncated });
    } catch {
      this.#contents.set(key, { kind: 'failed' });
    }
    this.changed();
  }
}
