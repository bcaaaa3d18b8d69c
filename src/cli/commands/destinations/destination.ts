import { Command } from 'commander';
import type { Run } from '../../runner.ts';
import { destinationCopyCommand } from './destination-copy.ts';

export function destinationCommand(run: Run): Command {
  return new Command('destination')
    .summary('copy restore points between destinations')
    .description('Manages the destinations of backups.')
    .addCommand(destinationCopyCommand(run));
}
