import type { EventEmitter } from 'node:events';
import type { Argument, Command, Option } from 'commander';
import { createProgram } from '../../src/cli/program.ts';
import { completionOf, type Completion } from './completion-kinds.ts';

/** One command of the command line, as commander defines it. */
export interface CommandModel {
  /** `['holdfast', 'set', 'add']` */
  readonly path: readonly string[];
  readonly summary: string;
  readonly description: string;
  /** `[options] <name> <path...>` */
  readonly usage: string;
  readonly arguments: readonly ArgumentModel[];
  readonly options: readonly OptionModel[];
  readonly commands: readonly CommandModel[];
  /** What the help shows at its end. */
  readonly ending: string;
}

export interface ArgumentModel {
  /** `<path...>` */
  readonly term: string;
  readonly description: string;
  readonly isVariadic: boolean;
  readonly completion: Completion;
}

export interface OptionModel {
  /** `-h, --help` or `--to <dir>` */
  readonly term: string;
  /** `['-h', '--help']` */
  readonly flags: readonly string[];
  readonly description: string;
  /** What its value is; `undefined` for an option without one. */
  readonly value: Completion | undefined;
}

/** Returns the command line that `src/cli` defines. */
export function commandLine(): CommandModel {
  const nowhere = { write: () => true } as unknown as NodeJS.WriteStream;
  return modelOf(
    createProgram({ out: nowhere, error: nowhere }, () => Promise.resolve()),
    [],
  );
}

/** Returns a command and all below it, in the order of the help. */
export function withCommands(command: CommandModel): readonly CommandModel[] {
  return [command, ...command.commands.flatMap(withCommands)];
}

function modelOf(command: Command, above: readonly string[]): CommandModel {
  const help = command.createHelp();
  const path = [...above, command.name()];
  const summary = help.subcommandDescription(command);
  return {
    path,
    summary: summary.replace(/\.$/, ''),
    description: command.description(),
    usage: command.usage(),
    arguments: command.registeredArguments.map((argument) => argumentOf(argument, path)),
    options: help.visibleOptions(command).map((option) => optionOf(option, path, help.optionDescription(option))),
    commands: help
      .visibleCommands(command)
      .filter((child) => child.name() !== 'help')
      .map((child) => modelOf(child, path)),
    ending: endingOf(command),
  };
}

function argumentOf(argument: Argument, path: readonly string[]): ArgumentModel {
  const name = argument.variadic ? `${argument.name()}...` : argument.name();
  return {
    term: argument.required ? `<${name}>` : `[${name}]`,
    description: argument.description,
    isVariadic: argument.variadic,
    completion: completionOf(path, argument.name(), argument.argChoices),
  };
}

function optionOf(option: Option, path: readonly string[], description: string): OptionModel {
  const [, placeholder] = /[<[]([^>\].]+)(?:\.\.\.)?[>\]]/.exec(option.flags) ?? [];
  return {
    term: option.flags,
    flags: [option.short, option.long].filter((flag) => flag !== undefined && flag !== null),
    description,
    value:
      placeholder === undefined
        ? undefined
        : completionOf([...path, option.long ?? option.flags], placeholder, option.argChoices),
  };
}

/** Commander has no getter for the text: it calls whoever listens to the event. */
function endingOf(command: Command): string {
  const parts: string[] = [];
  (command as unknown as EventEmitter).emit('afterHelp', {
    error: false,
    command,
    write: (text: string) => parts.push(text),
  });
  return parts.join('').replace(/^\n+|\n+$/g, '');
}
