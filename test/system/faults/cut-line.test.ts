import { expect, onTestFinished, test } from 'vitest';
import type { HttpClient } from '../../../src/remote/http/http-client.ts';
import type { WaitingReason } from '../../../src/remote/http/retrier.ts';
import { connectAsDevice } from '../../../src/remote/connection.ts';
import { UndiciHttp } from '../../../src/remote/http/undici-http.ts';
import { beginBackup, connectTo, SAMPLE_STATS, sampleFile } from '../../unit/remote/connections.ts';
import { InstantClock } from '../../unit/remote/instant-clock.ts';
import { FaultProxy } from '../../helpers/fault-proxy/fault-proxy.ts';
import { startStrictService } from '../../helpers/strict-service/strict-service.ts';

const CUT_MS = 30_000;

/** Records acknowledged uploads, and those that were sent again nevertheless. */
class NotingHttp implements HttpClient {
  readonly acknowledged = new Set<string>();
  readonly sentAgain: string[] = [];
  readonly #http = new UndiciHttp();

  async request(request: Parameters<HttpClient['request']>[0]): ReturnType<HttpClient['request']> {
    if (request.method !== 'PUT') return this.#http.request(request);
    const { pathname } = new URL(request.url);
    if (this.acknowledged.has(pathname)) this.sentAgain.push(pathname);
    const response = await this.#http.request(request);
    if (response.status === 200) this.acknowledged.add(pathname);
    return response;
  }

  close(): Promise<void> {
    return this.#http.close();
  }
}

test.each(['reset and refused', 'reset whenever it is tried'])(
  'a connection that is interrupted for 30 s: %s',
  async (how) => {
    let storage: FaultProxy | undefined;
    const service = await startStrictService({
      wireMayBreak: true,
      storageBehind: async (url) => (storage = await FaultProxy.start(url)).url,
    });
    const control = await FaultProxy.start(service.baseUrl);
    const proxies = [control, storage!];
    const http = new NotingHttp();
    onTestFinished(async () => {
      await http.close();
      for (const proxy of proxies) proxy.close();
      await service.close();
    });
    const clock = new InstantClock();
    let cutAt: number | undefined;
    let mended = false;
    const shown: (WaitingReason | undefined)[] = [];
    function cut(): void {
      cutAt = clock.now();
      for (const proxy of proxies) {
        if (how === 'reset and refused') proxy.refuse();
        else proxy.set('up', { resetAfter: 0 });
        proxy.resetAll();
      }
    }
    const sleeping = {
      now: () => clock.now(),
      async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
        await clock.sleep(milliseconds, signal);
        if (mended || cutAt === undefined || clock.now() < cutAt + CUT_MS) return;
        mended = true;
        for (const proxy of proxies) proxy.heal();
        if (how === 'reset and refused') await Promise.all(proxies.map((proxy) => proxy.listen()));
      },
    };
    const { id: deviceId, key: deviceKey } = service.device;
    const options = { http, clock: sleeping, onWaiting: (reason?: WaitingReason) => shown.push(reason) };
    const connection = connectAsDevice(connectTo(control.url, options), { deviceId, deviceKey });
    const { file, blobs } = sampleFile(
      '/home/anna/large.bin',
      Array.from({ length: 60 }, (_, index) => 50_000 + index),
    );
    const { sessionId } = await beginBackup(connection, deviceId, [file]);

    for (let from = 0; from < blobs.length; from += 6) {
      const upload = connection.uploader.upload(sessionId, blobs.slice(from, from + 6));
      if (from === 30) setImmediate(cut);
      await upload;
    }
    await connection.service.backupComplete(sessionId, SAMPLE_STATS);

    expect(mended).toBe(true);
    expect(http.sentAgain).toEqual([]);
    expect(http.acknowledged.size).toBeGreaterThanOrEqual(30);
    expect([...service.blobs.keys()].toSorted()).toEqual(blobs.map(({ hash }) => hash).toSorted());
    expect(new Set(shown)).toEqual(new Set(['service_unreachable', undefined]));
    expect(shown.at(-1)).toBe(undefined);
    expect(service.departures).toEqual([]);
  },
);
