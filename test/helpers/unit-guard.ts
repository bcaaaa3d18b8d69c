import childProcess from 'node:child_process';
import dgram from 'node:dgram';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import workerThreads from 'node:worker_threads';
import { afterEach, expect } from 'vitest';

/** Who calls `refuse`, in a process that is shared by files: each loads this one anew. */
declare global {
  var refusedInUnitTest: string[] | undefined;
}

/**
 * Setup file of the unit tests: a process, a thread or a socket is refused with a sentence. The test fails even if the code that it tests
 * catches the error.
 */
if (globalThis.refusedInUnitTest === undefined) {
  globalThis.refusedInUnitTest = [];
  refuseCalls(childProcess.ChildProcess.prototype, ['spawn'], 'a process');
  refuseCalls(childProcess, ['spawnSync', 'execFileSync', 'execSync'], 'a process');
  refuseCalls(workerThreads, ['Worker'], 'a thread');
  refuseCalls(net.Server.prototype, ['listen'], 'a socket');
  refuseCalls(net.Socket.prototype, ['connect'], 'a socket');
  refuseCalls(dgram.Socket.prototype, ['bind', 'connect', 'send'], 'a socket');
  refuseCalls(dns, ['lookup', 'resolve'], 'a look-up of a name');
  refuseCalls(dns.promises, ['lookup', 'resolve'], 'a look-up of a name');
  // What others have imported by name follows.
  syncBuiltinESMExports();
}

afterEach(() => {
  const refused = takeRefused();
  if (refused.length > 0) expect.fail(refused.join('\n'));
});

/** Returns what has been refused since the last call, as sentences. */
export function takeRefused(): readonly string[] {
  return globalThis.refusedInUnitTest?.splice(0) ?? [];
}

function refuseCalls(owner: object, names: readonly string[], what: string): void {
  // Called with `new`, too.
  function refuse(): never {
    const sentence = `A test of test/unit starts ${what}. Tests that need one belong in test/system, or in test/app if they start a browser.`;
    globalThis.refusedInUnitTest?.push(sentence);
    throw new Error(sentence);
  }
  for (const name of names) Object.assign(owner, { [name]: refuse });
}
