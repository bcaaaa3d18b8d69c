/** Writes manual pages in the man macros of groff and mandoc. */

/** Returns text without its meaning for roff: backslashes, hyphens, and control characters at the beginning of a line. */
export function roffText(text: string): string {
  return text
    .replaceAll('\\', String.raw`\e`)
    .replaceAll('-', String.raw`\-`)
    .replaceAll("'", String.raw`\(aq`)
    .replaceAll('`', String.raw`\(ga`)
    .replaceAll('^', String.raw`\(ha`)
    .replaceAll('~', String.raw`\(ti`)
    .replaceAll('…', '...')
    .replaceAll('“', String.raw`\(lq`)
    .replaceAll('”', String.raw`\(rq`)
    .replaceAll('’', String.raw`\(cq`)
    .replaceAll('–', String.raw`\(en`)
    .replace(/^[.]/gm, String.raw`\&.`)
    .replace(
      /[^\n\u0020-\u007e]/gu,
      (letter) => String.raw`\[u${letter.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`,
    );
}

export function section(title: string): string {
  return `.SH ${title.toUpperCase()}`;
}

/** A term with its description. */
export function item(term: string, description: string): string {
  return `.TP\n\\fB${roffText(term)}\\fR\n${description === '' ? String.raw`\&` : roffText(description)}`;
}

/** Paragraphs. Lines that are indented a little are commands; those that are indented far continue the line above. */
export function paragraphs(text: string): readonly string[] {
  const blocks: { readonly isVerbatim: boolean; readonly lines: string[] }[] = [];
  let isNew = true;
  for (const line of text.split('\n')) {
    const isVerbatim = /^ {1,4}\S/.test(line);
    const last = blocks.at(-1);
    if (line.trim() === '') isNew = true;
    else if (last && !isNew && last.isVerbatim === isVerbatim) last.lines.push(line);
    else {
      blocks.push({ isVerbatim, lines: [line] });
      isNew = false;
    }
  }
  return blocks.flatMap(({ isVerbatim, lines }) => {
    const text = lines.map((line) => roffText(line.trim())).join('\n');
    return isVerbatim ? ['.PP', '.RS 4', '.nf', text, '.fi', '.RE'] : ['.PP', text];
  });
}
