import { Command } from 'commander';
import type { HostKeys } from '../../../agent/operations/host-key.ts';
import { outcome, type Outcome } from '../../outcome.ts';
import type { GlobalOptions, Run } from '../../runner.ts';
import { destinationOption, FIRST, fingerprint } from '../arguments.ts';

interface Options extends GlobalOptions {
  readonly accept?: string;
  readonly destination?: string;
}

const EXAMPLES = `
Examples:
  holdfast host-key                           shows the accepted key and the one that the server presents
  holdfast host-key --accept SHA256:...       accepts the new one, after you have compared it`;

export function hostKeyCommand(run: Run): Command {
  return new Command('host-key')
    .summary("show or accept an SSH server's host key")
    .description(
      'Compares the host key that the SSH server of the destination presents with the one that was accepted. A changed key stops ' +
        'all backups: the server was set up anew, or somebody is posing as it.',
    )
    .option('--accept <fingerprint>', 'accept this key from now on, if the server presents it', fingerprint)
    .addOption(destinationOption(FIRST))
    .addHelpText('after', EXAMPLES)
    .action((_options: unknown, command: Command) => {
      const { accept, destination, ...options } = command.optsWithGlobals<Options>();
      return run(options, async (context) => {
        const agent = await context.agent(destination);
        if (accept === undefined) return hostKeyOutcome(await agent.hostKeys({}, context));
        const keys = await agent.acceptHostKey({ fingerprint: accept }, context);
        return outcome(jsonOf(keys), [`From now on ${keys.accepted} is accepted for ${keys.address}.`]);
      });
    });
}

function hostKeyOutcome(keys: HostKeys): Outcome {
  const { address, accepted, presented } = keys;
  if (accepted === presented) return outcome(jsonOf(keys), [`${address} presents the accepted host key: ${accepted}.`]);
  const lines = [
    `${address} presents another host key than before.`,
    `  accepted:  ${accepted}`,
    `  presented: ${presented}`,
    'Compare it on the server with: ssh-keyscan localhost | ssh-keygen -lf -',
    `If it is right: holdfast host-key --accept ${presented}`,
  ];
  return outcome(jsonOf(keys), lines, { exitCode: 1 });
}

function jsonOf({ address, accepted, presented }: HostKeys): object {
  return { address, accepted, presented };
}
