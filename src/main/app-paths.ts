import { app } from 'electron';
import envPaths from 'env-paths';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Where everything lies that the main process works with. All paths are absolute. */
export interface Places {
  /** As the CLI finds it: `HOLDFAST_HOME`, else the platform's own data folder. */
  readonly home: string;
  /** Of Electron itself, and of the window: below the home, so that several homes can be open at once. */
  readonly windowFolder: string;
  readonly page: string;
  readonly preload: string;
  readonly assets: string;
  /** What runs as the agent's process. */
  readonly agentProgram: string;
}

/** @param environment of this process; makes the home's folder where it is missing */
export function findPlaces(environment: NodeJS.ProcessEnv): Places {
  const home = environment['HOLDFAST_HOME']
    ? resolve(environment['HOLDFAST_HOME'])
    : envPaths('holdfast', { suffix: '' }).data;
  const windowFolder = join(home, 'window');
  mkdirSync(windowFolder, { recursive: true, mode: 0o700 });
  const root = app.getAppPath();
  return {
    home,
    windowFolder,
    page: join(root, 'dist/app/window'),
    preload: join(root, 'dist/app/preload.cjs'),
    assets: join(root, 'assets'),
    agentProgram: agentProgram(root),
  };
}

/** Of the newest bundle; in a checkout without one, the sources run as they are. */
function agentProgram(root: string): string {
  const current = join(root, 'dist/current');
  const bundle = existsSync(current) ? readFileSync(current, 'utf8').trim() : '';
  const bundled = join(root, 'dist', bundle, 'agent-host.cjs');
  return bundle !== '' && existsSync(bundled) ? bundled : join(root, 'src/agent/host/main.ts');
}
