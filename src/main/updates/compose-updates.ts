import { app } from 'electron';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Call, Handlers } from '../../base/calls/contract.ts';
import type { agentMethods } from '../../ipc/contract/contract.ts';
import type { updateMethods } from '../../ipc/contract/update.ts';
import { readPackageSettings } from '../package-settings.ts';
import { electronUpdates } from './electron-updates.ts';
import { identifyProgram, isProgramWritable, startInstalledProgram } from './installed-program.ts';
import { newsOf } from './news.ts';
import { ownImage } from '../system/own-image.ts';
import { ProgramWatch } from './program-watch.ts';
import { startHiddenOnce, takeStartHidden } from './start-hidden.ts';
import { isForbidden, policyFile, updateWay } from './update-settings.ts';
import { Updates, type UpdateEngine, type UpdateParts } from './updates.ts';

export interface ComposedParts extends Pick<UpdateParts, 'resume' | 'end' | 'isWindowOpen' | 'changed'> {
  readonly agent: Call<typeof agentMethods>;
  /** A file that tells the next start to open no window. */
  readonly hiddenMark: string;
  /** For downloads: nobody else can write to it. */
  readonly downloads: string;
}

/** Composes the updates of this program: how it was installed decides who updates it. */
export function composeUpdates({ agent, hiddenMark, downloads, ...parts }: ComposedParts): Updates {
  const { updates: server } = readPackageSettings();
  const { platform, env: environment } = process;
  const watch = app.isPackaged ? new ProgramWatch(identifyProgram) : undefined;
  const policy = policyFile(platform, environment);
  let engine: UpdateEngine | undefined;
  const hide = (isHidden: boolean): void => {
    if (isHidden) startHiddenOnce(hiddenMark);
  };
  return new Updates({
    ...parts,
    way: updateWay({
      platform,
      isPackaged: app.isPackaged,
      server: server?.url,
      isAppImage: ownImage(environment) !== undefined,
      isWritable: isProgramWritable(),
    }),
    isForbidden: () => isForbidden(policy),
    engine: () => (engine ??= electronUpdates(server!, downloads)),
    programChange: () => watch?.check(),
    // An agent that is gone is restarted soon, and may continue a run.
    prepare: () =>
      agent('update.prepare', {}).then(
        ({ isReady }) => isReady,
        () => false,
      ),
    startAgain: async (isHidden) => {
      hide(isHidden);
      await startInstalledProgram();
    },
    onInstall: hide,
    resume: () => {
      // The next start is a person's.
      takeStartHidden(hiddenMark);
      parts.resume();
    },
    now: Date.now,
  });
}

/** Handlers for the calls of the window about updates. */
export function updateCalls(updates: Updates): Handlers<typeof updateMethods> {
  return {
    'update.check': async () => {
      await updates.check();
      return {};
    },
    'update.install': async () => ({ isStarted: await updates.install(false) }),
    'update.news': () => {
      const changelog = readFileSync(join(app.getAppPath(), 'CHANGELOG.md'), 'utf8');
      const newer = updates.offer?.notes;
      return { current: newsOf(changelog, app.getVersion()), ...(newer !== undefined && { newer }) };
    },
  };
}
