import { entropyToMnemonic, mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { randomInt } from 'node:crypto';
import { HoldfastError } from '../../base/errors/errors.ts';
import { MASTER_KEY_BYTES, type MasterKey } from './keys.ts';

const PHRASE_WORDS = 24;

/** The master key as BIP39's 24 English words, which encode the key itself (BIP39's entropy, not its seed). */
export function phraseOf(master: MasterKey): string {
  if (master.length !== MASTER_KEY_BYTES) throw new RangeError(`a master key has ${MASTER_KEY_BYTES} bytes`);
  return entropyToMnemonic(master, wordlist);
}

/**
 * The master key that a recovery phrase encodes. Reads what people type and what a printed kit gives when it is copied:
 * any case, any white space, commas, and numbers before the words (`1. word`).
 *
 * @throws HoldfastError `phrase_invalid` with details `{problem: 'words', count}`, `{problem: 'unknown-word', word,
 *   position, suggestion}` (position from 1; suggestion only where one word is near) or `{problem: 'checksum'}`
 */
export function masterKeyOf(text: string): MasterKey {
  const words = wordsOf(text);
  if (words.length !== PHRASE_WORDS) {
    throw new HoldfastError('phrase_invalid', { problem: 'words', count: words.length, expected: PHRASE_WORDS });
  }
  const unknown = words.findIndex((word) => !wordlist.includes(word));
  if (unknown >= 0) {
    const word = words[unknown]!;
    const suggestion = nearestWord(word);
    throw new HoldfastError('phrase_invalid', { problem: 'unknown-word', word, position: unknown + 1, suggestion });
  }
  try {
    return mnemonicToEntropy(words.join(' '), wordlist);
  } catch {
    // The cause's message may quote the phrase, so it is not kept.
    throw new HoldfastError('phrase_invalid', { problem: 'checksum' });
  }
}

/** Words of a one-time code: 66 bits. */
const CODE_WORDS = 6;

/** Makes a one-time code for a new computer. */
export function newKeyCode(): string {
  return Array.from({ length: CODE_WORDS }, () => wordlist[randomInt(wordlist.length)]!).join(' ');
}

/** Returns a one-time code as it was made, from what a person typed. */
export function normalisedCode(text: string): string {
  return wordsOf(text).join(' ');
}

/** A number with its punctuation, at the start of a token or alone: `1`, `1.`, `01)`, `3:word`. */
const NUMBERING = /^[#(]?\d+[.):\-–]*/u;

function wordsOf(text: string): string[] {
  const tokens = text
    .normalize('NFKD')
    .toLowerCase()
    .split(/[\s,;]+/u);
  return tokens.map((token) => token.replace(NUMBERING, '')).filter((token) => token !== '');
}

/** Returns the only word of the list that is nearest, at most two edits away. */
function nearestWord(word: string): string | undefined {
  let best: string | undefined;
  let bestDistance = 3;
  for (const candidate of wordlist) {
    const distance = editDistance(word, candidate);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
    else if (distance === bestDistance) best = undefined;
  }
  return best;
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (same ? 0 : 1));
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) cost = Math.min(cost, beforeLast[column - 2]! + 1);
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length]!;
}
