import { app } from 'electron';
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { cacheFolder, dataFolder } from '../base/files/user-home.ts';

/** Programs that Electron starts besides its own pages. */
export interface ProgramPaths {
  /** The program of the agent's process. */
  readonly agentProgram: string;
  /** The program of a process that accesses the keychain. */
  readonly keychainProgram: string;
  /** The command line. */
  readonly commandLineProgram: string;
}

/** The paths that the main process works with; all are absolute. */
export interface AppPaths extends ProgramPaths {
  /** Equal to the CLI's: `HOLDFAST_HOME`, else the platform's own data folder. */
  readonly home: string;
  /** The folder of Electron's own files and of the window's; below the home, so that several homes can be open at once. */
  readonly windowFolder: string;
  readonly page: string;
  /** The folder of the page that shows PDF documents. */
  readonly documentPage: string;
  readonly preload: string;
  readonly assets: string;
}

export function findProgramPaths(): ProgramPaths {
  const root = app.getAppPath();
  return {
    agentProgram: programIn(root, 'agent-host.cjs', 'src/agent/host/main.ts'),
    keychainProgram: programIn(root, 'keychain-process.cjs', 'src/agent/key-store/keychain-process.ts'),
    commandLineProgram: programIn(root, 'main.cjs', 'src/cli/main.ts'),
  };
}

/** Finds the paths from the environment of this process, and makes the folders of the home when they are missing. */
export function findAppPaths(environment: NodeJS.ProcessEnv): AppPaths {
  const home = environment['HOLDFAST_HOME'] ? resolve(environment['HOLDFAST_HOME']) : dataFolder(environment);
  const windowFolder = join(home, 'window');
  mkdirSync(windowFolder, { recursive: true, mode: 0o700 });
  const root = app.getAppPath();
  return {
    home,
    windowFolder,
    page: join(root, 'dist/app/window'),
    documentPage: join(root, 'dist/app/document'),
    preload: join(root, 'dist/app/preload.cjs'),
    assets: join(root, 'assets'),
    ...findProgramPaths(),
  };
}

/** Returns the folder of Electron's own files while it runs the command line. It may be deleted at any time. */
export function findCommandLineFolder(): string {
  return join(cacheFolder() ?? mkdtempSync(join(tmpdir(), 'holdfast-')), 'chromium');
}

/** Returns a program in the newest bundle, or its source in a checkout without a bundle. */
function programIn(root: string, name: string, source: string): string {
  const current = join(root, 'dist/current');
  const bundle = existsSync(current) ? readFileSync(current, 'utf8').trim() : '';
  const bundled = join(root, 'dist', bundle, name);
  return bundle !== '' && existsSync(bundled) ? bundled : join(root, source);
}
