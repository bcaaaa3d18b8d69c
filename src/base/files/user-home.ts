import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { wrongUsage } from '../errors/errors.ts';

const NAME = 'holdfast';

/**
 * Returns the home folder of whoever runs this; `undefined` for a user without HOME whom the list of accounts does not have, as in a container.
 * Nothing but what lies there may need it.
 */
export function userHome(): string | undefined {
  try {
    return homedir() || undefined;
  } catch {
    return undefined;
  }
}

/** @param path what was written with `~` @throws HoldfastError `usage` `no-home` */
export function requireUserHome(path?: string): string {
  const home = userHome();
  if (home === undefined) throw wrongUsage({ problem: 'no-home', path });
  return home;
}

/** Returns the folder in which the platform has programs keep what is theirs. @throws HoldfastError `usage` `no-home` */
export function dataFolder(environment: NodeJS.ProcessEnv = process.env): string {
  switch (process.platform) {
    case 'darwin':
      return join(requireUserHome(), 'Library', 'Application Support', NAME);
    case 'win32':
      return join(environment['LOCALAPPDATA'] || join(requireUserHome(), 'AppData', 'Local'), NAME, 'Data');
    default:
      return join(environment['XDG_DATA_HOME'] || join(requireUserHome(), '.local', 'share'), NAME);
  }
}

/** Returns the folder of what may be deleted at any time; `undefined` if there is none. */
export function cacheFolder(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const home = userHome();
  const within = (...names: readonly string[]): string | undefined => home && join(home, ...names);
  const [parent, ...names] =
    process.platform === 'darwin'
      ? [within('Library', 'Caches'), NAME]
      : process.platform === 'win32'
        ? [environment['LOCALAPPDATA'] || within('AppData', 'Local'), NAME, 'Cache']
        : [environment['XDG_CACHE_HOME'] || within('.cache'), NAME];
  return parent === undefined ? undefined : join(parent, ...names);
}

/** Returns the name of the account that runs this; `undefined` if the system knows none. */
export function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}
