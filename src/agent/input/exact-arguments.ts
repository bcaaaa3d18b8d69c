import { readFileSync } from 'node:fs';
import { entryPathOfBytes } from '../../os/filesystem/names/entry-path.ts';

const REPLACEMENT = '\uFFFD';

/**
 * Returns the arguments, of which those that are no UTF-8 are written as `ls` shows such a path. Node decodes them with replacement characters, which
 * may name another file.
 *
 * @param words as Node has decoded them
 * @param readCommandLine returns the arguments of this process as bytes, each ended by a zero; `undefined` where the system has only text
 */
export function exactArguments(words: readonly string[], readCommandLine = commandLineOfThis): readonly string[] {
  const line = readCommandLine();
  if (!line) return words;
  const given = line.toString('latin1').split('\0').slice(0, -1).slice(-words.length);
  return given.length === words.length
    ? words.map((word, index) => exactArgument(word, Buffer.from(given[index]!, 'latin1')))
    : words;
}

function exactArgument(word: string, bytes: Buffer): string {
  if (!word.includes(REPLACEMENT) || Buffer.from(word).equals(bytes)) return word;
  // `--path=…`: the name of an option is text.
  const start = /^--[a-z-]+=/.exec(word)?.[0].length ?? 0;
  return word.slice(0, start) + entryPathOfBytes(bytes.subarray(start));
}

/** Windows has text only, and so have the file systems of macOS. */
function commandLineOfThis(): Buffer | undefined {
  return process.platform === 'linux' ? readFileSync('/proc/self/cmdline') : undefined;
}
