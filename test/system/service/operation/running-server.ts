import { Writable } from 'node:stream';
import { request } from 'undici';
import { onTestFinished } from 'vitest';
import { InProcessService } from '../../../helpers/service/in-process-service.ts';
import { serviceLog } from '../../../../src/service/operation/log.ts';
import { startServer } from '../../../../src/service/server.ts';
import type { ServerOptions } from '../../../../src/service/server.ts';
import { deviceSignature, temporaryDirectory } from '../../../unit/service/harness.ts';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read answers as JSON without a schema
  readonly json: any;
}

/** A service on a socket with one device, and its log. */
export async function runServer(options: Partial<ServerOptions> = {}) {
  const data = options.data ?? (await temporaryDirectory());
  const prepared = await InProcessService.open(data, { create: true });
  const device = await prepared.registerDevice({ name: 'annas-laptop-name', os: 'linux', agent_version: '1' });
  await prepared.close();
  const lines: string[] = [];
  const sink = new Writable({
    write(piece: Buffer, _, done) {
      lines.push(piece.toString());
      done();
    },
  });
  const server = await startServer({ data, log: serviceLog('debug', sink), ...options });
  onTestFinished(() => server.close());
  const call = async (method: string, path: string, body?: string | Uint8Array, headers = {}): Promise<HttpAnswer> => {
    const url = path.startsWith('http') ? path : server.url + path;
    const answer = await request(url, { method: method as 'GET', headers, ...(body === undefined ? {} : { body }) });
    const text = await answer.body.text();
    const isJson = /json/.test(String(answer.headers['content-type']));
    return { status: answer.statusCode, headers: answer.headers, text, json: isJson ? JSON.parse(text) : undefined };
  };
  const signIn = async (): Promise<string> => {
    const signature = deviceSignature(device.deviceKey, device.deviceId, Math.floor(Date.now() / 1000));
    const body = JSON.stringify({ device_key: device.deviceKey, device_id: device.deviceId, signature });
    const { json } = await call('POST', '/functions/v1/auth/device', body);
    return json.access_token as string;
  };
  /** Returns the logged objects; a request is logged when its response has been sent completely. */
  const logged = () =>
    lines
      .join('')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as LogLine);
  return { data, server, device, call, signIn, logged, logText: () => lines.join('') };
}

export type LogLine = Readonly<Record<string, unknown>>;
