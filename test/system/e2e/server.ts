import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { totp } from '../../helpers/strict-service/sign-in-calls.ts';
import type { Running, Workplace } from './workplace.ts';

/** An account created at the command line, with its owner's credentials. */
export interface Account {
  readonly email: string;
  readonly passwordFile: string;
  readonly totpSecret: string;
}

/** Windows has no signals: a process that gets one is ended. */
const IS_ENDED_AT_ONCE = process.platform === 'win32';

interface ServerOptions {
  /** A free one by default. */
  readonly port?: string;
  /** Words of a command that starts the program, such as strace. */
  readonly under?: readonly string[];
}

/** Runs `holdfast service start` until it is disposed of. */
export class Server implements AsyncDisposable {
  readonly address: string;
  readonly running: Running;
  readonly #stop: () => Promise<void>;
  readonly #isUnder: boolean;

  private constructor(address: string, running: Running, stop: () => Promise<void>, isUnder: boolean) {
    this.address = address;
    this.running = running;
    this.#stop = stop;
    this.#isUnder = isUnder;
  }

  static async start(
    workplace: Workplace,
    data: string,
    words: readonly string[] = [],
    { port = '0', under = [] }: ServerOptions = {},
  ): Promise<Server> {
    const place = ['--data', data, '--host', '127.0.0.1', '--port', port];
    const running = workplace.start(['service', 'start', ...place, ...words], undefined, under);
    const { child, ended } = running;
    const lines = createInterface({ input: child.stdout! });
    const first = await Promise.race([once(lines, 'line').then(([line]) => String(line)), ended]);
    const address = typeof first === 'string' ? /https?:\/\/[^\s/]+/.exec(first)?.[0] : undefined;
    if (address === undefined) throw new Error(`the service did not start: ${JSON.stringify(first)}`);
    const server = new Server(
      address,
      running,
      async () => {
        server.askToStop();
        const { status, signal } = await ended;
        if (status !== 0 && !IS_ENDED_AT_ONCE)
          throw new Error(`the service ended with ${status ?? signal} after SIGTERM`);
      },
      under.length > 0,
    );
    return server;
  }

  /** Sends SIGTERM to the service, also to one that a program such as strace runs, which ignores the signal and ends with the service. */
  askToStop(): void {
    const { child } = this.running;
    if (child.exitCode !== null || child.signalCode !== null) return;
    if (!this.#isUnder) child.kill('SIGTERM');
    else for (const pid of childrenOf(child.pid!)) process.kill(pid, 'SIGTERM');
  }

  /** Stops the service as an operator does. Throws unless it exits cleanly. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#stop();
  }
}

function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

export async function createAccount(workplace: Workplace, data: string, email: string): Promise<Account> {
  const passwordFile = workplace.write(`password of ${email}`, 'correct horse battery staple\n');
  const words = ['service', 'account', 'create', '--data', data, '--email', email, '--password-file', passwordFile];
  const answer = await workplace.json<{ readonly totp_secret: string }>(words);
  return { email, passwordFile, totpSecret: answer.totp_secret };
}

/** True if oathtool is installed, which tests that sign in need on Linux. */
export const CAN_SIGN_IN = process.platform === 'win32' || spawnSync('oathtool', ['--version']).status === 0;

/** Returns the authenticator app's code of now, or of some milliseconds later, computed by oathtool where it exists. Each counts once. */
export function codeOf({ totpSecret }: Account, later = 0): string {
  if (process.platform === 'win32') return totp(totpSecret, Date.now() + later);
  const now = new Date(Date.now() + later).toISOString().replace('T', ' ').slice(0, 19);
  const words = ['--totp', '--base32', '--now', `${now} UTC`, totpSecret];
  return execFileSync('oathtool', words, { encoding: 'utf8' }).trim();
}
