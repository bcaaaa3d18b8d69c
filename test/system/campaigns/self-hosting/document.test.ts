import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../../../src/cli/commands/index.ts';
import { blockWith, commandBlocks, commandsOf, filledIn } from './document.ts';

const ROOT = dirname(dirname(dirname(dirname(import.meta.dirname))));
const BLOCKS = commandBlocks(readFileSync(join(ROOT, 'docs/self-hosting.md'), 'utf8'));

describe('the blocks of a page', () => {
  const page = [
    '# One',
    '```',
    'a \\',
    '  b',
    '',
    'c',
    '```',
    '```json',
    '{}',
    '```',
    '## Two',
    '```',
    'd FILE',
    '```',
  ].join('\n');

  test('are what is pasted into a shell', () => {
    const blocks = commandBlocks(page);
    expect(blocks).toEqual([
      { heading: 'One', commands: 'a \\\n  b\n\nc' },
      { heading: 'Two', commands: 'd FILE' },
    ]);
    expect(commandsOf(blocks[0]!.commands)).toEqual(['a    b', 'c']);
    expect(filledIn(blockWith(blocks, /^d/), ['FILE', '/x'])).toBe('d /x');
    expect(() => blockWith(blocks, /nowhere/)).toThrow(/0 blocks/);
    expect(() => filledIn('d', ['FILE', '/x'])).toThrow(/"FILE" is not in/);
  });
});

/** The command that the words begin with, and the options that it lacks of those they give. */
function parsed(words: readonly string[]): { readonly name: string; readonly unknown: readonly string[] } {
  const commands = COMMANDS.map((create) => create(() => Promise.resolve()));
  let command = commands.find((one) => one.name() === words[0])!;
  for (const word of words.slice(1)) command = command.commands.find((one) => one.name() === word) ?? command;
  const given = words.filter((word) => word.startsWith('--'));
  return { name: command.name(), unknown: given.filter((word) => !command.options.some(({ long }) => long === word)) };
}

// `npm run campaign -- self-hosting` runs them all on a bare Debian.
describe('the commands of docs/self-hosting.md', () => {
  const commands = BLOCKS.flatMap(({ commands: block }) => commandsOf(block)).flatMap((command) => {
    const [, words] = /(?:^|\s)(?:bin\/)?holdfast ((?:setup|service) .*)$/.exec(command) ?? [];
    return words === undefined ? [] : [words.split(/\s+/)];
  });

  test('have the options that they are given', () => {
    const results = commands.map(parsed);
    expect(results.flatMap(({ name, unknown }) => unknown.map((option) => `${name} ${option}`))).toEqual([]);
    const names = ['check', 'create', 'add', 'setup', 'copy', 'take-over', 'start', 'export', 'import'];
    expect(results.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
  });
});
