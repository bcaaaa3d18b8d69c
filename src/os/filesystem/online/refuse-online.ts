import { fileSystemPath } from '../names/entry-path.ts';
import { onlineFileSystem } from './online-files.ts';

/** Throws `EONLINE` for a file that opening would download. @param entryPath of the file */
export function refuseOnline(entryPath: string): void {
  const system = onlineFileSystem();
  if (!system) return;
  const path = fileSystemPath(entryPath);
  const isOnline = system.isFileOnline(typeof path === 'string' ? path : path.toString());
  if (isOnline) throw Object.assign(new Error(entryPath), { code: 'EONLINE' });
}
