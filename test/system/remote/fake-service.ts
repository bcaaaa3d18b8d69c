import { connectAsDevice, connect } from '../../../src/remote/connection.ts';
import type { ConnectionOptions, SignedInConnection } from '../../../src/remote/connection.ts';
import { HandlerHttp } from '../../helpers/service/handler-http.ts';
import type { HttpClient } from '../../../src/remote/http/http-client.ts';
import { RUN_RETRY_POLICY } from '../../../src/remote/http/retrier.ts';
import { InstantClock } from '../../unit/remote/instant-clock.ts';

const BASE = 'http://service.test';
const STORAGE = 'http://storage.test';

type Answer = (body: Record<string, never>, request: Request) => Response | Promise<Response>;

/** The parts of a service with extensions that the tests need, without sockets. */
export class FakeService {
  /** Used by the agent, too. */
  readonly clock = new InstantClock();
  readonly stored = new Map<string, Buffer>();
  /** Omitted from batch responses. */
  readonly lacking = new Set<string>();
  /** The storage responds 412. */
  readonly existing = new Set<string>();
  /** A single presign responds 409 `blob_exists`. */
  readonly refusedAsStored = new Set<string>();
  onPut: () => void = () => undefined;
  tokensAtStorage = 0;
  readonly #requests: { readonly path: string; readonly body: unknown }[] = [];
  readonly #routes: Map<string, Answer>;

  constructor(options: {
    readonly capabilities: readonly string[];
    readonly acceptEncoding?: string;
    readonly routes?: Readonly<Record<string, Answer>>;
  }) {
    const { capabilities, acceptEncoding } = options;
    const headers = acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding };
    this.#routes = new Map<string, Answer>(
      Object.entries({
        '/functions/v1/capabilities': () => Response.json({ capabilities }, { headers }),
        '/functions/v1/auth/device': () =>
          Response.json({ access_token: 'token', expires_in: 3600, device: { id: 'd', name: 'd', permissions: [] } }),
        '/functions/v1/backup/presign': (body: Record<string, never>) => this.#presign(body),
        ...options.routes,
      }),
    );
  }

  connection(options: Partial<ConnectionOptions> = {}): SignedInConnection {
    const http: HttpClient = new HandlerHttp((request) => this.#answer(request));
    const { clock } = this;
    const connection = connect({ baseUrl: BASE, http, clock, policy: RUN_RETRY_POLICY, ...options });
    return connectAsDevice(connection, { deviceId: 'd', deviceKey: 'k' });
  }

  /** Returns the bodies that this path received. */
  requestsTo(path: string): readonly unknown[] {
    return this.#requests.filter((request) => request.path === path).map(({ body }) => body);
  }

  async #answer(request: Request): Promise<Response> {
    const { origin, pathname } = new URL(request.url);
    if (origin === STORAGE) return this.#put(pathname.slice(1), request);
    const text = request.headers.has('content-encoding') ? '' : await request.clone().text();
    const body = (text === '' ? {} : JSON.parse(text)) as Record<string, never>;
    this.#requests.push({ path: pathname, body });
    const answer = this.#routes.get(pathname);
    return answer ? answer(body, request) : Response.json({}, { status: 404 });
  }

  async #put(hash: string, request: Request): Promise<Response> {
    if (request.headers.has('authorization')) this.tokensAtStorage += 1;
    this.onPut();
    if (this.existing.has(hash)) return new Response(null, { status: 412 });
    this.stored.set(hash, Buffer.from(await request.arrayBuffer()));
    return new Response();
  }

  #presign(body: Record<string, never>): Response {
    const { chunks, chunk_hash: hash } = body as { chunks?: { chunk_hash: string }[]; chunk_hash?: string };
    if (hash !== undefined) {
      if (this.refusedAsStored.has(hash)) return Response.json({ code: 'blob_exists' }, { status: 409 });
      return Response.json(addressOf(hash));
    }
    const wanted = chunks!.filter((chunk) => !this.lacking.has(chunk.chunk_hash));
    return Response.json({ uploads: wanted.map((chunk) => Object.assign(addressOf(chunk.chunk_hash), chunk)) });
  }
}

function addressOf(hash: string): object {
  return { upload_url: `${STORAGE}/${hash}`, expires_in: 900, method: 'PUT', headers: {} };
}
