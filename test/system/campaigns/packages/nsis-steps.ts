import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Wine } from '../../../../scripts/windows/wine.ts';
import type { Step, Versions } from './step.ts';

const PERSON = 'users/root';
const PROGRAMS = `${PERSON}/AppData/Local/Programs`;
const UNINSTALL_KEY = String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall`;
const SHORTCUTS = [
  `${PERSON}/Desktop/Holdfast.lnk`,
  `${PERSON}/AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Holdfast.lnk`,
];
/** Of the command line of an installed app, as on other systems. Wine shows no window. */
const COMMAND_LINE = ['--no-sandbox', '--disable-gpu', '--log-level=3', '--command-line', '--'];
const HOME = String.raw`C:\backups\home`;

/** Has `wine` start programs there, for electron-builder. @param folder for the program, which has to be on the PATH */
export function offerWine(wine: Wine, folder: string): void {
  mkdirSync(folder);
  const words = wine.wordsFor().map((word) => `'${word}'`);
  writeFileSync(join(folder, 'wine'), `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`);
  chmodSync(join(folder, 'wine'), 0o755);
}

/**
 * Installs the app for Windows under Wine as a person would, backs up with its command line, installs a newer version over it, and removes it.
 *
 * @param outside a folder that Wine sees @param files paths of the two installers
 */
export function nsisSteps(wine: Wine, outside: string, versions: Versions, files: Versions): readonly Step[] {
  const at = (...parts: readonly string[]): string => join(wine.driveC, ...parts);
  const folder = `${PROGRAMS}/holdfast`;

  /** Returns what a program of Windows prints. Wine gives it no pipe. @throws Error if it fails */
  function printed(...words: readonly string[]): string {
    const [program, ...rest] = wine.wordsFor(...words) as [string, ...string[]];
    const output = join(outside, 'output');
    const script = `exec "$@" >'${output}' 2>'${output}.errors' </dev/null`;
    const { status } = spawnSync('sh', ['-c', script, 'sh', program, ...rest], { stdio: 'ignore' });
    const text = readFileSync(output, 'utf8').replaceAll('\r', '');
    if (status !== 0)
      throw new Error(`${words.join(' ')}\nended with ${status}:\n${text}${readFileSync(`${output}.errors`, 'utf8')}`);
    return text.trim();
  }

  function holdfast(...words: readonly string[]): string {
    return printed(`C:/${folder}/Holdfast.exe`, ...COMMAND_LINE, '--home', HOME, ...words);
  }

  /** The version that Windows lists among the installed programs. Without any, there is no list. */
  function listed(): string | undefined {
    try {
      return /DisplayVersion\s+REG_SZ\s+(\S+)/.exec(printed('reg', 'query', UNINSTALL_KEY, '/s'))?.[1];
    } catch {
      return undefined;
    }
  }

  function requireInstalled(version: string): unknown {
    const missing = [`${folder}/Holdfast.exe`, `${folder}/resources/app.asar`, ...SHORTCUTS].filter(
      (path) => !existsSync(at(path)),
    );
    if (missing.length > 0) throw new Error(`missing: ${missing.join(', ')}`);
    const found = { listed: listed(), commandLine: holdfast('--version') };
    if (found.listed !== version) throw new Error(`not ${version}: ${JSON.stringify(found)}`);
    return found;
  }

  async function install(): Promise<unknown> {
    // Wine's does nothing and reports success, by which the installer takes the app for running.
    for (const system of ['system32', 'syswow64']) {
      const powershell = at('windows', system, 'WindowsPowerShell/v1.0/powershell.exe');
      renameSync(powershell, `${powershell}.away`);
    }
    printed(files.older, '/S');
    return requireInstalled(versions.older);
  }

  async function backUp(): Promise<unknown> {
    cpSync(join(import.meta.dirname, '../../../../src'), at('backups/docs'), { recursive: true });
    holdfast('setup', '--destination', String.raw`C:\backups\destination`);
    holdfast('set', 'add', 'documents', String.raw`C:\backups\docs`);
    holdfast('backup', 'documents');
    return restored('restored');
  }

  /** Restores, and compares with a program of this machine. */
  function restored(name: string): unknown {
    holdfast('restore', 'documents', '--to', String.raw`C:\backups` + `\\${name}`);
    const { status, stdout } = spawnSync('diff', ['-r', at('backups/docs'), at('backups', name, 'docs')], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`restored otherwise:\n${stdout}`);
    return { files: readdirSync(at('backups/docs'), { recursive: true }).length };
  }

  async function update(): Promise<unknown> {
    printed(files.newer, '/S');
    requireInstalled(versions.newer);
    holdfast('backup', 'documents');
    return restored('restored by the newer');
  }

  async function remove(): Promise<unknown> {
    printed(`C:/${folder}/Uninstall Holdfast.exe`, '/currentuser', '/S');
    // It goes on in a copy of itself.
    for (const begun = Date.now(); existsSync(at(folder)) && Date.now() - begun < PATIENCE_MS; await pause(500));
    const left = [folder, ...SHORTCUTS].filter((path) => existsSync(at(path)));
    if (left.length > 0 || listed() !== undefined) throw new Error(`left behind: ${left.join(', ')} ${listed()}`);
    if (!existsSync(at('backups/home')) || !existsSync(at('backups/destination'))) throw new Error('backups are gone');
    return { own: readdirSync(at(PERSON, 'AppData/Local')).filter((name) => /holdfast/i.test(name)) };
  }

  return [
    ['NSIS: installed without a question', install],
    ['NSIS: the command line backs up and restores', backUp],
    ['NSIS: a newer version is installed over it', update],
    ['NSIS: removed', remove],
  ];
}

const PATIENCE_MS = 120_000;
