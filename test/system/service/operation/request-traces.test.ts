import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { runServer } from './running-server.ts';

interface Span {
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, string> }[];
  readonly status?: object;
}

/** A collector that records the spans it gets. */
async function collector(status = 200) {
  const spans: Span[] = [];
  let requests = 0;
  const server = createServer((request, response) => {
    void (async () => {
      const body = (await json(request)) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
      requests += 1;
      spans.push(...body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
      response.writeHead(status).end('{}');
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { spans, url: `http://127.0.0.1:${port}/v1/traces`, requests: () => requests };
}

test('each request is a span, which continues the trace of its caller', async () => {
  const { spans, url } = await collector();
  const { server, call } = await runServer({ tracesUrl: url });
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
  await call('GET', '/functions/v1/capabilities', undefined, { traceparent: `00-${trace}-00f067aa0ba902b7-01` });
  await call('GET', '/functions/v1/capabilities', undefined, { traceparent: `00-${trace}-00f067aa0ba902b7-00` });
  await call('DELETE', '/rest/v1/devices/a-secret-id', undefined, {
    traceparent: 'nonsense',
    'x-request-id': 'req-of-mine',
  });
  await server.close();
  expect(spans).toHaveLength(2);
  const [first, second] = spans.toSorted((a, b) => a.name.length - b.name.length).toReversed();
  const continued = spans.find((span) => span.traceId === trace)!;
  expect(continued).toMatchObject({ parentSpanId: '00f067aa0ba902b7', name: 'GET /functions/v1/capabilities' });
  expect(BigInt(continued.endTimeUnixNano) >= BigInt(continued.startTimeUnixNano)).toBe(true);
  const other = [first!, second!].find((span) => span !== continued)!;
  expect(other).toMatchObject({ name: 'DELETE /rest/v1/devices/:device_id' });
  expect(other).not.toHaveProperty('parentSpanId');
  expect(other.attributes).toContainEqual({ key: 'http.response.status_code', value: { intValue: '401' } });
  expect(other.attributes).toContainEqual({ key: 'holdfast.request_id', value: { stringValue: 'req-of-mine' } });
  expect(JSON.stringify(spans)).not.toContain('a-secret-id');
});

test('a collector that refuses traces is named in the log once, and holds nothing up', async () => {
  const { url, requests } = await collector(500);
  const { server, call, logText } = await runServer({ tracesUrl: url });
  expect((await call('GET', '/functions/v1/capabilities')).status).toBe(200);
  await server.close();
  expect(requests()).toBe(1);
  expect(logText().match(/traces cannot be sent/g)).toHaveLength(1);
});
