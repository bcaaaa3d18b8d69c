import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Line } from '../line-campaign.ts';

export const LINE_FAULTS = ['reset', 'closed', 'truncated', 'late', 'a bit flipped'] as const;

/** What happens to a connection once so many bytes have passed, in both directions together. */
export interface LineFault {
  readonly at: number;
  readonly kind: (typeof LINE_FAULTS)[number];
  /** Whether no connection is accepted from then on. */
  readonly isLasting: boolean;
}

const LATE_MS = 50;

/** A TCP proxy on the loopback with one fault on demand. */
export class FaultyLine implements Line<LineFault>, AsyncDisposable {
  readonly #target: number;
  readonly #server = createServer({ noDelay: true }, (client) => this.#relay(client));
  readonly #open = new Set<Socket>();
  #fault: LineFault | undefined;
  #passed = 0;
  #isOver = false;

  private constructor(target: number) {
    this.#target = target;
  }

  /** @param target a port of the loopback */
  static async listen(target: number): Promise<FaultyLine> {
    const line = new FaultyLine(target);
    line.#server.listen(0, '127.0.0.1');
    await once(line.#server, 'listening');
    return line;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Each run has connections of its own. */
  begin(fault?: LineFault): number {
    for (const socket of this.#open) socket.resetAndDestroy();
    const passed = this.#passed;
    this.#passed = 0;
    this.#isOver = false;
    this.#fault = fault;
    return passed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.begin();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #relay(client: Socket): void {
    if (this.#isOver && this.#fault?.isLasting === true) {
      client.resetAndDestroy();
      return;
    }
    const server = connect({ host: '127.0.0.1', port: this.#target, noDelay: true });
    for (const [socket, other] of [[client, server] as const, [server, client] as const]) {
      this.#open.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.#open.delete(socket);
        other.destroySoon();
      });
    }
    void this.#pump(client, server);
    void this.#pump(server, client);
  }

  async #pump(from: Socket, to: Socket): Promise<void> {
    try {
      for await (const piece of from as AsyncIterable<Buffer>) {
        const at = this.#here(piece.length);
        if (at !== undefined) {
          const { kind } = this.#fault!;
          if (kind === 'late') await sleep(LATE_MS);
          if (kind === 'a bit flipped') piece[at]! ^= 1;
          if (kind === 'truncated') to.write(piece.subarray(0, at));
          if (kind === 'closed' || kind === 'truncated') {
            to.end();
            from.end();
            return;
          }
          if (kind === 'reset') {
            to.resetAndDestroy();
            from.resetAndDestroy();
            return;
          }
        }
        if (!to.write(piece)) await Promise.race([once(to, 'drain'), once(to, 'close')]);
      }
    } catch {
      to.destroy();
    }
  }

  /** Counts bytes. Returns where in them the fault is, if it is there. */
  #here(bytes: number): number | undefined {
    const before = this.#passed;
    this.#passed += bytes;
    const fault = this.#fault;
    if (!fault || this.#isOver || this.#passed <= fault.at) return undefined;
    this.#isOver = true;
    return fault.at - before;
  }
}
