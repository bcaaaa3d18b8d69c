import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Answer, Call } from './call.ts';
import type { Fault } from './faults.ts';
import type { Route } from './routes.ts';
import { timeOf } from './service-state.ts';
import type { ServiceState } from './service-state.ts';

/** Starts a server with these routes on a free port of the loopback. */
export async function listen(
  state: ServiceState,
  routes: readonly Route[],
  role: 'control' | 'storage',
): Promise<Server> {
  const server = createServer((request, response) => {
    serve(state, routes, role, request, response).catch((error: unknown) => {
      // A client may disconnect. Any other error must not look like a correct service.
      if (request.errored === null) state.departures.push(`the strict service itself failed: ${String(error)}`);
      response.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

export function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function serve(
  state: ServiceState,
  routes: readonly Route[],
  role: 'control' | 'storage',
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = request.url ?? '';
  const route = routes.find(({ method, pattern }) => method === request.method && pattern.test(path));
  if (!route) {
    state.departures.push(`unknown route: ${request.method} ${path}`);
    request.resume();
    response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"message":"no such route"}');
    return;
  }
  const fault = state.faults.next(route.endpoint);
  if (fault?.kind === 'reset-before') {
    request.socket.resetAndDestroy();
    return;
  }
  const bytes = Buffer.concat(await request.toArray());
  const call = readCall(state, route, path, request, bytes, fault);
  if (role === 'storage' && request.headers.authorization !== undefined) {
    state.departures.push(`${route.endpoint}: a bearer token was sent to object storage`);
  }
  if (fault?.kind === 'slow') await setTimeout(fault.milliseconds);
  if (typeof call.body === 'object' && call.body !== null)
    state.odd.unwrap?.(call.body as Record<string, unknown>, call);
  const usual =
    state.odd.before?.(call, state) ??
    spoiled(state, fault) ??
    refusedToken(state, route, call) ??
    route.handle(state, call);
  const answer = state.odd.after?.(call, usual, state) ?? usual;
  if (fault?.kind === 'reset-after' || answer.isLost) request.socket.resetAndDestroy();
  else send(state, response, answer, call);
}

function readCall(
  state: ServiceState,
  route: Route,
  path: string,
  request: IncomingMessage,
  bytes: Buffer,
  fault: Fault | undefined,
): Call {
  const parameter = route.pattern.exec(path)?.[1];
  const call = {
    endpoint: route.endpoint,
    parameter: parameter === undefined ? undefined : decodeURIComponent(parameter),
    headers: request.headers,
    bearer: /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1],
    bytes,
    fault,
  };
  if (route.method !== 'POST') return { ...call, body: undefined };
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? '')) {
    state.departures.push(`${route.endpoint}: Content-Type ${request.headers['content-type']}`);
  }
  if (request.headers['content-encoding'] !== undefined) {
    state.departures.push(`${route.endpoint}: Content-Encoding ${request.headers['content-encoding']}`);
  }
  try {
    return { ...call, body: JSON.parse(bytes.toString('utf8')) };
  } catch {
    state.departures.push(`${route.endpoint}: the body is not JSON`);
    return { ...call, body: undefined };
  }
}

/** Faults that replace the call. */
function spoiled(state: ServiceState, fault: Fault | undefined): Answer | undefined {
  switch (fault?.kind) {
    case 'status':
      return { status: fault.status, body: { error: 'scripted' } };
    case 'token-expired':
      for (const token of state.accessTokens.values()) token.expiresAt = 0;
      return { status: 401, body: { error: 'expired' } };
    case 'html':
      return { status: fault.status ?? 200, text: '<!doctype html><title>Sign in to the network</title>' };
    case 'answer':
      return { status: fault.status ?? 200, body: fault.body };
    default:
      return undefined;
  }
}

function refusedToken(state: ServiceState, route: Route, call: Call): Answer | undefined {
  if (!route.needsToken) return undefined;
  const token = state.accessTokens.get(call.bearer ?? '');
  if (token && timeOf(state) < token.expiresAt) return undefined;
  // An expired token is normal in a long run. A token that was never issued is a violation.
  if (call.bearer === undefined) state.departures.push(`${route.endpoint}: no bearer token`);
  else if (!token) state.departures.push(`${route.endpoint}: a bearer token that was never given out`);
  return { status: 401, body: { error: 'token' } };
}

function send(state: ServiceState, response: ServerResponse, answer: Answer, call: Call): void {
  const { body, text, headers = {} } = answer;
  const { fault } = call;
  let bytes = answer.bytes ?? Buffer.from(text ?? (body === undefined ? '' : JSON.stringify(body)));
  if (body !== undefined) response.setHeader('Content-Type', 'application/json; charset=utf-8');
  else if (text?.startsWith('<!doctype html>')) response.setHeader('Content-Type', 'text/html; charset=utf-8');
  else if (bytes.length > 0) response.setHeader('Content-Type', 'application/octet-stream');
  if (fault?.kind === 'status' && fault.retryAfter !== undefined) response.setHeader('Retry-After', fault.retryAfter);
  response.setHeader('Date', new Date(timeOf(state)).toUTCString());
  if (answer.status !== 204) response.setHeader('Content-Length', bytes.length);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.statusCode = answer.status;
  if (state.odd.send?.(response, bytes, call)) return;
  if (fault?.kind === 'flip' && bytes.length > fault.at) {
    bytes = Buffer.from(bytes);
    bytes[fault.at]! ^= 1;
  }
  if (fault?.kind === 'truncate') {
    response.write(bytes.subarray(0, fault.after), () => response.destroy());
    return;
  }
  response.end(bytes);
}
