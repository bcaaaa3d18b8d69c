import { entryPathOf } from '../../../os/filesystem/names/entry-path.ts';
import { presetPatterns } from '../../../archive/scan/presets/preset-rules.ts';
import { defaultPresets, isPresetName, isPresetOf, PRESETS } from '../../../archive/scan/presets/presets.ts';
import type { InputOf } from '../../../base/calls/contract.ts';
import type { setMethods } from '../../../ipc/contract/sets.ts';
import { sourcePathOf } from '../../sets/new-set.ts';
import { locatePath } from '../../sets/locate-path.ts';
import { ownFoldersWithin } from '../../sets/own-folders.ts';
import { ownFolders } from '../../sets/own-folders.ts';
import type { HandlerContext } from '../handler-context.ts';
import type { OwnHandlers } from '../operation-handlers.ts';
import { retentionCommandLine, setCommandLine } from './command-line.ts';
import type { EstimateRequest } from './estimate-walk.ts';
import { Estimates } from './estimates.ts';
import { leftOutAlong, listFolder, listRoots } from './folder-listing.ts';
import { suggestFolders } from './folder-suggestions.ts';
import { userName } from '../../../base/files/user-home.ts';

/** Handles the calls of the editor of backup sets. */
export function setsHandlers({ agent, home }: Pick<HandlerContext, 'agent' | 'home'>): OwnHandlers<typeof setMethods> {
  const estimates = new Estimates();

  const estimateOf = (input: InputOf<typeof setMethods, 'sets.estimate'>): EstimateRequest => {
    const { excludes, presets, oneFileSystem } = input;
    const roots = input.roots.map(sourcePathOf);
    const settings = agent.settings();
    const own = settings ? ownFolders(home, settings) : [home.folder];
    return {
      roots: roots.map(entryPathOf),
      excludes,
      presets,
      oneFileSystem,
      ownFolders: ownFoldersWithin(roots, own).map(entryPathOf),
    };
  };

  return {
    'sets.suggestions': async () => ({ folders: [...(await suggestFolders(agent.parts.environment))] }),
    'sets.presets': () => ({ presets: knownPresets() }),
    'sets.folder': ({ path }) => (path === undefined ? listRoots() : listFolder(path)),
    'sets.left-out': ({ path }) => ({ folders: leftOutAlong(path) }),
    'sets.estimate': (input) => estimates.ask(input.estimate, estimateOf(input)),
    'sets.estimate.stop': ({ estimate }) => {
      estimates.stop(estimate);
      return {};
    },
    'sets.get': async ({ set }) => {
      const { hooks: _commands, ...form } = await agent.set({ set });
      return { form, command: setCommandLine(form) };
    },
    'sets.locate': ({ path }) => {
      const found = locatePath(agent.settings()?.sets ?? [], path);
      return found ? { found } : {};
    },
    'sets.command': ({ form, policy }) => ({
      command: setCommandLine(form),
      ...(policy === undefined ? {} : { retention: retentionCommandLine(form.name, policy) }),
    }),
    'sets.timer': async ({ set }) => {
      await agent.set({ set });
      const { sets, withoutLogin } = await agent.timers();
      const timer = sets.find(({ name }) => name === set)?.timer ?? 'off';
      return { isOn: timer === 'on', isInstalled: timer !== 'missing', withoutLogin, user: userName() ?? '' };
    },
    'sets.timer.save': async ({ set, isOn }) => {
      const { withoutLogin } = await agent.switchTimer({ set, isOn, withoutLogin: true });
      return { isOn, isInstalled: true, withoutLogin, user: userName() ?? '' };
    },
  };
}

function knownPresets(): { name: string; patterns: string[]; isDefault: boolean }[] {
  const own: readonly string[] = defaultPresets(process.platform);
  return Object.keys(PRESETS)
    .filter(isPresetName)
    .filter((name) => isPresetOf(name, process.platform))
    .map((name) => ({ name, patterns: presetPatterns(name), isDefault: own.includes(name) }));
}
