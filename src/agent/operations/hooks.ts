import { isDeepStrictEqual } from 'node:util';
import type { Pings, ConfiguredSet } from '../../model/set.ts';
import type { HookResults } from '../../ipc/contract/hooks.ts';
import { HookResultsFile } from '../hooks/hook-results.ts';
import { hasPipe, pipeShell } from '../hooks/shell-line.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import type { Home } from '../home/home.ts';
import { requireSettings, updateSettings } from '../home/settings.ts';
import { hooksOf, hookTexts, pingsOf, type RequestedHooks } from '../sets/hook-forms.ts';
import { requireSet } from './sets.ts';

export interface ChangedHooks {
  readonly set: string;
  readonly commands: RequestedHooks;
  /** Those that are set by default. */
  readonly pings?: Pings | undefined;
}

/** The commands and pings around the backups of a set, and how the last ones ended. */
export interface SetHooks {
  readonly commands: RequestedHooks;
  readonly pings: Pings;
  readonly results: HookResults;
  /** Commands with a pipeline that succeeds here if its last program does. */
  readonly lastCounts: readonly (typeof COMMANDS)[number][];
}

const COMMANDS = ['before', 'after'] as const;
const PINGS = ['start', 'success', 'fail'] as const;

/** @throws HoldfastError `set_unknown` */
export function hooksOfSet({ home }: AgentParts, { set: name }: { readonly set: string }): SetHooks {
  return shownHooks(home, requireSet(requireSettings(home), name));
}

/**
 * Replaces the commands of a set, and its pings if they are given. How the last ones ended is forgotten of those that change.
 *
 * @throws HoldfastError `set_unknown`, `usage` (`hook-command`, `hook-batch-file`, `ping-address`)
 */
export function changeHooks({ home }: AgentParts, { set: name, ...requested }: ChangedHooks): SetHooks {
  const hooks = hooksOf(requested.commands);
  const pings = requested.pings && { given: pingsOf(requested.pings) };
  let changed: readonly (keyof HookResults)[] = [];
  const saved = updateSettings(home, (settings) => {
    const { hooks: hooksBefore = {}, pings: before, ...set } = requireSet(settings, name);
    const kept = pings ? pings.given : before;
    changed = [
      ...COMMANDS.filter((kind) => !isDeepStrictEqual(hooks[kind]?.run, hooksBefore[kind]?.run)),
      ...PINGS.filter((kind) => kept?.[kind] !== before?.[kind]),
    ];
    const next: ConfiguredSet = {
      ...set,
      ...(kept && { pings: kept }),
      ...(Object.keys(hooks).length > 0 && { hooks }),
    };
    return { ...settings, sets: settings.sets.map((other) => (other.name === name ? next : other)) };
  });
  new HookResultsFile(home).forget(name, changed);
  return shownHooks(home, requireSet(saved, name));
}

function shownHooks(home: Home, { name, hooks = {}, pings = {} }: ConfiguredSet): SetHooks {
  const commands = hookTexts(hooks);
  const lastCounts = COMMANDS.filter((kind) => {
    const run = hooks[kind]?.run;
    return typeof run === 'string' && hasPipe(run) && pipeShell() === undefined;
  });
  return { commands, pings, results: new HookResultsFile(home).of(name), lastCounts };
}
