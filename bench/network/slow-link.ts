import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { LinkMeter } from './link-meter.ts';

export interface LinkSpeed {
  readonly roundTripMs: number;
  /** Of each direction, shared by all connections. */
  readonly bytesPerSecond: number;
}

/** Bytes wait this long at most in front of the link, as in a router's buffer; then senders have to. */
const QUEUE_MS = 50;

/**
 * A TCP proxy on the loopback that behaves as a long line: what goes in comes out half a round trip later, however much
 * is on its way, and all connections share one rate in each direction. Losses, handshakes and TCP's slow start are not
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
  /** What the client sends. */
  readonly up = new LinkMeter();
  /** What it is sent. */
  readonly down = new LinkMeter();

  private constructor(speed: LinkSpeed) {
    this.#up = new Lane(speed, this.up);
    this.#down = new Lane(speed, this.down);
    this.#server = createServer({ noDelay: true }, (client) => this.#relay(client));
  }

  /** Listens; connections are refused until `connectTo` was called. */
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

  /** Nothing passes any more, and nobody is told. */
  cut(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#cut = promise;
    this.#mend = resolve;
  }

  /** As `cut`, and all connections are reset, and new ones refused. */
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

/** @param passage what to wait for where the link is cut */
async function pump(from: Socket, to: Socket, lane: Lane, passage: () => Promise<void> | undefined): Promise<void> {
  let delivered = Promise.resolve();
  try {
    for await (const piece of from as AsyncIterable<Buffer>) {
      await passage();
      // A receiver that does not take what it is sent holds the sender up, as its window would.
      if (to.writableNeedDrain) await Promise.race([once(to, 'drain'), once(to, 'close')]);
      delivered = deliver(piece, to, await lane.send(piece.length), delivered);
    }
    await delivered;
    to.end();
  } catch {
    // One side went away; the sockets' own listeners tell the other.
    to.destroy();
  }
}

/** Pieces go out one after the other, since timers that end in the same millisecond keep no order. */
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

  /** Waits until there is room in front of the link; answers when the bytes are at the other end. */
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
