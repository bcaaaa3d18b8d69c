import { app } from 'electron';
import type { BrowserWindow } from 'electron';
import { join } from 'node:path';
import type { Handlers } from '../../base/calls/contract.ts';
import type { crashMethods } from '../../ipc/contract/crashes.ts';
import type { Language } from '../../strings/strings.ts';
import { askSavePath } from '../shell/ask-save-path.ts';
import { saveFile } from '../shell/save-file.ts';
import type { CrashReports } from './crash-reports.ts';

export interface CrashCallsParts {
  readonly reports: CrashReports;
  readonly language: () => Language;
  readonly window: () => BrowserWindow | undefined;
}

/** Handlers for the calls of the window about crash reports. */
export function crashCalls({ reports, language, window }: CrashCallsParts): Handlers<typeof crashMethods> {
  return {
    'crashes.list': () => ({ reports: [...reports.list()] }),
    'crashes.save': async ({ id }) => {
      const report = reports.get(id);
      if (!report) return {};
      const { dialogs } = language().strings.shell;
      const path = await askSavePath(window(), {
        title: dialogs.saveCrashReport,
        defaultPath: join(app.getPath('documents'), `${dialogs.crashReportFile}.txt`),
        filters: [{ name: 'TXT', extensions: ['txt'] }],
      });
      return path === undefined ? {} : saveFile(path, report.text);
    },
    'crashes.delete': ({ id }) => {
      reports.delete(id);
      return {};
    },
  };
}
