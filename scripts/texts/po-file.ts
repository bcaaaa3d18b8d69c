import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import PO from 'pofile';
import { filesOf, poPath, SOURCE } from './catalogues.ts';
import type { Product } from './catalogues.ts';

/** A text of a catalogue. */
export interface Entry {
  /** `home.state.protected`. */
  readonly key: string;
  /** The English message in ICU MessageFormat. */
  readonly source: string;
  /** Empty if there is none yet, and in the English catalogue. */
  readonly translation: string;
  /** For translators; the line in parentheses declares the arguments. */
  readonly comments: readonly string[];
  /** Whether the English message has changed since it was translated. */
  readonly isFuzzy: boolean;
}

/** Returns all entries of a language, in the order of the files. Missing files are empty. */
export function entriesOf(product: Product, language: string): readonly Entry[] {
  return filesOf(product).flatMap((file) => readEntries(poPath(product, language, file)));
}

export function readEntries(path: string): readonly Entry[] {
  if (!existsSync(path)) return [];
  const { items } = PO.parse(readFileSync(path, 'utf8'));
  return items
    .filter((item) => !item.obsolete)
    .map((item) => {
      // pofile has `null` where its types have `undefined`.
      if ((item.msgctxt ?? '') === '') throw new Error(`${path}: “${item.msgid}” has no msgctxt`);
      return {
        key: item.msgctxt!,
        source: item.msgid,
        translation: item.msgstr[0] ?? '',
        comments: item.extractedComments,
        isFuzzy: item.flags['fuzzy'] === true,
      };
    });
}

/**
 * Brings a translation up to date with the English file: adds new texts, removes old ones, and marks those as fuzzy whose
 * English text has changed. Comments of translators are kept. Returns whether the file has changed.
 */
export function updateFile(product: Product, language: string, file: string): boolean {
  const path = poPath(product, language, file);
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const known = PO.parse(before);
  const items = new Map(known.items.map((item) => [item.msgctxt, item]));
  const po = new PO();
  po.comments = known.comments;
  po.headers = {
    Language: language,
    'MIME-Version': '1.0',
    'Content-Type': 'text/plain; charset=UTF-8',
    'Content-Transfer-Encoding': '8bit',
  };
  po.items = readEntries(poPath(product, SOURCE, file)).map(({ key, source, comments }) => {
    const old = items.get(key);
    const item = new PO.Item();
    const isChanged = old !== undefined && old.msgid !== source && (old.msgstr[0] ?? '') !== '';
    item.msgctxt = key;
    item.msgid = source;
    item.msgstr = [language === SOURCE ? '' : (old?.msgstr[0] ?? '')];
    item.comments = old?.comments ?? [];
    item.extractedComments = [...comments];
    item.flags = { ...old?.flags, ...(isChanged && { fuzzy: true }) };
    return item;
  });
  const text = `${po.toString().trimEnd()}\n`;
  if (text === before) return false;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return true;
}
