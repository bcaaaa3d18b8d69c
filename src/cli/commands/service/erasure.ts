import { Command } from 'commander';
import type { Erasure } from '../../../protocol/accounts.ts';
import { alignColumns } from '../../columns.ts';
import { outcome, type Outcome } from '../../outcome.ts';
import type { Run } from '../../runner.ts';
import { printable, timeText } from '../../text.ts';
import { ownerAction, withOwner } from './owner-options.ts';

interface RequestOptions {
  readonly device?: string;
  readonly set?: string;
  readonly member?: string;
  readonly account?: true;
  readonly now?: true;
}

const load = () => import('../../../service/administration/service-erasures.ts');

export function erasureCommand(run: Run): Command {
  const erasure = new Command('erasure').description(
    'Erases a set, the backups of a device, a person, or a whole account, after a waiting time. Holdfast must be running.',
  );
  const add = (name: string, description: string): Command => {
    const command = withOwner(new Command(name)).description(description);
    erasure.addCommand(command);
    return command;
  };
  add('list', 'Lists what is to be erased, and what was.').action(
    ownerAction(run, async (owner) => erasureOutcome(await (await load()).listServiceErasures(owner))),
  );
  add('request', 'Requests an erasure. Until it is due it can be cancelled, and backups of what it names are refused.')
    .option('--device <id>', 'a device with all of its backups')
    .option('--set <name>', 'one backup set of that device')
    .option('--member <email>', 'a person, with the devices that they set up')
    .option('--account', 'everything')
    .option('--now', 'without the waiting time, but after every minimum retention and restores in progress')
    .action(
      ownerAction(run, async (owner, _, command) => {
        const { device, set, member, account, now } = command.opts<RequestOptions>();
        const chosen = [device, member, account].filter((one) => one !== undefined).length;
        if (chosen !== 1 || (set !== undefined && device === undefined)) {
          const { wrongUsage } = await import('../../../base/errors/errors.ts');
          throw wrongUsage({
            problem: 'service',
            message: 'Name one of --device (with --set), --member and --account.',
          });
        }
        const wanted = {
          ...(device === undefined ? {} : { device }),
          ...(set === undefined ? {} : { set }),
          ...(member === undefined ? {} : { member }),
          isImmediate: now === true,
        };
        return erasureOutcome(await (await load()).requestServiceErasure(owner, wanted));
      }),
    );
  add('cancel', 'Cancels an erasure that is not performed yet.')
    .argument('<id>', 'as "list" shows it')
    .action(
      ownerAction(run, async (owner, id) => erasureOutcome(await (await load()).cancelServiceErasure(owner, id))),
    );
  return erasure;
}

const WAITING_TEXT =
  'What is due waits for restores in progress (a day at most), for an hour after its last backup, and for the end of an alarm.';

function erasureOutcome(erasures: readonly Erasure[]): Outcome {
  if (erasures.length === 0) return outcome({ erasures }, ['Nothing is to be erased.']);
  const rows = erasures.map(({ id, scope, erased_at: erased, due_at: due, ...named }) => [
    id,
    scope,
    printable([named.device_name, named.backup_set, named.email].filter((name) => name !== null).join(' / ')),
    erased === null ? `due ${timeText(due)}` : `erased ${timeText(erased)}`,
  ]);
  const waits = erasures.some(({ erased_at, due_at }) => erased_at === null && Date.parse(due_at) <= Date.now());
  return outcome({ erasures }, [...alignColumns(rows), ...(waits ? [WAITING_TEXT] : [])]);
}
