import { Command } from 'commander';
import type { KeyHolderInfo, RotationPlan, RotationReport } from '../../../agent/operations/keys/rotate-key.ts';
import { confirmed } from '../../confirmation.ts';
import { outcome, type Outcome } from '../../outcome.ts';
import type { CommandContext, GlobalOptions, Run } from '../../runner.ts';
import { printable, timeText } from '../../text.ts';
import { destinationOption, FIRST } from '../arguments.ts';
import { secretIn } from './destination-options.ts';
import { phraseLines } from './phrase-lines.ts';

interface Options extends GlobalOptions {
  readonly destination?: string;
  readonly revoke?: string;
  readonly passphraseFile?: string;
  readonly recoveryPhraseFile?: string;
  readonly remove?: true;
  readonly yes?: true;
}

export function keyCommand(run: Run): Command {
  const key = new Command('key')
    .summary('show, change and protect the key of the backups')
    .description("The master key of this home's backups.");
  const add = (
    name: string,
    summary: string,
    perform: (options: Options, context: CommandContext) => Promise<Outcome>,
  ) => {
    const command = new Command(name).summary(summary).action((_options: unknown, self: Command) => {
      const options = self.optsWithGlobals<Options>();
      return run(options, (context) => perform(options, context));
    });
    key.addCommand(command);
    return command;
  };
  add('export', 'show the recovery phrase again', showPhrase).description(
    'Shows the recovery phrase, which opens every backup.',
  );
  add('rotate', 'change the key, and shut a computer out', rotate)
    .description(
      'Changes the key of the backups. The other computers get the new one by themselves; one that is removed with --revoke ' +
        'opens nothing that is backed up from now on. Shows the new recovery phrase.',
    )
    .option('--revoke <device>', 'a computer that does not get the new key, by id or name')
    .option('--passphrase-file <file>', 'let this passphrase open the new key; no other one does')
    .option('--yes', 'skip the confirmation');
  add('passphrase', 'set, change or remove the passphrase', changePassphrase)
    .description('Sets the passphrase that opens the key of the backups in place of the recovery phrase.')
    .option('--passphrase-file <file>', 'the new passphrase')
    .option('--remove', 'no passphrase opens the key any more');
  add('code', 'show a code that sets a new computer up', showCode)
    .description(
      'Shows a code with which one new computer gets the key: holdfast setup --destination … --key-code "CODE"',
    )
    .addOption(destinationOption(FIRST));
  add('adopt', 'enter a new recovery phrase on this computer', adopt)
    .description('Takes over a recovery phrase that was shown on another computer after the key was changed there.')
    .requiredOption('--recovery-phrase-file <file>', 'the new recovery phrase')
    .addOption(destinationOption(FIRST));
  return key;
}

async function showPhrase(_options: Options, context: CommandContext): Promise<Outcome> {
  const agent = await context.agent();
  const phrase = await agent.recoveryPhrase();
  return outcome({ recovery_phrase: phrase }, phraseLines(phrase));
}

async function rotate(options: Options, context: CommandContext): Promise<Outcome> {
  const { revoke } = options;
  const agent = await context.agent();
  const plan = await agent.planRotation({ revoke }, context);
  const question = `Change the key${plan.removed.length > 0 ? ` and shut out ${namesOf(plan.removed)}` : ''}`;
  if (options.yes !== true && !options.json)
    for (const line of planLines(plan)) context.output.streams.error.write(`${line}\n`);
  if (!(await confirmed(question, options.yes === true, context))) {
    return outcome({ changed: false }, ['Nothing was changed.']);
  }
  const secret = await secretIn('passphrase', options.passphraseFile);
  const report = await agent.rotateKey({ revoke, ...secret }, context);
  const warnings = rotationWarnings(report);
  return outcome(rotationValue(report), rotationLines(report), {
    warnings,
    exitCode: report.absent.length > 0 ? 3 : 0,
  });
}

function rotationValue(report: RotationReport): object {
  const list = (holders: readonly KeyHolderInfo[]): object[] =>
    holders.map(({ id, name, isOwn }) => ({ id, name, this_device: isOwn }));
  return {
    changed: true,
    recovery_phrase: report.recoveryPhrase,
    epoch: report.epoch,
    devices: list(report.kept),
    revoked: list(report.removed),
    need_phrase: list(report.withoutKey),
    later: report.absent.map(({ name }) => name),
    services: report.services,
  };
}

function planLines({ kept, removed, withoutKey, services }: RotationPlan): string[] {
  return [
    `These computers get the new key: ${namesOf(kept)}`,
    ...(removed.length > 0 ? [`These do not: ${namesOf(removed)}`] : []),
    ...services.map(
      (name) => `At ${printable(name)}, a service, they get it after the next backup of this computer there.`,
    ),
    ...(withoutKey.length > 0 ? [`These need the new recovery phrase: ${namesOf(withoutKey)}`] : []),
  ];
}

function rotationLines(report: RotationReport): string[] {
  return [
    'The key was changed. This is the new recovery phrase; the old one opens only what was backed up before.',
    '',
    ...phraseLines(report.recoveryPhrase),
    '',
    ...planLines(report),
  ];
}

function rotationWarnings({ absent, lostPassphrase }: RotationReport): string[] {
  return [
    ...(lostPassphrase
      ? [
          'The passphrase opens only the old key. Set one for the new key: holdfast key passphrase --passphrase-file FILE',
        ]
      : []),
    ...absent.map(
      ({ name }) => `${printable(name)} could not be reached. It gets the new key with the next backup there.`,
    ),
  ];
}

async function changePassphrase(options: Options, context: CommandContext): Promise<Outcome> {
  const { passphrase } = await secretIn('passphrase', options.passphraseFile);
  if ((passphrase === undefined) !== (options.remove === true)) {
    const { wrongUsage } = await import('../../../base/errors/errors.ts');
    throw wrongUsage({ problem: 'options', message: 'Specify either --passphrase-file FILE or --remove.' });
  }
  const agent = await context.agent();
  const { kept, absent, services } = await agent.changePassphrase({ passphrase }, context);
  const lines = [
    passphrase === undefined ? 'No passphrase opens the key any more.' : 'The passphrase opens the key now.',
    'Whoever has a copy of the old key file and knows its passphrase still has the key. To change the key: holdfast key rotate',
  ];
  const later = absent.map(({ name }) => name);
  const warnings = [
    ...kept.map((name) => `${printable(name)} keeps the old key file, which its passphrase still opens.`),
    ...later.map((name) => `Nothing was changed at ${printable(name)}.`),
    ...services.map(
      (name) =>
        `${printable(name)}, a service, gets the change with the next backup, and keeps the old one with earlier restore points.`,
    ),
  ];
  const exitCode = warnings.length > 0 ? 3 : 0;
  return outcome({ has_passphrase: passphrase !== undefined, kept: [...kept, ...services], unchanged: later }, lines, {
    warnings,
    exitCode,
  });
}

async function showCode(options: Options, context: CommandContext): Promise<Outcome> {
  const agent = await context.agent(options.destination);
  const { code, expires, destination } = await agent.newKeyCode({}, context);
  const time = new Date(expires).toISOString();
  const lines = [
    `Code for one new computer, until ${timeText(time)}:`,
    '',
    `  ${code}`,
    '',
    `On the new computer: holdfast setup --destination … --key-code "${code}"`,
  ];
  return outcome({ code, expires: time, destination }, lines);
}

async function adopt(options: Options, context: CommandContext): Promise<Outcome> {
  const { recoveryPhrase } = await secretIn('recoveryPhrase', options.recoveryPhraseFile);
  const agent = await context.agent(options.destination);
  const epoch = await agent.adoptPhrase({ phrase: recoveryPhrase ?? '' }, context);
  return outcome({ epoch }, ['This computer has the new key. Backups go on.']);
}

function namesOf(holders: readonly KeyHolderInfo[]): string {
  return holders.map(({ name, isOwn }) => printable(isOwn ? `${name} (this one)` : name)).join(', ');
}
