import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that a system hands out by itself (on Linux from 32768 on), of which another test could get the same one before the program has it. */
const [FIRST, END] = [15_000, 32_000];
const TAKEN: ReadonlySet<string | undefined> = new Set(['EADDRINUSE', 'EACCES']);

/** Returns a port of 127.0.0.1 that nobody uses, for a program that cannot choose one itself. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, END);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch (error) {
      if (!TAKEN.has((error as NodeJS.ErrnoException).code)) throw error;
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}
