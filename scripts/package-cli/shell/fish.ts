import type { OptionModel } from '../command-model.ts';
import type { Completion } from '../completion-kinds.ts';
import type { CompletedCommand, CompletionTable } from './completion-table.ts';

/** The completion for fish 3 and newer. */
export function fishCompletion(table: CompletionTable): string {
  return `# Completion of holdfast for fish, written by scripts/package-cli from the definition of the command line.

set -g __holdfast_commands ${table.commands.map(({ path }) => quoted(path)).join(' ')}
set -g __holdfast_valued ${table.valued.map(({ path, flag }) => quoted(`${path} ${flag}`)).join(' ')}

# Prints the command that was typed so far, and the number of arguments after it.
function __holdfast_at
    set -l at holdfast
    set -l position 0
    set -l is_value 0
    for word in (commandline -opc)[2..-1]
        if test $is_value = 1
            set is_value 0
        else if contains -- "$at $word" $__holdfast_valued; or contains -- "* $word" $__holdfast_valued
            set is_value 1
        else if string match -q -- '-*' $word
            continue
        else if test $position = 0; and contains -- "$at $word" $__holdfast_commands
            set at "$at $word"
        else
            set position (math $position + 1)
        end
    end
    echo $at
    echo $position
end

# Succeeds at a command, and at a position of its arguments if one is named.
function __holdfast_is
    set -l at (__holdfast_at)
    test "$at[1]" = "$argv[1]"; or return 1
    test (count $argv) = 1; or test "$at[2]" = "$argv[2]"
end

# Succeeds at a command, from a position of its arguments on.
function __holdfast_from
    set -l at (__holdfast_at)
    test "$at[1]" = "$argv[1]"; and test "$at[2]" -ge "$argv[2]"
end

# Prints the names of what exists in the home that the command line names.
function __holdfast_names
    set -l words (commandline -opc)
    set -l home
    if set -l index (contains -i -- --home $words); and test (count $words) -gt $index
        set home --home (string replace -r '^~' $HOME -- $words[(math $index + 1)])
    end
    command -q $words[1]; or return
    command $words[1] $home $argv[1] list --names 2>/dev/null
end

complete -c holdfast -f
${table.commands.flatMap(linesOf).join('\n')}
`;
}

function linesOf(command: CompletedCommand): readonly string[] {
  const { path, below, options, arguments: words, isVariadic } = command;
  return [
    ...below.map(({ name, description }) =>
      line(condition('is', path, 0), ['-a', quoted(name), '-d', quoted(description)]),
    ),
    ...options.map((option) => line(condition('is', path), optionWords(option))),
    ...words.flatMap((completion, position) => {
      const offered = offer(completion);
      const isLast = position === words.length - 1;
      return offered.length === 0
        ? []
        : [line(condition(isVariadic && isLast ? 'from' : 'is', path, position), offered)];
    }),
  ];
}

function condition(name: 'is' | 'from', path: string, position?: number): string {
  return quoted(`__holdfast_${name} ${quoted(path)}${position === undefined ? '' : ` ${position}`}`);
}

function line(when: string, words: readonly string[]): string {
  return ['complete -c holdfast -n', when, ...words].join(' ');
}

function optionWords({ flags, description, value }: OptionModel): readonly string[] {
  const names = flags.flatMap((flag) => (flag.startsWith('--') ? ['-l', flag.slice(2)] : ['-s', flag.slice(1)]));
  return [
    ...names,
    ...(value === undefined ? [] : [value.kind === 'files' ? '-r' : '-x', ...offer(value)]),
    '-d',
    quoted(description),
  ];
}

function offer(completion: Completion): readonly string[] {
  switch (completion.kind) {
    case 'words':
      return ['-a', quoted(completion.words.join(' '))];
    case 'files':
      return ['-F'];
    case 'folders':
      return ['-a', quoted('(__fish_complete_directories)')];
    case 'sets':
      return ['-a', quoted('(__holdfast_names set)')];
    case 'destinations':
      return ['-a', quoted('(__holdfast_names destination)')];
    case 'nothing':
      return [];
  }
}

/** A word in single quotes, in which fish reads two escapes. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`)}'`;
}
