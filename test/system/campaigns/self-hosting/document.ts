/** A block of commands on a page. */
export interface CommandBlock {
  /** The heading that it is below. */
  readonly heading: string;
  readonly commands: string;
}

/** Returns the fenced blocks of a page that name no language: what a person pastes into a shell. */
export function commandBlocks(page: string): readonly CommandBlock[] {
  const blocks: CommandBlock[] = [];
  let heading = '';
  let block: { readonly language: string; readonly lines: string[] } | undefined;
  for (const line of page.split('\n')) {
    const [, language] = /^```(.*)$/.exec(line) ?? [];
    if (language !== undefined) {
      if (block?.language === '') blocks.push({ heading, commands: block.lines.join('\n') });
      block = block ? undefined : { language, lines: [] };
    } else if (block) block.lines.push(line);
    else if (/^#+ /.test(line)) heading = line.replace(/^#+ /, '');
  }
  return blocks;
}

/** Returns the only block that contains `text`. */
export function blockWith(blocks: readonly CommandBlock[], text: RegExp): string {
  const found = blocks.filter(({ commands }) => text.test(commands));
  if (found.length !== 1) throw new Error(`${found.length} blocks of the page contain ${text.source}`);
  return found[0]!.commands;
}

/** Puts something in the place of what a reader has to fill in. */
export function filledIn(
  commands: string,
  ...places: readonly (readonly [placeholder: string, value: string])[]
): string {
  return places.reduce((text, [placeholder, value]) => {
    if (!text.includes(placeholder)) throw new Error(`"${placeholder}" is not in: ${text}`);
    return text.replaceAll(placeholder, value);
  }, commands);
}

/** Splits a block into its commands, of which some go over several lines. */
export function commandsOf(block: string): readonly string[] {
  return block
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
}
