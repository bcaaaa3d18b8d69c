const WORDS_PER_LINE = 6;

/** Formats the phrase for writing it down: numbered, in lines. */
export function phraseLines(phrase: string): string[] {
  const words = phrase.split(' ').map((word, index) => `${String(index + 1).padStart(2)}. ${word.padEnd(9)}`);
  const lines: string[] = [];
  for (let start = 0; start < words.length; start += WORDS_PER_LINE) {
    lines.push(`  ${words.slice(start, start + WORDS_PER_LINE).join(' ')}`.trimEnd());
  }
  return lines;
}
