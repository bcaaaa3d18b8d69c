import type { EventEmitter } from 'node:events';
import type { Argument, Command, Option } from 'commander';
import { createProgram } from '../../src/cli/program.ts';
import type { Run } from '../../src/cli/runner.ts';
import type { Streams } from '../../src/cli/output.ts';

const NOWHERE = { out: { write: () => true }, error: { write: () => true } } as unknown as Streams;
const NEVER: Run = () => Promise.reject(new Error('the reference runs no command'));

/** Returns a page with every command, from the definitions that also parse the command line. */
export function cliReference(): string {
  const program = createProgram(NOWHERE, NEVER);
  const lines = [
    '# Command line',
    '',
    'Written from the definitions that parse the command line. `holdfast COMMAND --help` shows the same.',
    '',
    '## Every command',
    '',
    ...optionTable(program.options),
    fenced(textAfter(program)),
  ];
  for (const command of program.commands) lines.push(...sectionOf(command, ['holdfast'], 2));
  return `${lines.join('\n')}\n`;
}

function sectionOf(command: Command, parents: readonly string[], depth: number): readonly string[] {
  const words = [...parents, command.name()];
  const children = command.commands.flatMap((child) => sectionOf(child, words, Math.min(depth + 1, 4)));
  const isGroup = command.commands.length > 0;
  const usage = [...words, ...(isGroup ? ['COMMAND'] : []), command.usage()].join(' ').replace(' [command]', '');
  return [
    '',
    `${'#'.repeat(depth)} ${words.join(' ')}`,
    '',
    cell(command.description()),
    '',
    fenced(usage),
    ...argumentTable(command.registeredArguments),
    ...optionTable(command.options),
    fenced(textAfter(command)),
    ...children,
  ];
}

function argumentTable(rows: readonly Argument[]): readonly string[] {
  if (rows.length === 0) return [];
  return table(
    'Argument',
    rows.map((row) => [code(row.name()), row.description]),
  );
}

function optionTable(options: readonly Option[]): readonly string[] {
  const shown = options.filter(({ hidden }) => !hidden);
  if (shown.length === 0) return [];
  const rows = shown.map(({ flags, description, argChoices, defaultValue, defaultValueDescription }) => {
    const choices = argChoices === undefined ? '' : ` (${argChoices.map(code).join(', ')})`;
    const standard = defaultValueDescription ?? (typeof defaultValue === 'string' ? defaultValue : undefined);
    return [
      code(flags),
      `${cell(description)}${choices}${standard === undefined ? '' : `; by default ${code(standard)}`}`,
    ];
  });
  return table('Option', rows, (text) => text);
}

function table(head: string, rows: readonly (readonly string[])[], shown = cell): readonly string[] {
  return [
    '',
    `| ${head} | |`,
    '|---|---|',
    ...rows.map(([name = '', text = '']) => `| ${name} | ${shown(text)} |`),
    '',
  ];
}

/** Returns what the help shows after the options: examples and notes. */
function textAfter(command: Command): string {
  let text = '';
  const write = (part: string): void => void (text += part);
  (command as unknown as EventEmitter).emit('afterHelp', { error: false, command, write });
  return text.trim();
}

function fenced(text: string): string {
  return text === '' ? '' : `\`\`\`\n${text}\n\`\`\``;
}

function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``;
}

/** Angle brackets would be elements of the page. */
function cell(text: string): string {
  return text
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')
    .replaceAll(/\s*\n\s*/g, ' ');
}
