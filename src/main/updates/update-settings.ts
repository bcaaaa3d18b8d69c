import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { systemCodeOf } from '../../base/errors/errors.ts';

/** How this program is updated: not at all, by a package manager, by a person who unpacks an archive, or by itself. */
export type UpdateWay = 'none' | 'package-manager' | 'archive' | 'itself';

export interface Installation {
  readonly platform: NodeJS.Platform;
  readonly isPackaged: boolean;
  /** The address of the server of updates, if the build has one. */
  readonly server: string | undefined;
  readonly isAppImage: boolean;
  /** This user may replace the folder of the program. */
  readonly isWritable: boolean;
}

export function updateWay({ platform, isPackaged, server, isAppImage, isWritable }: Installation): UpdateWay {
  if (!isPackaged) return 'none';
  if (platform === 'linux' && !isAppImage && !isWritable) return 'package-manager';
  if (server === undefined || !isServerAllowed(server)) return 'none';
  return platform === 'linux' && !(isAppImage && isWritable) ? 'archive' : 'itself';
}

/** The administrator's file: `{ "updates": false }` turns updates off for everybody on this computer. */
const policy = z.object({ updates: z.boolean().optional() });

/** Returns the file of the administrator, in a folder that only administrators can write to. */
export function policyFile(platform: NodeJS.Platform, environment: NodeJS.ProcessEnv): string {
  if (platform === 'win32')
    return join(environment['ProgramData'] || String.raw`C:\ProgramData`, 'Holdfast', 'policy.json');
  if (platform === 'darwin') return '/Library/Application Support/Holdfast/policy.json';
  return '/etc/holdfast/policy.json';
}

/** Returns whether the administrator has turned updates off. A file that cannot be understood counts as such. */
export function isForbidden(file: string): boolean {
  try {
    return policy.parse(JSON.parse(readFileSync(file, 'utf8'))).updates === false;
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes(systemCodeOf(error) ?? '');
  }
}

/** Returns whether the address of the server is one that nobody on the way can change: HTTPS, or this computer in tests. */
function isServerAllowed(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && hostname === '127.0.0.1');
}
