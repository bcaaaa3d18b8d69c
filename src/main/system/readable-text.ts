import { readFileSync } from 'node:fs';

/** No file that the program compares with its own is larger. */
const LARGEST = 2 ** 20;

/** Returns the text of a file, or `undefined` if there is none that can be read. */
export function readableText(file: string): string | undefined {
  try {
    const text = readFileSync(file, 'utf8');
    return text.length <= LARGEST ? text : undefined;
  } catch {
    return undefined;
  }
}
