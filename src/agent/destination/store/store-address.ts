import { wrongUsage } from '../../../base/errors/errors.ts';
import type { SftpPlace } from '../../../storage/sftp/sftp-config.ts';

/** A folder of a WebDAV server. */
export interface WebdavPlace {
  readonly url: string;
  readonly user?: string | undefined;
}

const WEBDAV_SCHEMES: ReadonlyMap<string, string> = new Map([
  ['davs:', 'https:'],
  ['dav:', 'http:'],
  ['https:', 'https:'],
  ['http:', 'http:'],
]);

/**
 * Parses `sftp://[USER@]HOST[:PORT]/PATH`; a path that begins with `/~/` is relative to the user's own folder.
 *
 * @throws HoldfastError `usage` (`sftp-address`)
 */
export function parseSftpAddress(text: string): Omit<SftpPlace, 'user'> & { readonly user?: string | undefined } {
  const url = URL.parse(text.trim());
  const path = url && decoded(url.pathname);
  const user = decoded(url?.username ?? '');
  const isRight = url?.protocol === 'sftp:' && url.hostname !== '' && url.port !== '0' && isPlain(url);
  if (!isRight || !path || user === undefined) {
    throw wrongUsage({ problem: 'sftp-address', address: withoutPassword(text) });
  }
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    ...(url.port !== '' && url.port !== '22' && { port: Number(url.port) }),
    ...(user !== '' && { user }),
    path: folderOf(path),
  };
}

/**
 * Parses `davs://[USER@]HOST[:PORT]/PATH`, or `dav://` for a server without encryption. `https://` and `http://` mean the same.
 *
 * @throws HoldfastError `usage` (`webdav-address`)
 */
export function parseWebdavAddress(text: string): WebdavPlace {
  const trimmed = text.trim();
  const scheme = WEBDAV_SCHEMES.get(/^[a-z]+:(?=\/\/)/i.exec(trimmed)?.[0].toLowerCase() ?? '');
  const url = scheme === undefined ? null : URL.parse(trimmed.replace(/^[a-z]+:/i, scheme));
  const user = decoded(url?.username ?? '');
  if (!url || user === undefined || !isPlain(url)) {
    throw wrongUsage({ problem: 'webdav-address', address: withoutPassword(text) });
  }
  return { url: url.origin + url.pathname.replace(/\/*$/, '/'), ...(user !== '' && { user }) };
}

/** Parses `rclone:REMOTE:PATH`, or `REMOTE:PATH` alone. @throws HoldfastError `usage` (`rclone-address`) */
export function parseRcloneAddress(text: string): { readonly remote: string } {
  const remote = text.trim().replace(/^rclone:/, '');
  if (!/^:?[^:\s][^:]*:/.test(remote)) throw wrongUsage({ problem: 'rclone-address', address: text });
  return { remote };
}

/** Returns whether a URL has neither a password nor anything after its path. */
function isPlain(url: URL): boolean {
  return url.password === '' && url.search === '' && url.hash === '';
}

function folderOf(path: string): string {
  const folder = path.replace(/\/+$/, '') || '/';
  return folder === '/~' ? '' : folder.replace(/^\/~\//, '');
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Removes a password from an address, which messages and logs quote. */
function withoutPassword(text: string): string {
  return text.replace(/^([a-z+]+:\/\/[^/@:]*):.*@/i, '$1@');
}
