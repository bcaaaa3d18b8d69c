import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commandLine, withCommands } from '../../../../scripts/package-cli/command-model.ts';
import { bashCompletion } from '../../../../scripts/package-cli/shell/bash.ts';
import { completionTable } from '../../../../scripts/package-cli/shell/completion-table.ts';
import { fishCompletion } from '../../../../scripts/package-cli/shell/fish.ts';
import { zshCompletion } from '../../../../scripts/package-cli/shell/zsh.ts';

const has = (tool: string): boolean => spawnSync(tool, ['--version']).error === undefined;
const program = commandLine();
const table = completionTable(program);

/** Sets and destinations that a stand-in for holdfast names, one home apart from the other. */
const STAND_IN = `#!/bin/sh
home=usual
if [ "$1" = --home ]; then home=$2 && shift 2; fi
case "$*" in
  'set list --names') printf '%s\\n' documents "$home set" ;;
  'destination list --names') echo disk ;;
  *) exit 2 ;;
esac
`;

/** The commands below one whose names begin with a text; the definition changes more often than this file. */
function commandsAt(path: string, beginning: string): readonly string[] {
  const command = withCommands(program).find((one) => one.path.join(' ') === path)!;
  return command.commands.map((one) => one.path.at(-1)!).filter((name) => name.startsWith(beginning));
}

/** What is typed up to the cursor, and what is offered. */
const CASES: readonly (readonly [typed: readonly string[], offered: readonly string[]])[] = [
  [['se'], commandsAt('holdfast', 'se')],
  [['set', ''], commandsAt('holdfast set', '')],
  [['--json', 'set', 'sh'], commandsAt('holdfast set', 'sh')],
  [['--home', '/x', 'service', 'webhook', 'de'], commandsAt('holdfast service webhook', 'de')],
  [['restore', 'documents', '--conflict', 'k'], ['keep-both']],
  [['restore', 'documents', '--in'], ['--in-place']],
  [['restore', '--to', '/', 'do'], ['documents']],
  [['restore', 'documents', '--destination', ''], ['disk']],
  [['restore', 'documents', '--to', 'fol'], ['folder']],
  [['set', 'add', 'new', 'fi'], ['file']],
  [['set', 'add', 'new', 'file', 'fo'], ['folder']],
  [['versions', 'documents', 'fi'], ['file']],
  [['points', 'documents', ''], []],
  [['set', 'add', ''], []],
  [['points', 'l'], commandsAt('holdfast points', 'l')],
];

describe('the completion', () => {
  let folder: string;
  let environment: NodeJS.ProcessEnv;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-completion-'));
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin/holdfast'), STAND_IN);
    chmodSync(join(folder, 'bin/holdfast'), 0o755);
    mkdirSync(join(folder, 'here/folder'), { recursive: true });
    writeFileSync(join(folder, 'here/file'), '');
    writeFileSync(join(folder, 'holdfast.bash'), bashCompletion(table));
    writeFileSync(join(folder, '_holdfast'), zshCompletion(table));
    writeFileSync(join(folder, 'holdfast.fish'), fishCompletion(table));
    environment = { HOME: folder, PATH: `${join(folder, 'bin')}:/usr/bin:/bin`, LC_ALL: 'C.UTF-8' };
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs a script of a shell for each command line; each prints its offers and a line with `@@`. */
  function offersOf(shell: string, options: readonly string[], script: string, lines: readonly (readonly string[])[]) {
    const words = lines.map((line) => line.map((word) => `'${word}'`).join(' '));
    const text = `${script}\n${words.map((line) => `try holdfast ${line}; echo @@`).join('\n')}\n`;
    const cwd = join(folder, 'here');
    writeFileSync(join(folder, 'script'), text);
    const output = execFileSync(shell, [...options, join(folder, 'script')], {
      encoding: 'utf8',
      env: environment,
      cwd,
    });
    const offers = output.split(/^@@$/m).slice(0, -1);
    return offers.map((one) => one.split('\n').filter((line) => line !== ''));
  }

  const BASH = (): string => `source '${join(folder, 'holdfast.bash')}'
compopt() { :; }
try() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
  _holdfast
  printf '%s\\n' "\${COMPREPLY[@]}"
}`;

  test('bash offers what fits', () => {
    const offered = offersOf(
      'bash',
      ['--norc', '-u'],
      BASH(),
      CASES.map(([typed]) => typed),
    );
    const sorted = (words: readonly string[]): readonly string[] => words.toSorted();
    expect(offered.map(sorted)).toEqual(CASES.map(([, offers]) => sorted(offers)));
  });

  test('bash offers every command and option of the definition', () => {
    const commands = withCommands(program);
    const options = commands.map(({ path }) => path.slice(1).concat('-'));
    const below = commands.filter((one) => one.commands.length > 0).map(({ path }) => path.slice(1).concat(''));
    const offered = offersOf('bash', ['--norc'], BASH(), [...options, ...below]);
    for (const [index, command] of commands.entries()) {
      expect(offered[index]).toEqual(expect.arrayContaining(command.options.flatMap(({ flags }) => flags)));
    }
    for (const [index, { commands: names }] of commands.filter((one) => one.commands.length > 0).entries()) {
      expect(offered[commands.length + index]).toEqual(expect.arrayContaining(names.map(({ path }) => path.at(-1))));
    }
  });

  test('bash names the sets of the home that the command line names, as the shell takes them', () => {
    const [usual, other] = offersOf('bash', ['--norc'], BASH(), [
      ['backup', ''],
      ['--home', '/x', 'backup', ''],
    ]);
    expect(usual).toEqual(['documents', String.raw`usual\ set`]);
    expect(other).toEqual(['documents', String.raw`/x\ set`]);
  });

  test('bash takes a value that is joined to its option with =', () => {
    // As bash itself splits it.
    expect(offersOf('bash', ['--norc'], BASH(), [['restore', 'documents', '--conflict', '=', 'sk']])).toEqual([
      ['skip'],
    ]);
  });

  test.skipIf(!has('zsh'))('zsh offers what fits', () => {
    // Stand-ins for the parts of zsh that only work while somebody types.
    const script = `compdef() { : }
compset() { PREFIX=\${PREFIX#*=} }
compadd() { while [[ $1 == -* ]]; do if [[ $1 == -a ]]; then shift; offer \${(P)1}; fi; shift; done }
_describe() { local array=\${@[-1]}; offer \${\${(P)array}%%:*} }
_files() { if [[ $1 == -/ ]]; then offer *(N/); else offer *(N); fi }
offer() { local one; for one in "$@"; do if [[ $one == $PREFIX* ]]; then print -r -- $one; fi; done }
source '${join(folder, '_holdfast')}'
try() { words=("$@") CURRENT=$# PREFIX=\${@[-1]}; _holdfast }`;
    const lines = [...CASES.map(([typed]) => typed), ['restore', 'documents', '--conflict=sk']];
    const offered = offersOf('zsh', ['-f'], script, lines).map((words) => words.toSorted());
    expect(offered).toEqual([...CASES.map(([, offers]) => offers.toSorted()), ['skip']]);
  });

  test.skipIf(!has('fish'))('fish offers what fits', () => {
    const script = `source '${join(folder, 'holdfast.fish')}'
function try; complete -C "$argv" | string replace -r '\\t.*' '' | string trim -r -c /; end`;
    const offered = offersOf(
      'fish',
      ['--no-config'],
      script,
      CASES.map(([typed]) => typed),
    );
    // Fish also offers words that contain what is typed, if none begins with it.
    expect(offered.map((words) => words.toSorted())).toEqual(CASES.map(([, offers]) => offers.toSorted()));
  });
});
