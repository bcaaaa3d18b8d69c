import { Command } from 'commander';
import type { Outcome } from '../outcome.ts';
import type { CommandContext, GlobalOptions, Run } from '../runner.ts';
import { printable } from '../text.ts';
import { destinationOption, deviceOption, NEAREST } from './arguments.ts';
import { locatedSet } from './located-set.ts';

interface Options extends GlobalOptions {
  readonly device?: string;
  readonly destination?: string;
  readonly allowOther?: boolean;
}

const HELP_END = `
A set has a folder for each restore point, named by its time in UTC, and "latest" for the newest. Without a
set, there is a folder for each computer, and in it one for each set. New restore points appear by themselves.

Nothing is downloaded before it is read. What is damaged answers with an input/output error; the rest of a file
can be read. Programs in the mount cannot be started, and only you can read it unless you add --allow-other.

Ctrl-C, SIGTERM or "fusermount3 -u MOUNTPOINT" ends it. It needs Linux and the package fuse3.

Examples:
  holdfast mount documents ~/backups
  holdfast mount ~/backups
  diff -r ~/Documents ~/backups/latest/Documents`;

const STOPPING = 'Unmounting; interrupt again to end at once.';

export function mountCommand(run: Run): Command {
  return new Command('mount')
    .summary('show restore points as folders')
    .description('Shows restore points as a read-only file system, until it is interrupted.')
    .argument('<set-or-mountpoint>', 'the backup set; all sets if only a folder follows')
    .argument('[mountpoint]', 'an empty folder')
    .usage('[options] [set] <mountpoint>')
    .option('--allow-other', 'other users may read, too, what the permissions of a file allow')
    .addOption(destinationOption(NEAREST))
    .addOption(deviceOption())
    .addHelpText('after', HELP_END)
    .action((first: string, second: string | undefined, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      const [set, mountpoint] = second === undefined ? [undefined, first] : [first, second];
      return run(options, (context) => mountSet(set, mountpoint, options, context), STOPPING);
    });
}

async function mountSet(
  set: string | undefined,
  mountpoint: string,
  options: Options,
  context: CommandContext,
): Promise<Outcome> {
  const { output } = context;
  const { agent, reference } =
    set === undefined
      ? { agent: await context.agent(options.destination), reference: {} }
      : await locatedSet(set, options, context);
  const { ErrorNotes } = await import('../error-notes.ts');
  const notes = new ErrorNotes(output);
  await agent.mount(
    { ...reference, mountpoint, isForOthers: options.allowOther === true },
    {
      // Scripts wait for this line, so it is written before the command ends.
      onMounted: (folder) =>
        output.showNow({ mountpoint: folder }, `Mounted at ${printable(folder)}. Press Ctrl-C to unmount it.`),
      onBusy: () =>
        output.note(`${printable(mountpoint)} is in use. It is unmounted when no program uses it any more.`),
      onError: (error) => notes.add(error),
      signal: context.signal,
    },
  );
  return { json: { kind: 'shown' }, lines: ['Unmounted.'] };
}
