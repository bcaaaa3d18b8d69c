import { z } from 'zod';
import { accountMethods } from './account/account.ts';
import { activityMethods } from './activity.ts';
import { alarmMethods } from './alarm.ts';
import { crashMethods } from './crashes.ts';
import { destinationMethods } from './destination.ts';
import { deviceMethods } from './account/devices.ts';
import { historyMethods } from './restore/history.ts';
import { keyMethods, privateKeyMethods } from './account/keys.ts';
import { lockMethods } from './account/lock.ts';
import { mountMethods, privateMountMethods } from './restore/mounts.ts';
import { previewMethods, privateContentMethods } from './restore/preview.ts';
import { preferenceMethods } from './preferences.ts';
import { privateReportMethods, reportMethods, reportShellMethods } from './report.ts';
import { restoreMethods } from './restore/restore.ts';
import { exportShellMethods, privateExportMethods } from './restore/export.ts';
import { setMethods } from './sets.ts';
import { setupMethods } from './setup.ts';
import { privateAgentMethods, shellMethods } from './shell.ts';
import { privateUpdateMethods, updateMethods } from './update.ts';

/** The agent's methods that a window may call; the main process passes the calls on. */
export const windowAgentMethods = {
  ...setupMethods,
  ...destinationMethods,
  ...setMethods,
  ...restoreMethods,
  ...historyMethods,
  ...mountMethods,
  ...activityMethods,
  ...alarmMethods,
  ...deviceMethods,
  ...accountMethods,
  ...preferenceMethods,
  ...reportMethods,
} as const;

/** All methods of the agent. */
export const agentMethods = {
  ...windowAgentMethods,
  ...privateAgentMethods,
  ...privateKeyMethods,
  ...privateContentMethods,
  ...privateExportMethods,
  ...privateMountMethods,
  ...privateReportMethods,
  ...privateUpdateMethods,
} as const;
export type AgentMethods = typeof agentMethods;

/** The methods of the main process. */
export const mainMethods = {
  ...shellMethods,
  ...crashMethods,
  ...keyMethods,
  ...lockMethods,
  ...previewMethods,
  ...reportShellMethods,
  ...exportShellMethods,
  ...updateMethods,
} as const;

/** All methods that a window may call. */
export const windowMethods = { ...windowAgentMethods, ...mainMethods } as const;
export type WindowMethods = typeof windowMethods;

/** The views of the window. */
export const view = z.enum(['home', 'sets', 'restore', 'activity', 'devices', 'settings']);
export type View = z.infer<typeof view>;

/** What the main process asks a window to show: a view, or the previous versions of a file or folder of this computer. */
export const wanted = z.union([view, z.object({ previousVersions: z.string().max(4096) })]);
export type Wanted = z.infer<typeof wanted>;
