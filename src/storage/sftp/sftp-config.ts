/** A folder on an SSH server, and the access to it. */
export interface SftpConfig {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** Absolute, or relative to the user's own folder; empty for that folder itself. */
  readonly path: string;
  readonly hostKey: HostKeyCheck;
  readonly authentication: SftpAuthentication;
}

/** How the server proves that it is the right one. Fingerprints are those of `ssh-keygen -l`: `SHA256:` and Base64. */
export type HostKeyCheck =
  | { readonly kind: 'known'; readonly fingerprint: string }
  /** At set-up a person decides. */
  | { readonly kind: 'ask'; readonly accept: (fingerprint: string) => boolean | Promise<boolean> };

export type SftpAuthentication =
  | { readonly kind: 'password'; readonly password: string }
  /** `passphrase` decrypts the key. */
  | { readonly kind: 'key-file'; readonly file: string; readonly passphrase?: string | undefined }
  /** `socket` is the agent's; by default that of `SSH_AUTH_SOCK`, or Windows' own. */
  | { readonly kind: 'agent'; readonly socket?: string | undefined };

export const SSH_PORT = 22;

/** A folder on an SSH server, as its address names it. */
export type SftpPlace = Pick<SftpConfig, 'user' | 'host' | 'path'> & { readonly port?: number | undefined };

/** Formats the address as people write it. */
export function sftpAddress({ user, host, port = SSH_PORT, path }: SftpPlace): string {
  const name = host.includes(':') ? `[${host}]` : host;
  const folder = path.startsWith('/') ? path : `/~/${path}`;
  return `sftp://${user}@${name}${port === SSH_PORT ? '' : `:${port}`}${folder.replace(/\/+$/, '')}`;
}
