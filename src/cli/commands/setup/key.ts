import { Command } from 'commander';
import { outcome } from '../../outcome.ts';
import type { GlobalOptions, Run } from '../../runner.ts';
import { phraseLines } from './phrase-lines.ts';

export function keyCommand(run: Run): Command {
  const key = new Command('key').description("The master key of this home's backups.");
  key
    .command('export')
    .summary('show the recovery phrase again')
    .description('Shows the recovery phrase, which opens every backup.')
    .action((_options: unknown, command: Command) =>
      run(command.optsWithGlobals<GlobalOptions>(), async (context) => {
        const agent = await context.agent();
        const phrase = await agent.recoveryPhrase();
        return outcome({ recovery_phrase: phrase }, phraseLines(phrase));
      }),
    );
  return key;
}
