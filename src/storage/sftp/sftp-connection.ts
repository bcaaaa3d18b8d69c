import { readFile } from 'node:fs/promises';
import { Client, type ConnectConfig, type SFTPWrapper } from 'ssh2';
import { HoldfastError, systemCodeOf } from '../../base/errors/errors.ts';
import { fingerprintOf } from './fingerprint.ts';
import { sftpAddress, type HostKeyCheck, type SftpAuthentication, type SftpConfig } from './sftp-config.ts';
import { ConnectionLostError } from './sftp-error.ts';

/** Milliseconds until the server has accepted the user. */
const CONNECTING = 30_000;
/** A connection without a response to four of these is lost. */
const KEEP_ALIVE = 15_000;

const CLOSED = 'the connection was closed';

/** The pipe of the agent that Windows has. */
const WINDOWS_AGENT = String.raw`\\.\pipe\openssh-ssh-agent`;

export interface SftpConnection {
  readonly sftp: SFTPWrapper;
  /** Rejects with `ConnectionLostError` when the connection ends. */
  readonly lost: Promise<never>;
  end(): void;
}

/**
 * Connects, checks the server's key and signs in.
 *
 * @throws HoldfastError `service_unreachable` with the reason `host-key` if the server has another key, `permission_denied`,
 *   `usage`; ConnectionLostError if the server could not be reached
 */
export async function connectSftp(config: SftpConfig, signal?: AbortSignal): Promise<SftpConnection> {
  const address = sftpAddress(config);
  const authentication = await authenticationOf(config.authentication);
  const client = new Client();
  const { promise: lost, reject: lose } = Promise.withResolvers<never>();
  lost.catch(() => undefined);
  let isRefused = false;
  const stop = (): void => void client.destroy();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const sftp = await new Promise<SFTPWrapper>((resolve, reject) => {
      client.on('error', (error) => {
        reject(isRefused ? refusedKey(address) : connectError(error, address));
        lose(new ConnectionLostError(lostBecause(error), { isSilence: error.level === 'client-timeout' }));
      });
      client.on('close', () => {
        reject(new ConnectionLostError(CLOSED, { isSilence: true }));
        lose(new ConnectionLostError(CLOSED));
      });
      if (config.authentication.kind === 'password') {
        const { password } = config.authentication;
        // Many servers ask for the password in this way only.
        client.on('keyboard-interactive', (_name, _instructions, _language, prompts, finish) => {
          finish(prompts.map(() => password));
        });
      }
      client.on('ready', () => {
        client.sftp((error, session) => {
          if (error) reject(new HoldfastError('permission_denied', { address, reason: 'sftp' }, { cause: error }));
          else resolve(session);
        });
      });
      client.connect({
        host: config.host,
        port: config.port,
        username: config.user,
        readyTimeout: CONNECTING,
        keepaliveInterval: KEEP_ALIVE,
        ...authentication,
        hostVerifier: (key: Buffer, verify: (isAccepted: boolean) => void) => {
          void (async () => {
            isRefused = !(await isAccepted(config.hostKey, key));
            verify(!isRefused);
          })();
        },
      });
      // Otherwise each call waits for the acknowledgement of the previous one.
      client.setNoDelay(true);
    });
    return { sftp, lost, end: () => void client.end() };
  } catch (error) {
    client.destroy();
    signal?.throwIfAborted();
    throw isParseError(error) ? refusedPrivateKey(address, error) : error;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

async function isAccepted(check: HostKeyCheck, key: Buffer): Promise<boolean> {
  const fingerprint = fingerprintOf(key);
  if (check.kind === 'known') return fingerprint === check.fingerprint;
  try {
    return await check.accept(fingerprint);
  } catch {
    return false;
  }
}

async function authenticationOf(authentication: SftpAuthentication): Promise<ConnectConfig> {
  switch (authentication.kind) {
    case 'password':
      return { password: authentication.password, tryKeyboard: true };
    case 'key-file': {
      const { file, passphrase } = authentication;
      try {
        return { privateKey: await readFile(file), ...(passphrase === undefined ? {} : { passphrase }) };
      } catch (error) {
        const reason = systemCodeOf(error);
        throw new HoldfastError('usage', { problem: 'file-unreadable', file, reason }, { cause: error });
      }
    }
    case 'agent': {
      const agent = authentication.socket ?? process.env['SSH_AUTH_SOCK'];
      if (agent !== undefined) return { agent };
      return process.platform === 'win32' ? { agent: WINDOWS_AGENT } : {};
    }
  }
}

function refusedKey(address: string): HoldfastError {
  return new HoldfastError('service_unreachable', { address, reason: 'host-key' });
}

function refusedPrivateKey(address: string, cause: unknown): HoldfastError {
  return new HoldfastError('permission_denied', { address, reason: 'private-key' }, { cause });
}

/** Detects a key that cannot be read, mostly for want of the right passphrase, and a public key in its place. */
function isParseError(error: unknown): boolean {
  return error instanceof Error && /^(?:Cannot parse privateKey|privateKey value does not contain)/.test(error.message);
}

/** A server that disconnects sends a number and a text of its own, which may echo a password. */
function lostBecause(error: Error & { readonly code?: unknown }): string {
  if (typeof error.code === 'number') return `disconnected, reason ${error.code}`;
  return systemCodeOf(error) ?? error.message;
}

function connectError(error: Error & { readonly level?: string }, address: string): Error {
  if (error.level === 'client-authentication') {
    return new HoldfastError('permission_denied', { address, reason: 'authentication' }, { cause: error });
  }
  return new ConnectionLostError(lostBecause(error), { isSilence: true });
}
