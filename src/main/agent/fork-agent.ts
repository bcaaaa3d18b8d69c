import { utilityProcess } from 'electron';
import type { ForkAgent } from './agent-process.ts';

/** As bin/holdfast starts the CLI: a heap that may grow to a gigabyte lets four times of what is alive lie as garbage. */
const FLAGS = ['--max-semi-space-size=4', '--max-old-space-size=768', '--disable-warning=ExperimentalWarning'];

/** Starts the agent as a utility process of Electron's: Node without a window, which a crash of the window leaves alone. */
export function forkAgent(program: string, home: string): ForkAgent {
  // The terminal that it went to may be gone, and that ends nothing.
  process.stderr.on('error', () => undefined);
  return ({ onMessage, onExit, onError }) => {
    const child = utilityProcess.fork(program, [], {
      serviceName: 'Holdfast agent',
      stdio: ['ignore', 'inherit', 'pipe'],
      execArgv: FLAGS,
      // Each thread would get a heap of its own from glibc, and keep what it once used.
      env: { MALLOC_ARENA_MAX: '2', ...process.env, HOLDFAST_HOME: home },
    });
    child.on('message', onMessage);
    child.stderr?.on('data', (bytes: Buffer) => {
      process.stderr.write(bytes);
      onError(bytes.toString());
    });
    child.once('exit', onExit);
    return { post: (message) => child.postMessage(message), kill: () => void child.kill() };
  };
}
