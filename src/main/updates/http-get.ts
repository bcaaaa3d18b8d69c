import { net, session } from 'electron';
import type { Readable } from 'node:stream';

/** A response whose body is not read yet. `Response` is one. */
export interface HttpResponse {
  /** The status is 200 to 299. */
  readonly ok: boolean;
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** Requests an address and does not follow redirects. The signal ends the request and the body. */
export type HttpGet = (address: string, signal: AbortSignal) => Promise<HttpResponse>;

/**
 * Requests an address without following it to another one, in a session without a disk cache and without credentials.
 *
 * Uses `net.request`: with `net.fetch`, a body that is cancelled while bytes arrive throws an error that no caller can catch, and so does an unusual status.
 *
 * @param signal ends the request and its body, whose reader gets an error then
 */
export const httpGet: HttpGet = (address, signal) =>
  new Promise((resolve, reject) => {
    // The window's own session has no network.
    const network = session.fromPartition('electron-updater', { cache: false });
    const request = net.request({
      url: address,
      session: network,
      redirect: 'error',
      credentials: 'omit',
      cache: 'no-store',
    });
    const end = (): void => request.abort();
    request.on('response', (response) => {
      // A stream of Node, which Electron's types do not say.
      const body = response as unknown as Readable;
      // An error that comes when nobody reads.
      body.on('error', () => undefined);
      resolve({ ok: response.statusCode >= 200 && response.statusCode < 300, body });
    });
    request.on('error', reject);
    request.on('abort', () => reject(new Error('aborted')));
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    else request.end();
  });
