import { resolve } from 'node:path';
import { wrongUsage } from '../../base/errors/errors.ts';
import { requireUserHome } from '../../base/files/user-home.ts';
import { hasEscape } from '../../os/filesystem/names/entry-path.ts';

const ON_WINDOWS = process.platform === 'win32';

/** Any address with a scheme. A drive of Windows has one letter. */
const URL_SCHEME = /^[a-z][a-z0-9+.-]+:\/\//i;
const DRIVE = /^[a-z]:(?:[\\/]|$)/i;

/**
 * Converts a path of this computer as people type it into an absolute one. `~/` is the home folder of the person, also where no shell has
 * expanded it (`--to=~/x`, the window, settings).
 *
 * @throws HoldfastError `usage` (`local-path`) for what cannot be meant as a path here: addresses, other people's `~name`, a blank
 */
export function localPath(text: string): string {
  return resolve(withoutTilde(text));
}

/**
 * Converts the path of a folder or file that is going to be written. Its name has to be text.
 *
 * @throws HoldfastError `usage` (`local-path`)
 */
export function targetPath(text: string): string {
  if (hasEscape(text)) throw notHere(text, undefined);
  return localPath(text);
}

/** Like `localPath`, but leaves a relative path relative. @throws HoldfastError `usage` (`local-path`) */
export function withoutTilde(text: string): string {
  const isForeign = text.trim() === '' || URL_SCHEME.test(text) || (!ON_WINDOWS && isWindowsPath(text));
  if (isForeign || /^~[^/\\]/.test(text)) throw notHere(text, /^file:\/\//i.test(text) ? text.slice(7) : undefined);
  return expandedHome(text);
}

/** Expands `~` and `~/`, and leaves everything else: an entry path may be one of another computer. */
export function expandedHome(text: string): string {
  return text.replace(/^~(?=$|[/\\])/, () => requireUserHome(text));
}

/**
 * Converts a destination's folder as people type it. It has to look like a path: what looks like anything else may be an address that is
 * meant to be far away, and would become a folder of that name.
 *
 * @throws HoldfastError `usage` (`local-path`)
 */
export function destinationFolder(text: string): string {
  const isPath = /^(?:\/|\.\.?(?:[/\\]|$)|~(?:[/\\]|$))/.test(text) || (ON_WINDOWS && isWindowsPath(text));
  if (!isPath) throw notHere(text, meantAddress(text));
  return targetPath(text);
}

function isWindowsPath(text: string): boolean {
  return DRIVE.test(text) || text.startsWith('\\\\');
}

/** Returns the form in which an address of another program, or a relative folder, is written here; `undefined` if that is not clear. */
export function meantAddress(text: string): string | undefined {
  const typed = text.trim();
  if (typed === '' || typed.startsWith('~') || isWindowsPath(typed)) return undefined;
  const s3 = /^s3:(?!\/\/)(?:https?:\/\/)?([^/]+)(?:\/(.+))?$/i.exec(typed);
  if (s3) return s3[2] === undefined ? `s3://${s3[1]}` : `s3://${s3[2]} --endpoint https://${s3[1]}`;
  const scp = /^(?:sftp:|ssh:\/\/|scp:)?((?:[^@/:\s]+@)?[^@/:\s]+):(?!\/\/)(.*)$/i.exec(
    typed.replace(/^sftp:(?!\/\/)/i, ''),
  );
  const isSftp = /^sftp:/i.test(typed) || typed.includes('@');
  if (scp && (isSftp || scp[2]!.startsWith('/'))) {
    const path = scp[2]!;
    return `sftp://${scp[1]}${path.startsWith('/') ? path : `/~/${path}`}`;
  }
  const rest = /^rest:(https?:\/\/.+)$/i.exec(typed);
  if (rest) return `--server ${rest[1]}`;
  const cloud = /^b2:([^:/]+)(?::(.*))?$/i.exec(typed);
  if (cloud) return `rclone:b2:${cloud[1]}${cloud[2] ? `/${cloud[2]}` : ''}`;
  const webdav = /^webdav(s?):\/\/(.+)$/i.exec(typed);
  if (webdav) return `dav${webdav[1]!.toLowerCase()}://${webdav[2]}`;
  if (/^file:\/\//i.test(typed)) return typed.slice(7);
  if (URL_SCHEME.test(typed)) return undefined;
  if (/^[^/:\s]+:[^/]/.test(typed)) return `rclone:${typed}`;
  return /^[^:]+$/.test(typed) ? `./${typed}` : undefined;
}

function notHere(path: string, meant: string | undefined): Error {
  return wrongUsage({ problem: 'local-path', path, meant });
}
