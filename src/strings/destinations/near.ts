import type { ConfiguredDestination } from '../../ipc/state.ts';

/** Names that only a home or office network resolves: `nas`, `nas.local`, `nas.fritz.box`. */
const LOCAL_NAME = /^(localhost|[^.:]+|.+\.(local|lan|home|internal|intranet|localdomain|home\.arpa|fritz\.box))\.?$/i;
/** RFC 1122, 1918, 3927 and 4193. */
const LOCAL_ADDRESS =
  /^(127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.)[\d.]+$|^\[(::1|f[cd][0-9a-f]{2}:.*|fe[89ab][0-9a-f]:.*)\]$/i;

/**
 * Returns whether a destination is beside the computer, so that a theft or fire takes both: a folder, or a server on the same
 * network. False if that is unknown.
 */
export function isNear({ kind, location }: Pick<ConfiguredDestination, 'kind' | 'location'>): boolean {
  switch (kind) {
    case 'folder':
      return true;
    case 'sftp':
    case 'webdav':
    case 'service': {
      const host = hostOf(location);
      return LOCAL_NAME.test(host) || LOCAL_ADDRESS.test(host);
    }
    // Neither address names a host.
    case 'bucket':
    case 'rclone':
      return false;
  }
}

/** Returns the host of `SCHEME://[USER@]HOST[:PORT][/PATH]`; empty without one. */
function hostOf(location: string): string {
  return /^[a-z+]+:\/\/(?:[^/]*@)?(\[[^\]]*\]|[^/:]*)/i.exec(location)?.[1] ?? '';
}
