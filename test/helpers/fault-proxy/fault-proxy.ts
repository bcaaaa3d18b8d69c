import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** The faults of one direction; they may change while connections are open. */
export interface Conditions {
  /** The delay of each piece in milliseconds; the order is kept. */
  readonly latencyMs: number;
  /** Bytes per second of one connection; 0 for no limit. */
  readonly bytesPerSecond: number;
  /** Resets the connection after this many bytes of this direction. */
  readonly resetAfter: number;
  /** Flips one bit of this byte of every connection; -1 for none. */
  readonly flipAt: number;
  /** Drops all bytes silently. */
  readonly blackHole: boolean;
}

const GOOD: Conditions = {
  latencyMs: 0,
  bytesPerSecond: 0,
  resetAfter: Number.POSITIVE_INFINITY,
  flipAt: -1,
  blackHole: false,
};

type Direction = 'up' | 'down';

/** A TCP proxy on the loopback with faults on demand. `up` is the direction from the client. */
export class FaultProxy {
  readonly #target: { readonly host: string; readonly port: number };
  readonly #open = new Set<Socket>();
  readonly #healed = new Set<() => void>();
  #server: Server | undefined;
  #conditions: Record<Direction, Conditions> = { up: GOOD, down: GOOD };
  #port = 0;
  #resets = 0;

  private constructor(target: { readonly host: string; readonly port: number }) {
    this.#target = target;
  }

  /** @param targetUrl the target of the connections, such as `http://127.0.0.1:8080` */
  static async start(targetUrl: string): Promise<FaultProxy> {
    const { hostname, port } = new URL(targetUrl);
    const proxy = new FaultProxy({ host: hostname, port: Number(port) });
    await proxy.listen();
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Connections that were reset by `resetAfter` or `resetAll`. */
  get resets(): number {
    return this.#resets;
  }

  set(direction: Direction, conditions: Partial<Conditions>): void {
    this.#conditions[direction] = { ...this.#conditions[direction], ...conditions };
    for (const heal of this.#healed) heal();
  }

  /** Removes all faults, also from open connections. */
  heal(): void {
    this.#conditions = { up: GOOD, down: GOOD };
    for (const heal of this.#healed) heal();
  }

  /** Resets every open connection. */
  resetAll(): void {
    for (const socket of this.#open) socket.resetAndDestroy();
    this.#resets += this.#open.size / 2;
  }

  /** Closes the port: new connections are refused, open ones stay. */
  refuse(): void {
    this.#server?.close();
    this.#server = undefined;
  }

  /** Opens the same port again. */
  async listen(): Promise<void> {
    const server = createServer({ noDelay: true }, (client) => this.#relay(client));
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  close(): void {
    this.refuse();
    for (const socket of this.#open) socket.destroy();
  }

  #relay(client: Socket): void {
    const server = connect({ ...this.#target, noDelay: true });
    for (const [socket, other] of [[client, server] as const, [server, client] as const]) {
      this.#open.add(socket);
      socket.on('error', () => other.resetAndDestroy());
      socket.on('close', () => this.#open.delete(socket));
    }
    void this.#pump('up', client, server);
    void this.#pump('down', server, client);
  }

  async #pump(direction: Direction, from: Socket, to: Socket): Promise<void> {
    let passed = 0;
    try {
      for await (const piece of from as AsyncIterable<Buffer>) {
        await this.#delay(direction, piece.length);
        const { resetAfter, flipAt } = this.#conditions[direction];
        const allowed = piece.subarray(0, Math.max(0, resetAfter - passed));
        if (flipAt >= passed && flipAt < passed + allowed.length) allowed[flipAt - passed]! ^= 1;
        passed += piece.length;
        if (!to.write(allowed)) await Promise.race([once(to, 'drain'), once(to, 'close')]);
        if (allowed.length === piece.length) continue;
        this.#resets += 1;
        from.resetAndDestroy();
        to.resetAndDestroy();
        return;
      }
      to.end();
    } catch {
      // One side disconnected; the sockets' own listeners end the other.
      to.destroy();
    }
  }

  async #delay(direction: Direction, bytes: number): Promise<void> {
    const { latencyMs, bytesPerSecond } = this.#conditions[direction];
    const pause = latencyMs + (bytesPerSecond === 0 ? 0 : (bytes / bytesPerSecond) * 1000);
    if (pause > 0) await setTimeout(pause);
    while (this.#conditions[direction].blackHole) {
      await new Promise<void>((resolve) => {
        this.#healed.add(resolve);
      });
      this.#healed.clear();
    }
  }
}
