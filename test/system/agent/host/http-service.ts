import { createAdaptorServer } from '@hono/node-server';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret, TOTP } from 'otpauth';
import { pino } from 'pino';
import { ENDPOINTS } from '../../../../src/protocol/endpoints.ts';
import type { RestoreFileEntry } from '../../../../src/protocol/restore.ts';
import { createAccount } from '../../../../src/service/accounts.ts';
import type { IdentityProvider } from '../../../../src/service/auth/account-settings.ts';
import { OBJECTS_PATH } from '../../../../src/service/objects/presigned-url.ts';
import { openStores } from '../../../../src/service/open-stores.ts';
import { createService } from '../../../../src/service/service.ts';
import { CHEAP } from '../../../helpers/service/cheap-passwords.ts';

export const ANNA = { email: 'anna@example.com', password: 'correct horse battery staple' } as const;

interface Answered {
  readonly path: string;
  readonly status: number;
}

/** Replaces the files of every restore manifest. Its totals are adapted. */
type ManifestChange = (files: readonly RestoreFileEntry[]) => readonly RestoreFileEntry[];

interface Parts {
  readonly changes: { manifests?: ManifestChange | undefined };
  readonly url: string;
  readonly secret: string;
  readonly clock: { offset: number };
  readonly gate: Gate;
  readonly answers: readonly Answered[];
}

/** The real service on a local socket, with Anna's account and a clock that a test can advance. */
export class HttpService {
  readonly url: string;
  /** The responses, oldest first. */
  readonly answers: readonly Answered[];
  readonly #secret: string;
  readonly #end: () => Promise<void>;
  readonly #clock: { offset: number };
  readonly #gate: Gate;
  readonly #changes: Parts['changes'];

  private constructor(parts: Parts, end: () => Promise<void>) {
    this.url = parts.url;
    this.answers = parts.answers;
    this.#secret = parts.secret;
    this.#gate = parts.gate;
    this.#end = end;
    this.#clock = parts.clock;
    this.#changes = parts.changes;
  }

  /** @param providers may use the address of the service */
  static async open(
    providers: (url: string) => Promise<readonly IdentityProvider[]> = async () => [],
  ): Promise<HttpService> {
    const directory = await mkdtemp(join(tmpdir(), 'holdfast-service-'));
    const { totp_secret: secret } = await createAccount(directory, ANNA, { passwordCost: CHEAP });
    const clock = { offset: 0 };
    const gate = new Gate();
    const changes: Parts['changes'] = {};
    const handler = Promise.withResolvers<(request: Request) => Promise<Response>>();
    const server = createAdaptorServer({ fetch: async (request) => (await handler.promise)(request) });
    server.on('connection', (socket: Socket) => gate.connected(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const service = await createService({
      ...(await openStores(directory, { create: true })),
      clock: { now: () => Date.now() + clock.offset },
      log: pino({ level: 'silent' }),
      accounts: { providers: await providers(url), passwordCost: CHEAP },
      publicUrl: url,
    });
    const answers: Answered[] = [];
    handler.resolve(async (request) => {
      if (request.method === 'PUT') await gate.uploads.pass();
      if (isDownload(request)) await gate.downloads.pass();
      // The client has disconnected.
      if (gate.isAway) return new Response(undefined, { status: 502 });
      const response = await changed(request, await service.fetch(request), changes.manifests);
      answers.push({ path: new URL(request.url).pathname, status: response.status });
      // From the service's own clock, as for every server.
      response.headers.set('date', new Date(Date.now() + clock.offset).toUTCString());
      return response;
    });
    return new HttpService({ url, secret, clock, gate, answers, changes }, async () => {
      gate.uploads.open();
      gate.downloads.open();
      await new Promise((resolve) => {
        server.close(resolve);
        if ('closeAllConnections' in server) server.closeAllConnections();
      });
      await service.close();
      await rm(directory, { recursive: true, force: true });
    });
  }

  close(): Promise<void> {
    return this.#end();
  }

  advance(milliseconds: number): void {
    this.#clock.offset += milliseconds;
  }

  /** Resets the clock to the machine's. */
  setBack(): void {
    this.#clock.offset = 0;
  }

  /** Holds uploads: nothing is stored until they are released. */
  holdUploads(): void {
    this.#gate.uploads.hold();
  }

  /** The number of waiting uploads. */
  get heldUploads(): number {
    return this.#gate.uploads.waiting;
  }

  /** Releases the upload that has waited longest. */
  releaseOneUpload(): void {
    this.#gate.uploads.letOne();
  }

  releaseUploads(): void {
    this.#gate.uploads.open();
  }

  /** Holds downloads of blobs. */
  holdDownloads(): void {
    this.#gate.downloads.hold();
  }

  /** The number of waiting downloads. */
  get heldDownloads(): number {
    return this.#gate.downloads.waiting;
  }

  /** Releases the download that has waited longest. */
  releaseOneDownload(): void {
    this.#gate.downloads.letOne();
  }

  releaseDownloads(): void {
    this.#gate.downloads.open();
  }

  /** Simulates a network failure: active requests are aborted, and new ones do not get through. */
  goAway(): void {
    this.#gate.goAway();
  }

  comeBack(): void {
    this.#gate.isAway = false;
  }

  /** Answers with other files in restore manifests from now on. */
  changeManifests(change: ManifestChange | undefined): void {
    this.#changes.manifests = change;
  }

  /** Returns the code of an authenticator app, of a new time step each time, since each code is valid once. */
  code(): string {
    this.advance(30_000);
    const timestamp = Date.now() + this.#clock.offset;
    return new TOTP({ secret: Secret.fromBase32(this.#secret) }).generate({ timestamp });
  }
}

async function changed(request: Request, response: Response, change: ManifestChange | undefined): Promise<Response> {
  if (!change || new URL(request.url).pathname !== ENDPOINTS.restoreManifest || !response.ok) return response;
  const manifest = (await response.json()) as { readonly files: readonly RestoreFileEntry[] };
  const files = change(manifest.files);
  const chunks = files.flatMap((file) => file.chunks);
  return Response.json({
    ...manifest,
    files,
    total_files: files.length,
    total_chunks: chunks.length,
    unique_chunks: new Set(chunks).size,
    total_bytes: files.reduce((sum, file) => sum + file.size, 0),
  });
}

function isDownload({ method, url }: Request): boolean {
  const { pathname } = new URL(url);
  return pathname === ENDPOINTS.restorePack || (method === 'GET' && pathname.startsWith(`${OBJECTS_PATH}/`));
}

/** The connection to the service, which can be cut. */
class Gate {
  isAway = false;
  readonly uploads = new Held();
  readonly downloads = new Held();
  readonly #sockets = new Set<Socket>();

  connected(socket: Socket): void {
    if (this.isAway) {
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  goAway(): void {
    this.isAway = true;
    for (const socket of this.#sockets) socket.destroy();
    // No client waits for these any more.
    this.uploads.open();
    this.downloads.open();
  }
}

/** Requests that wait until a test releases them. */
class Held {
  #isHeld = false;
  readonly #waiting: (() => void)[] = [];

  get waiting(): number {
    return this.#waiting.length;
  }

  hold(): void {
    this.#isHeld = true;
  }

  /** Resolves when a request may continue. */
  pass(): Promise<void> {
    return this.#isHeld ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve();
  }

  letOne(): void {
    this.#waiting.shift()?.();
  }

  open(): void {
    this.#isHeld = false;
    for (const release of this.#waiting.splice(0)) release();
  }
}
