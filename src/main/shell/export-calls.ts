import { app, shell } from 'electron';
import type { BrowserWindow } from 'electron';
import { extname, join } from 'node:path';
import type { Call, Handlers } from '../../base/calls/contract.ts';
import { withInheritedUmask } from '../../base/files/owner-only.ts';
import type { agentMethods } from '../../ipc/contract/contract.ts';
import type { exportShellMethods } from '../../ipc/contract/restore/export.ts';
import type { Language } from '../../strings/strings.ts';
import { archiveName } from './archive-name.ts';
import { askSavePath } from './ask-save-path.ts';

export interface ExportCallsParts {
  readonly agent: Call<typeof agentMethods>;
  readonly language: () => Language;
  readonly window: () => BrowserWindow | undefined;
}

/** Handles the calls that give files of a restore point to other programs. */
export function exportCalls({ agent, language, window }: ExportCallsParts): Handlers<typeof exportShellMethods> {
  return {
    'shell.export': async ({ name, ...request }) => {
      const chosen = await askSavePath(window(), {
        title: language().strings.shell.dialogs.saveArchive,
        defaultPath: join(app.getPath('documents'), archiveName(name, 'zip')),
        filters: [
          { name: 'ZIP', extensions: ['zip'] },
          { name: 'tar', extensions: ['tar'] },
        ],
      });
      if (chosen === undefined) return {};
      const hasEnding = ['.zip', '.tar'].includes(extname(chosen).toLowerCase());
      const file = hasEnding ? chosen : `${chosen}.zip`;
      const format = extname(file).toLowerCase() === '.tar' ? 'tar' : 'zip';
      return await agent('restore.export', { ...request, file, format, replaces: hasEnding });
    },
    'shell.open-mount': async ({ mount, restorePoint }) => {
      const { folder } = await agent('mounts.folder', { id: mount, restorePoint });
      await withInheritedUmask(() => shell.openPath(folder));
      return {};
    },
  };
}
