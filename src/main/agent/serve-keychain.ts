import { utilityProcess, type UtilityProcess } from 'electron';
import { MINUTE } from '../../model/units.ts';

/** A message of the agent (agent/key-store/keychain-relay.ts). */
interface ToKeychain {
  readonly from: string;
  readonly message?: unknown;
}

/** The port to the program that uses the keychain; a `MessagePortMain`, for one. */
export interface KeychainPort {
  on(event: 'message', listener: (event: { readonly data: unknown }) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
  postMessage(message: unknown): void;
  start(): void;
}

/** A process that no one has killed by then is blocked by a keychain that nobody unlocks, and its caller has ended. */
const LONGEST_MS = MINUTE;

/**
 * Starts a process of the keychain for each call of the agent, and passes the messages of both on. The agent cannot start one: the
 * program of the app runs as nothing else.
 */
export function serveKeychain(port: KeychainPort, program: string): void {
  const processes = new Map<string, UtilityProcess>();
  port.on('message', ({ data }) => {
    const { from, message } = data as ToKeychain;
    if (message === undefined) return end(processes.get(from));
    const child = processes.get(from) ?? start(from);
    child.postMessage(message);
  });
  port.on('close', () => processes.forEach(end));
  port.start();

  function start(from: string): UtilityProcess {
    const child = utilityProcess.fork(program, [], { serviceName: 'Holdfast keychain', stdio: 'ignore' });
    const limit = setTimeout(() => end(child), LONGEST_MS);
    processes.set(from, child);
    child.on('message', (message: unknown) => port.postMessage({ to: from, message }));
    child.once('exit', () => {
      clearTimeout(limit);
      processes.delete(from);
      port.postMessage({ to: from });
    });
    return child;
  }
}

/** Kills a process that may be blocked: it would not notice a request to end. */
function end(child: UtilityProcess | undefined): void {
  if (child?.pid !== undefined) process.kill(child.pid, 'SIGKILL');
  else child?.once('spawn', () => end(child));
}
