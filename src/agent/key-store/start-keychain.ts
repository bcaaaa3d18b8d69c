import { fileURLToPath } from 'node:url';
import { childProcessPort } from '../../base/calls/process-port.ts';
import { relayedKeychain, type KeychainProcess } from './keychain-relay.ts';

/** Starts a process for one call: by itself under Node, and by Electron's main process in the app, whose program runs nothing else. */
export async function startKeychain(environment: NodeJS.ProcessEnv): Promise<KeychainProcess> {
  if (process.versions['electron'] !== undefined) return relayedKeychain();
  const { fork } = await import('node:child_process');
  const program = fileURLToPath(new URL('./keychain-process.ts', import.meta.url));
  const child = fork(program, { env: environment, execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  return { port: childProcessPort(child), kill: () => void child.kill('SIGKILL') };
}
