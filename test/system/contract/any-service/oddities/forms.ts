import { brotliCompressSync, gzipSync } from 'node:zlib';
import { before, everyAnswer, everyObject, isControl, type OddityRow } from './oddity-row.ts';

const SILENT = 'not shown';

/** How a service writes its answers. */
export const FORMS: readonly OddityRow[] = [
  {
    name: 'status-201',
    service: 'answers 201 to every call',
    interface: `success statuses: ${SILENT}`,
    agent: 'takes any 2xx for success',
    odd: () => everyAnswer((answer) => (answer.status === 200 ? { ...answer, status: 201 } : answer)),
  },
  {
    name: 'status-202',
    service: 'answers 202 to every call',
    interface: `success statuses: ${SILENT}`,
    agent: 'takes any 2xx for success',
    odd: () => everyAnswer((answer) => (answer.status === 200 ? { ...answer, status: 202 } : answer)),
  },
  {
    name: 'chunked',
    service: 'sends every answer in parts, without Content-Length',
    interface: `framing: ${SILENT}`,
    agent: 'reads to the end of the answer',
    odd: () => ({
      send: (response, bytes) => {
        response.removeHeader('Content-Length');
        for (let from = 0; from < bytes.length; from += 997) response.write(bytes.subarray(from, from + 997));
        response.end();
        return true;
      },
    }),
  },
  {
    name: 'connection-closed',
    service: 'closes the connection after every answer',
    interface: `connections: ${SILENT}`,
    agent: 'opens another one',
    odd: () => ({ after: (_call, answer) => ({ ...answer, headers: { ...answer.headers, Connection: 'close' } }) }),
  },
  {
    name: 'http-1.0',
    service: 'speaks HTTP/1.0: the end of the connection is the end of the answer',
    interface: `the version of HTTP: ${SILENT}`,
    agent: 'reads to the end of the connection',
    odd: () => ({
      send: (response, bytes) => {
        const type = String(response.getHeader('Content-Type') ?? 'application/octet-stream');
        const head = `HTTP/1.0 ${response.statusCode} OK\r\nContent-Type: ${type}\r\n\r\n`;
        response.socket?.end(Buffer.concat([Buffer.from(head), bytes]));
        return true;
      },
    }),
  },
  {
    name: 'gzip',
    service: 'compresses its answers with gzip, unasked',
    interface: 'JSON; content codings: not shown, and HTTP permits any to who asks for none',
    agent: 'decompresses them',
    odd: () => coded('gzip', gzipSync),
  },
  {
    name: 'brotli',
    service: 'compresses its answers with Brotli, unasked',
    interface: 'JSON; content codings: not shown, and HTTP permits any to who asks for none',
    agent: 'decompresses them',
    odd: () => coded('br', brotliCompressSync),
  },
  {
    name: 'no-content-type',
    service: 'sends JSON as text/plain',
    interface: '`Content-Type: application/json` for calls; of answers: not shown',
    agent: 'reads JSON, whatever its type, unless it is a web page',
    odd: () => everyAnswer((answer) => ({ ...answer, headers: { 'Content-Type': 'text/plain' } })),
  },
  {
    name: 'byte-order-mark',
    service: 'begins its JSON with a byte order mark',
    interface: 'JSON',
    agent: 'ignores the mark',
    odd: () =>
      everyAnswer(({ body, ...answer }) =>
        body === undefined ? answer : { ...answer, ...JSON_TYPE, bytes: Buffer.from(`\uFEFF${JSON.stringify(body)}`) },
      ),
  },
  {
    name: 'indented-json',
    service: 'indents its JSON and escapes every slash',
    interface: 'JSON',
    agent: 'reads any spelling of JSON',
    odd: () =>
      everyAnswer(({ body, ...answer }) =>
        body === undefined
          ? answer
          : { ...answer, ...JSON_TYPE, text: JSON.stringify(body, undefined, '\t').replaceAll('/', String.raw`\/`) },
      ),
  },
  {
    name: 'unknown-fields',
    service: 'adds fields to every object',
    interface: 'fields that are not listed: not shown',
    agent: 'ignores them',
    odd: () => everyObject((object) => ({ _links: { self: 'x' }, ...object, x_request: null, etag: [1, { a: 'b' }] })),
  },
  {
    name: 'fields-reversed',
    service: 'sends the fields of every object in the opposite order: totals before files',
    interface: `the order of fields: ${SILENT}`,
    agent: 'reads them in any order',
    odd: () => everyObject((object) => Object.fromEntries(Object.entries(object).toReversed())),
  },
  {
    name: 'header-case',
    service: 'spells the names of headers in capitals',
    interface: 'HTTP headers',
    agent: 'compares them without regard to case',
    odd: () => ({
      send: (response, bytes) => {
        for (const [name, value] of Object.entries(response.getHeaders())) {
          response.removeHeader(name);
          response.setHeader(name.toUpperCase(), String(value));
        }
        response.end(bytes);
        return true;
      },
    }),
  },
  {
    name: 'no-date',
    service: 'sends no Date',
    interface: `the Date header: ${SILENT}`,
    agent: 'uses its own clock',
    odd: () => ({
      send: (response, bytes) => {
        response.sendDate = false;
        response.removeHeader('Date');
        response.end(bytes);
        return true;
      },
    }),
  },
  {
    name: 'interim-answers',
    service: 'sends 103 before every answer',
    interface: `interim answers: ${SILENT}`,
    agent: 'waits for the final one',
    odd: () => ({
      send: (response, bytes) => {
        response.writeEarlyHints({ link: '</style.css>; rel=preload' }, () => response.end(bytes));
        return true;
      },
    }),
  },
  {
    name: 'slow',
    service: 'sends every answer in two halves, with a pause',
    interface: `time to answer: ${SILENT}`,
    agent: 'waits',
    odd: () => ({
      send: (response, bytes) => {
        response.write(bytes.subarray(0, bytes.length >> 1));
        setTimeout(() => response.end(bytes.subarray(bytes.length >> 1)), 20);
        return true;
      },
    }),
  },
  {
    name: 'busy-seconds',
    service: 'answers 429 with Retry-After in seconds, once for each endpoint',
    interface: `rate limits: ${SILENT}`,
    agent: 'repeats the call after that time',
    odd: () => onceEach({ status: 429, headers: { 'Retry-After': '0' } }),
  },
  {
    name: 'busy-date',
    service: 'answers 503 with Retry-After as a date, once for each endpoint',
    interface: `rate limits: ${SILENT}`,
    agent: 'repeats the call at that time',
    odd: () => onceEach({ status: 503, headers: { 'Retry-After': 'Thu, 01 Jan 1970 00:00:00 GMT' } }),
  },
  {
    name: 'capabilities-page',
    service: 'answers addresses that it does not know with a web page',
    interface: 'has no such address',
    agent: 'uses no extension',
    odd: () => before('capabilities', () => true, { status: 404, text: '<!doctype html><title>404</title>' }),
  },
  {
    name: 'capabilities-forbidden',
    service: 'answers addresses that it does not know with 403',
    interface: 'has no such address',
    agent: 'uses no extension',
    odd: () => before('capabilities', () => true, { status: 403, body: { message: 'Missing Authentication Token' } }),
  },
  {
    name: 'capabilities-500',
    service: 'answers addresses that it does not know with 500',
    interface: 'has no such address',
    agent: 'uses no extension after three attempts',
    odd: () => before('capabilities', () => true, { status: 500, body: { message: 'not implemented' } }),
  },
  {
    name: 'capabilities-of-others',
    service: 'lists extensions that nobody knows, and elements that are none',
    interface: 'has no such address',
    agent: 'ignores them',
    odd: () => before('capabilities', () => true, { status: 200, body: { capabilities: ['teleport', 7, null, {}] } }),
  },
];

const JSON_TYPE = { headers: { 'Content-Type': 'application/json' } };

function coded(coding: string, compress: (bytes: Buffer) => Buffer): ReturnType<OddityRow['odd']> {
  return {
    after: (call, answer) => {
      const { body, ...rest } = answer;
      if (!isControl(call) || body === undefined) return undefined;
      const headers = { 'Content-Type': 'application/json', 'Content-Encoding': coding };
      return { ...rest, headers, bytes: compress(Buffer.from(JSON.stringify(body))) };
    },
  };
}

function onceEach(answer: {
  readonly status: number;
  readonly headers: Record<string, string>;
}): ReturnType<OddityRow['odd']> {
  const answered = new Set<string>();
  return {
    before: ({ endpoint }) => {
      if (endpoint === 'backup/progress' || answered.has(endpoint)) return undefined;
      answered.add(endpoint);
      return answer;
    },
  };
}
