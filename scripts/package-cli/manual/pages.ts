import { withCommands, type CommandModel } from '../command-model.ts';
import { item, paragraphs, roffText, section } from './roff.ts';

/** What every page shows at its top and bottom. */
export interface Edition {
  readonly version: string;
  /** `2026-11-23` */
  readonly date: string;
}

const FILES: readonly (readonly [term: string, description: string])[] = [
  ['~/.local/share/holdfast', 'Settings, keys and the catalog, unless --home or HOLDFAST_HOME names another folder.'],
  ['~/.cache/holdfast', 'Compiled code of the program. It can be deleted at any time.'],
];

const VARIABLES: readonly (readonly [term: string, description: string])[] = [
  ['HOLDFAST_HOME', 'The folder with settings, keys and catalog.'],
  ['HOLDFAST_DEBUG', 'With 1, unexpected errors are shown with their stack.'],
  ['AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY', 'The keys of a bucket.'],
];

/** Returns the manual pages by their file's name: one of the program, and one of each command. */
export function manualPages(program: CommandModel, edition: Edition): ReadonlyMap<string, string> {
  const pages = new Map([['holdfast.1', programPage(program, edition)]]);
  for (const command of program.commands)
    pages.set(`${command.path.join('-')}.1`, commandPage(command, program, edition));
  return pages;
}

/** Returns the page of the program that administrators start, `holdfast-service`; each command has its own under `holdfast-service(1)`. */
export function servicePage({ version, date }: Edition): string {
  return page([
    `.TH HOLDFAST\\-SERVICE 8 ${date} "Holdfast ${roffText(version)}" "Holdfast"`,
    section('Name'),
    String.raw`holdfast\-service \- administer the backup service of Holdfast`,
    section('Synopsis'),
    String.raw`.B holdfast\-service`,
    String.raw`\fIcommand\fR [\fIoptions\fR]`,
    section('Description'),
    ...paragraphs(
      'Runs a command of the service: “holdfast-service check” is “holdfast service check”. The commands are in holdfast-service(1).',
    ),
    ...paragraphs('Installing the package starts nothing. Enter the address in the configuration, and then:'),
    ...paragraphs('  holdfast-service check --config /etc/holdfast/service.json\n  systemctl enable --now holdfast'),
    section('Files'),
    item('/etc/holdfast/service.json', 'The configuration.'),
    item('/etc/holdfast/service.env', 'Variables such as the keys of a bucket, if there is such a file.'),
    item('/var/lib/holdfast', 'What the service stores, unless the configuration names another place.'),
    item('/usr/share/doc/holdfast-service', 'Documents: self-hosting.md is where to begin.'),
    section('See also'),
    String.raw`\fBholdfast\-service\fR(1), \fBholdfast\fR(1), \fBsystemctl\fR(1)`,
  ]);
}

function programPage(program: CommandModel, edition: Edition): string {
  return page([
    ...heading(program, edition),
    section('Synopsis'),
    String.raw`.B holdfast`,
    String.raw`[\fIoptions\fR] \fIcommand\fR [\fIarguments\fR]`,
    section('Description'),
    ...paragraphs(program.description),
    ...paragraphs(program.ending),
    section('Commands'),
    ...program.commands.map(({ path, summary }) =>
      item(path.slice(1).join(' '), `${summary}. See ${path.join('-')}(1).`),
    ),
    ...optionsSection(program),
    section('Environment'),
    ...VARIABLES.map(([term, description]) => item(term, description)),
    section('Files'),
    ...FILES.map(([term, description]) => item(term, description)),
    ...seeAlso(program.commands),
  ]);
}

function commandPage(command: CommandModel, program: CommandModel, edition: Edition): string {
  const [, ...below] = withCommands(command);
  return page([
    ...heading(command, edition),
    section('Synopsis'),
    (below.length === 0 ? [command] : withCommands(command).filter(isRun)).map(synopsis).join('\n.br\n'),
    section('Description'),
    ...paragraphs(command.description),
    ...argumentItems(command),
    ...optionsSection(command),
    ...(below.length === 0 ? [] : [section('Commands'), ...below.filter(isRun).flatMap(subsection)]),
    section('Options of every command'),
    ...program.options
      .filter(({ flags }) => !flags.includes('--version'))
      .map(({ term, description }) => item(term, description)),
    ...(command.ending === '' ? [] : [section('Notes'), ...paragraphs(command.ending)]),
    ...seeAlso([program]),
  ]);
}

/** A command that only has others below it runs nothing itself. */
function isRun({ commands, arguments: words }: CommandModel): boolean {
  return commands.length === 0 || words.length > 0;
}

function subsection(command: CommandModel): readonly string[] {
  return [
    `.SS ${roffText(command.path.join(' '))}`,
    synopsis(command),
    ...paragraphs(command.description),
    ...argumentItems(command),
    ...ownOptions(command).map(({ term, description }) => item(term, description)),
    ...(command.ending === '' ? [] : paragraphs(command.ending)),
  ];
}

function heading({ path, summary }: CommandModel, { version, date }: Edition): readonly string[] {
  const name = path.join('-');
  return [
    String.raw`.\" Written by scripts/package-cli from the definition of the command line.`,
    `.TH ${roffText(name.toUpperCase())} 1 ${date} "Holdfast ${roffText(version)}" "Holdfast"`,
    section('Name'),
    `${roffText(name)} \\- ${roffText(summary)}`,
  ];
}

function synopsis({ path, usage }: CommandModel): string {
  const words = usage
    .split(' ')
    .filter((word) => word !== '' && word !== '[command]')
    .map((word) => roffText(word).replace(/^([<[])(.+)([>\]])$/, String.raw`$1\fI$2\fR$3`));
  return [`\\fB${roffText(path.join(' '))}\\fR`, ...words].join(' ');
}

function argumentItems({ arguments: words }: CommandModel): readonly string[] {
  return words.filter(({ description }) => description !== '').map(({ term, description }) => item(term, description));
}

function ownOptions({ options }: CommandModel): CommandModel['options'] {
  return options.filter(({ flags }) => !flags.includes('--help'));
}

function optionsSection(command: CommandModel): readonly string[] {
  const options = ownOptions(command);
  return options.length === 0
    ? []
    : [section('Options'), ...options.map(({ term, description }) => item(term, description))];
}

function seeAlso(commands: readonly CommandModel[]): readonly string[] {
  const names = commands.map(({ path }) => String.raw`\fB${roffText(path.join('-'))}\fR(1)`);
  return [section('See also'), ...names.map((name, index) => (index < names.length - 1 ? `${name},` : name))];
}

/** The first paragraph of a section has no macro of its own. */
function page(lines: readonly string[]): string {
  const kept = lines.filter((line, index) => line !== '.PP' || !/^\.S[HS] /.test(lines[index - 1] ?? ''));
  return `${kept.join('\n')}\n`;
}
