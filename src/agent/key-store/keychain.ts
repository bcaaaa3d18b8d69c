import { fileURLToPath } from 'node:url';
import { HoldfastError } from '../../base/errors.ts';
import { keychainAnswer, type KeychainRequest } from './keychain-wire.ts';

/** Keys in a place that the operating system guards. Every method may throw HoldfastError `keychain_unavailable`. */
export interface Keychain {
  /** Nothing where there is no such key. */
  get(account: string): Promise<Uint8Array | undefined>;
  set(account: string, key: Uint8Array): Promise<void>;
  delete(account: string): Promise<void>;
}

/** So long a person may take to unlock it, where a run needs the keys; without anybody there, a run fails by then. */
const PATIENCE_MS = 30_000;

/**
 * The system's keychain: Keychain on macOS, the Credential Manager on Windows, the Secret Service on Linux. Each request
 * goes to a process of its own, which ends with it: what blocks there blocks nobody here.
 */
export class SystemKeychain implements Keychain {
  readonly #environment: NodeJS.ProcessEnv;
  readonly #patienceMs: number;

  /** @param patienceMs after which a keychain that does not answer is unavailable */
  constructor(environment: NodeJS.ProcessEnv, patienceMs: number = PATIENCE_MS) {
    this.#environment = environment;
    this.#patienceMs = patienceMs;
  }

  async get(account: string): Promise<Uint8Array | undefined> {
    const secret = await this.#ask({ kind: 'get', account });
    return secret === undefined ? undefined : new Uint8Array(Buffer.from(secret, 'base64'));
  }

  async set(account: string, key: Uint8Array): Promise<void> {
    await this.#ask({ kind: 'set', account, secret: Buffer.from(key).toString('base64') });
  }

  async delete(account: string): Promise<void> {
    await this.#ask({ kind: 'delete', account });
  }

  async #ask(request: KeychainRequest): Promise<string | undefined> {
    const { fork } = await import('node:child_process');
    const program = fileURLToPath(new URL('./keychain-process.ts', import.meta.url));
    const child = fork(program, {
      env: { ...this.#environment, ELECTRON_RUN_AS_NODE: '1' },
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const timer = setTimeout(() => resolve({ ok: false, problem: 'no-answer' }), this.#patienceMs);
    child.once('message', resolve);
    child.once('error', () => resolve({ ok: false, problem: 'not-started' }));
    child.once('exit', () => resolve({ ok: false, problem: 'not-started' }));
    // One that ended at once has said so above.
    child.send(request, () => undefined);
    try {
      const answer = keychainAnswer.parse(await promise);
      if (answer.ok) return answer.secret;
      throw new HoldfastError('keychain_unavailable', { problem: answer.problem }, { retryable: true });
    } finally {
      clearTimeout(timer);
      child.kill('SIGKILL');
    }
  }
}
