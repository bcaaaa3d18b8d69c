import { lstat, readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { setMethods } from '../../../ipc/contract/sets.ts';
import type { OutputOf } from '../../../base/calls/contract.ts';
import { userHome } from '../../../base/files/user-home.ts';

export type Suggestion = OutputOf<typeof setMethods, 'sets.suggestions'>['folders'][number];
type Kind = Suggestion['kind'];

/** The operating systems' names; on macOS, Movies instead of Videos. */
const USUAL: Readonly<Record<Exclude<Kind, 'projects' | 'home'>, readonly string[]>> = {
  documents: ['Documents'],
  pictures: ['Pictures'],
  desktop: ['Desktop'],
  music: ['Music'],
  videos: ['Videos', 'Movies'],
  downloads: ['Downloads'],
};

/** Common names of folders with source code. */
const PROJECTS = ['projects', 'Projects', 'src', 'code', 'Code', 'Developer', 'dev', 'workspace', 'git', 'repos'];

/** Names of xdg-user-dirs(5). */
const XDG: Readonly<Record<keyof typeof USUAL, string>> = {
  documents: 'DOCUMENTS',
  pictures: 'PICTURES',
  desktop: 'DESKTOP',
  music: 'MUSIC',
  videos: 'VIDEOS',
  downloads: 'DOWNLOAD',
};

/** Returns the existing folders for a person's own files, the home folder last. */
export async function suggestFolders(environment: NodeJS.ProcessEnv): Promise<readonly Suggestion[]> {
  const home = userHome();
  if (home === undefined) return [];
  const named = await userFolders(home, environment);
  const candidates: Suggestion[] = [];
  for (const kind of Object.keys(USUAL) as (keyof typeof USUAL)[]) {
    const own = named.get(XDG[kind]);
    const paths = own === undefined ? USUAL[kind].map((name) => join(home, name)) : [own];
    candidates.push(...paths.map((path) => ({ path, kind })));
  }
  candidates.push(...PROJECTS.map((name): Suggestion => ({ path: join(home, name), kind: 'projects' })));
  candidates.push({ path: home, kind: 'home' });
  return distinct(candidates, home);
}

/** A disabled XDG folder is the home folder; on macOS and Windows two names may be the same folder. */
async function distinct(candidates: readonly Suggestion[], home: string): Promise<readonly Suggestion[]> {
  const seen = new Set<string>();
  const there: Suggestion[] = [];
  // Concurrently, since each call is slow while a run uses the disk.
  const [realHome, ...folders] = await Promise.all([
    realpath(home).catch(() => home),
    ...candidates.map(({ path }) => realFolder(path)),
  ]);
  for (const [index, suggestion] of candidates.entries()) {
    const real = folders[index];
    const isPart = suggestion.kind === 'home' || real !== realHome;
    if (real === undefined || seen.has(real) || !isPart) continue;
    seen.add(real);
    there.push({ ...suggestion, path: (await isLink(suggestion.path)) ? real : suggestion.path });
  }
  return there;
}

/** A suggested folder may be chosen with the one that has the link: the source is what the link leads to now. */
async function isLink(path: string): Promise<boolean> {
  return (await lstat(path)).isSymbolicLink();
}

async function realFolder(path: string): Promise<string | undefined> {
  try {
    return (await stat(path)).isDirectory() ? await realpath(path) : undefined;
  } catch {
    return undefined;
  }
}

async function userFolders(home: string, environment: NodeJS.ProcessEnv): Promise<ReadonlyMap<string, string>> {
  if (process.platform === 'win32' || process.platform === 'darwin') return new Map();
  const folder = environment['XDG_CONFIG_HOME'] || join(home, '.config');
  const text = await readFile(join(folder, 'user-dirs.dirs'), 'utf8').catch(() => '');
  return parseUserDirs(text, home);
}

/** @param text lines such as `XDG_DOCUMENTS_DIR="$HOME/Dokumente"`, quoted as in a shell */
export function parseUserDirs(text: string, home: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, name, quoted] of text.matchAll(/^\s*XDG_([A-Z]+)_DIR="((?:[^"\\]|\\.)*)"/gm)) {
    const path = quoted!.replace(/\\(.)/g, '$1').replace(/^\$HOME(?=\/|$)/, () => home);
    if (path.startsWith('/')) found.set(name!, path.length > 1 ? path.replace(/\/+$/, '') : path);
  }
  return found;
}
