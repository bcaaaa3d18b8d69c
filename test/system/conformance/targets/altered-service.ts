import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { startStrictTarget } from './strict-service.ts';
import type { Target } from './target.ts';

type Fields = Record<string, unknown>;

/** A planted violation. */
export interface Alteration {
  /** Suffix of the affected paths, with their queries. */
  readonly path: string;
  readonly request?: (body: Fields) => Fields;
  readonly answer?: (body: Fields) => Fields;
  /** Replaces the status. */
  readonly status?: number;
  /** Accepts requests without a token. */
  readonly open?: true;
}

/** The strict service behind a proxy that alters its responses. */
export async function startAltered(alteration: Alteration): Promise<Target> {
  const strict = await startStrictTarget();
  let lastToken: string | undefined;
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const { method, url = '', headers } = incoming;
      const concerned = url.endsWith(alteration.path);
      const { authorization } = headers;
      if (authorization?.startsWith('Bearer eyJ')) lastToken ??= authorization;
      const token = concerned && alteration.open ? (lastToken ?? authorization) : authorization;
      const sent = await buffer(incoming);
      const altered = concerned && alteration.request && sent.length > 0 ? altering(sent, alteration.request) : sent;
      const answer = await fetch(strict.options.url + url, {
        method: method!,
        headers: {
          'content-type': headers['content-type'] ?? 'application/json',
          ...(token === undefined ? {} : { authorization: token }),
        },
        ...(method === 'GET' ? {} : { body: new Uint8Array(altered) }),
      });
      const received = Buffer.from(await answer.arrayBuffer());
      const isAltered = concerned && answer.status === 200;
      outgoing.statusCode = (isAltered ? alteration.status : undefined) ?? answer.status;
      outgoing.end(isAltered && alteration.answer ? altering(received, alteration.answer) : received);
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    options: { ...strict.options, url },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await strict.close();
    },
  };
}

function altering(bytes: Buffer, alter: (body: Fields) => Fields): Buffer {
  return Buffer.from(JSON.stringify(alter(JSON.parse(bytes.toString('utf8')) as Fields)));
}
