import type { Entry } from './po-file.ts';

/** Texts by the parts of their keys: `home.state.protected`. A part that contains dots is in brackets. */
export type Tree = Map<string, Tree | Entry>;

/** Splits a key into its parts: `audit.kinds[member.joined]` into three. */
export function partsOf(key: string): readonly string[] {
  return [...key.matchAll(/\[([^\]]+)\]|[^.[\]]+/g)].map(([whole, bracketed]) => bracketed ?? whole);
}

/** Returns the key of the parts: the inverse of `partsOf`. */
export function keyOf(parts: readonly string[]): string {
  return parts.map((part) => (part.includes('.') ? `[${part}]` : part)).join('.');
}

/** Returns the name of the module of a group at the top, without its extension: `destination-choice`. */
export function fileNameOf(group: string): string {
  return group.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Builds the tree of entries; throws a sentence if a key is a text and a group at once. */
export function treeOf(entries: readonly Entry[]): Tree {
  const tree: Tree = new Map();
  for (const entry of entries) {
    const parts = partsOf(entry.key);
    let at = tree;
    for (const part of parts.slice(0, -1)) {
      const inner = at.get(part) ?? new Map<string, Tree | Entry>();
      if (!(inner instanceof Map)) throw new Error(`${entry.key} is inside of the text ${inner.key}`);
      at.set(part, inner);
      at = inner;
    }
    const last = parts.at(-1)!;
    if (at.has(last)) throw new Error(`${entry.key} exists twice, or as a group, too`);
    at.set(last, entry);
  }
  return tree;
}
