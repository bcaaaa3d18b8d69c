/** Programs that show packages wrap nothing. */
const COLUMNS = 79;

/** Returns the lines of a description as Debian's policy wants them (5.6.13): indented, short, a dot between paragraphs. */
export function extendedDescription(paragraphs: readonly string[]): readonly string[] {
  return paragraphs.flatMap((paragraph, index) => [...(index === 0 ? [] : [' .']), ...wrapped(paragraph)]);
}

function wrapped(paragraph: string): readonly string[] {
  const lines: string[] = [];
  for (const word of paragraph.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`;
    if (lines.length === 0 || longer.length > COLUMNS) lines.push(` ${word}`);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}
