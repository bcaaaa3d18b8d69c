import { withCommands, type CommandModel, type OptionModel } from '../command-model.ts';
import type { Completion } from '../completion-kinds.ts';

/** What completes the command line, in the form that the scripts of all shells use. */
export interface CompletionTable {
  readonly commands: readonly CompletedCommand[];
  /** Options that take a value; `*` as the path means every command. */
  readonly valued: readonly { readonly path: string; readonly flag: string; readonly completion: Completion }[];
}

export interface CompletedCommand {
  /** `holdfast set add` */
  readonly path: string;
  readonly below: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly OptionModel[];
  /** What completes each argument; the last one also those after it if it is variadic. */
  readonly arguments: readonly Completion[];
  readonly isVariadic: boolean;
}

export function completionTable(program: CommandModel): CompletionTable {
  const global = program.options.filter(({ flags }) => !flags.includes('--version') && !flags.includes('--help'));
  const commands = withCommands(program);
  return {
    commands: commands.map((command) => ({
      path: command.path.join(' '),
      below: command.commands.map(({ path, summary }) => ({ name: path.at(-1)!, description: summary })),
      options: command === program ? command.options : [...command.options, ...global],
      arguments: command.arguments.map(({ completion }) => completion),
      isVariadic: command.arguments.at(-1)?.isVariadic ?? false,
    })),
    valued: [
      ...valuesOf('*', global),
      ...commands
        .filter((command) => command !== program)
        .flatMap(({ path, options }) => valuesOf(path.join(' '), options)),
    ],
  };
}

function valuesOf(path: string, options: readonly OptionModel[]): CompletionTable['valued'] {
  return options.flatMap(({ flags, value }) =>
    value === undefined ? [] : flags.map((flag) => ({ path, flag, completion: value })),
  );
}

/** `files`, or `words:low normal` */
export function codeOf(completion: Completion): string {
  return completion.kind === 'words' ? `words:${completion.words.join(' ')}` : completion.kind;
}

/** A word in single quotes, as POSIX shells and zsh read it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The functions that bash and zsh share: each sets `kind`, for an option that takes a value or for an argument. */
export function kindFunctions(table: CompletionTable): string {
  return `# Sets kind if an option of a command takes a value.
_holdfast_value() {
  case "$1 $2" in
${valueBranches(table).join('\n')}
    *) return 1 ;;
  esac
}

# Sets kind for the argument at a position of a command.
_holdfast_argument() {
  case "$1 $2" in
${argumentBranches(table).join('\n')}
    *) kind=nothing ;;
  esac
}`;
}

/** The branches for options. */
function valueBranches({ valued }: CompletionTable): readonly string[] {
  const patterns = new Map<string, string[]>();
  for (const { path, flag, completion } of valued) {
    const code = codeOf(completion);
    const pattern = path === '*' ? `*${quoted(` ${flag}`)}` : quoted(`${path} ${flag}`);
    patterns.set(code, [...(patterns.get(code) ?? []), pattern]);
  }
  return [...patterns].map(([code, all]) => `    ${all.join(' | ')}) kind=${quoted(code)} ;;`);
}

/** The branches for arguments. */
function argumentBranches({ commands }: CompletionTable): readonly string[] {
  return commands.flatMap(({ path, arguments: all, isVariadic }) =>
    all.map((completion, position) => {
      const place =
        isVariadic && position === all.length - 1 ? `${quoted(`${path} `)}*` : quoted(`${path} ${position}`);
      return `    ${place}) kind=${quoted(codeOf(completion))} ;;`;
    }),
  );
}
