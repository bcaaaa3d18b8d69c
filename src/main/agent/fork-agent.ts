import { MessageChannelMain, utilityProcess } from 'electron';
import { AgentEnd, type ForkAgent } from './agent-process.ts';
import { serveKeychain } from './serve-keychain.ts';

/** Equal to those in bin/holdfast: without a limit on the heap, V8 keeps four times the live memory as garbage. */
const FLAGS = ['--max-semi-space-size=4', '--max-old-space-size=768', '--disable-warning=ExperimentalWarning'];

/** Starts the agent as a utility process of Electron: Node without a window, which survives a crash of the window. */
export function forkAgent(program: string, keychainProgram: string, home: string): ForkAgent {
  // The terminal may be gone by now; that must not end the program.
  process.stderr.on('error', () => undefined);
  return () => {
    const child = utilityProcess.fork(program, [], {
      serviceName: 'Holdfast agent',
      stdio: ['ignore', 'inherit', 'pipe'],
      execArgv: FLAGS,
      // By default glibc allocates an arena for each thread, which never shrinks.
      env: { MALLOC_ARENA_MAX: '2', ...process.env, HOLDFAST_HOME: home },
    });
    const { port1, port2 } = new MessageChannelMain();
    serveKeychain(port1, keychainProgram);
    child.postMessage('keychain', [port2]);
    return {
      post: (message) => child.postMessage(message),
      kill: () => void child.kill(),
      onMessage: (listener) => void child.on('message', listener),
      onEnd: (listener) => void child.once('exit', (code) => listener(new AgentEnd(code))),
      onErrorOutput: (listener) => {
        child.stderr?.on('data', (bytes: Buffer) => {
          process.stderr.write(bytes);
          listener(bytes.toString());
        });
      },
    };
  };
}
