import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { TOTP } from 'otpauth';
import { CommandFailed, run } from '../compare/measure.ts';
import { SlowLink } from '../network/slow-link.ts';
import { holdfastMissing, holdfastVersion, PROGRAM, storeOf } from './holdfast.ts';
import type { Store, Tool } from './tool.ts';

/** Round trip and rate of the link in the workload `latency`. */
export const LINK = { roundTripMs: 40, bytesPerSecond: 100_000_000 / 8 } as const;

/** Uses the service in another process, over HTTP on loopback. */
export const holdfastHttp: Tool = {
  name: 'holdfast-http',
  label: 'Holdfast over HTTP',
  missing: holdfastMissing,
  version: holdfastVersion,
  open: (place, source) => openOverHttp(place, source, undefined),
};

/** The same behind a link with latency and a limit, for uploads and downloads, too. */
export const holdfastLink: Tool = {
  name: 'holdfast-link',
  label: 'Holdfast over the link',
  missing: holdfastMissing,
  version: holdfastVersion,
  async open(place, source) {
    const link = await SlowLink.listen(LINK);
    const store = await openOverHttp(place, source, link);
    return {
      ...store,
      link,
      async close() {
        link.close();
        await store.close();
      },
    };
  },
};

/** A service in another process and a home that uses it, with or without a link in between. */
export async function openOverHttp(place: string, source: string, link: SlowLink | undefined): Promise<Store> {
  const data = join(place, 'service');
  mkdirSync(data);
  const service = await startService(place, data, link?.url);
  link?.connectTo(service.url);
  try {
    const signIn = await createAccount(place, data);
    const store = await storeOf(place, source, ['--server', link?.url ?? service.url, ...signIn]);
    return { ...store, repository: data, servicePid: service.pid, close: () => service.close() };
  } catch (error) {
    await service.close();
    throw error;
  }
}

export interface RunningService {
  readonly pid: number;
  readonly url: string;
  close(): Promise<void>;
}

/** @param publicUrl the address in its responses, if it differs from its own */
export async function startService(place: string, data: string, publicUrl?: string): Promise<RunningService> {
  const errors = openSync(join(place, 'service-errors'), 'w');
  const child = spawn(PROGRAM, ['service', 'start', '--data', data, '--port', '0', '--json'], {
    env: { ...process.env, ...(publicUrl === undefined ? {} : { HOLDFAST_SERVICE_PUBLIC_URL: publicUrl }) },
    stdio: ['ignore', 'pipe', errors],
  });
  closeSync(errors);
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = once(child, 'exit');
  const line = await Promise.race([once(createInterface(child.stdout!), 'line'), ended.then(() => undefined)]);
  if (line === undefined || child.pid === undefined) throw new CommandFailed('the service did not start');
  const { url } = JSON.parse(String(line[0])) as { url: string };
  return {
    pid: child.pid,
    url,
    async close() {
      child.kill('SIGTERM');
      const [status] = (await ended) as [number | null];
      process.off('exit', kill);
      if (status !== 0) throw new CommandFailed(`the service ended with ${status}`);
    },
  };
}

/** Returns the options of `setup` that sign in as the owner of a new account. */
export async function createAccount(place: string, data: string): Promise<readonly string[]> {
  const email = 'bench@example.org';
  const passwordFile = join(place, 'password');
  writeFileSync(passwordFile, 'a password for the benchmark\n');
  const args = [
    'service',
    'account',
    'create',
    '--data',
    data,
    '--email',
    email,
    '--password-file',
    passwordFile,
    '--json',
  ];
  const answer = JSON.parse(await run({ program: PROGRAM, args, environment: {} }, place)) as { totp_secret: string };
  const code = new TOTP({ secret: answer.totp_secret }).generate();
  return ['--email', email, '--password-file', passwordFile, '--code', code];
}
