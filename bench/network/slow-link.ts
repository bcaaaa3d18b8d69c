import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { LinkMeter } from './link-meter.ts';

export interface LinkSpeed {
  readonly roundTripMs: number;
  /** Bytes per second in each direction, shared by all connections. */
  readonly bytesPerSecond: number;
}

/** Maximum queueing time in front of the link, as in a router's buffer; beyond it senders block. */
const QUEUE_MS = 50;

/**
 * A TCP proxy on loopback that imitates a long line: data arrives half a round trip later, however much
 * is in flight, and all connections share one rate in each direction. Losses, handshakes and TCP slow start are not
 * imitated.
 */
export class SlowLink {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #up: Lane;
  readonly #down: Lane;
  #target: { readonly host: string; readonly port: number } | undefined;
  #cut: Promise<void> | undefined;
  #refusing = false;
  #mend: () => void = () => undefined;
  /** Traffic from the client. */
  readonly up = new LinkMeter();
  /** Traffic to the client. */
  readonly down = new LinkMeter();

  private constructor(speed: LinkSpeed) {
    this.#up = new Lane(speed, this.up);
    this.#down = new Lane(speed, this.down);
    this.#server = createServer({ noDelay: true }, (client) => this.#relay(client));
  }

  /** Listens. Connections are refused until `connectTo` is called. */
  static async listen(speed: LinkSpeed): Promise<SlowLink> {
    const link = new SlowLink(speed);
    link.#server.listen(0, '127.0.0.1');
    await once(link.#server, 'listening');
    return link;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  connectTo(url: string): void {
    const { hostname, port } = new URL(url);
    this.#target = { host: hostname, port: Number(port) };
  }

  /** Drops all traffic silently. */
  cut(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#cut = promise;
    this.#mend = resolve;
  }

  /** Like `cut`, but also resets all connections and refuses new ones. */
  cutAndReset(): void {
    this.cut();
    this.#refusing = true;
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  mend(): void {
    this.#cut = undefined;
    this.#refusing = false;
    this.#mend();
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #relay(client: Socket): void {
    if (!this.#target || this.#refusing) {
      client.resetAndDestroy();
      return;
    }
    const server = connect({ ...this.#target, noDelay: true });
    for (const [socket, other] of [[client, server] as const, [server, client] as const]) {
      this.#sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => this.#sockets.delete(socket));
    }
    const passage = (): Promise<void> | undefined => this.#cut;
    void pump(client, server, this.#up, passage);
    void pump(server, client, this.#down, passage);
  }
}

/** @param passage resolves when the link works again */
async function pump(from: Socket, to: Socket, lane: Lane, passage: () => Promise<void> | undefined): Promise<void> {
  let delivered = Promise.resolve();
  try {
    for await (const piece of from as AsyncIterable<Buffer>) {
      await passage();
      // A receiver that does not read blocks the sender, as its TCP window would.
      if (to.writableNeedDrain) await Promise.race([once(to, 'drain'), once(to, 'close')]);
      delivered = deliver(piece, to, await lane.send(piece.length), delivered);
    }
    await delivered;
    to.end();
  } catch {
    // One side closed; the sockets' own listeners close the other.
    to.destroy();
  }
}

/** Sends pieces one after the other, since timers of the same millisecond have no order. */
async function deliver(piece: Buffer, to: Socket, arrival: number, before: Promise<void>): Promise<void> {
  await before;
  await until(arrival);
  if (!to.destroyed) to.write(piece);
}

/** One direction of the link. */
class Lane {
  readonly #delayMs: number;
  readonly #bytesPerMs: number;
  readonly #meter: LinkMeter;
  #freeAt = 0;

  constructor({ roundTripMs, bytesPerSecond }: LinkSpeed, meter: LinkMeter) {
    this.#meter = meter;
    this.#delayMs = roundTripMs / 2;
    this.#bytesPerMs = bytesPerSecond / 1000;
  }

  /** Waits for space in front of the link. Returns the arrival time of the bytes at the other end. */
  async send(bytes: number): Promise<number> {
    const sentAt = Math.max(performance.now(), this.#freeAt) + bytes / this.#bytesPerMs;
    this.#freeAt = sentAt;
    this.#meter.add(sentAt, bytes);
    await until(sentAt - QUEUE_MS);
    return sentAt + this.#delayMs;
  }
}

async function until(time: number): Promise<void> {
  const wait = time - performance.now();
  if (wait > 0) await setTimeout(wait);
}
