import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, onTestFinished } from 'vitest';
import { asDevice } from '../../src/engine/transfer/connection.ts';
import { HandlerHttp } from '../../src/engine/transfer/handler-http.ts';
import { openEmbeddedService } from '../../src/service/embedded.ts';
import { connectTo, deviceOf, strictService } from '../engine/transfer/connections.ts';
import { transferContract } from './transfer.ts';
import type { TransferSubject } from './transfer.ts';

describe('the strict service, over sockets', () => {
  transferContract(async () => {
    const service = await strictService({ wireMayBreak: true });
    return { connection: deviceOf(service), deviceId: service.device.id, complaints: () => service.departures };
  });
});

describe("Holdfast's service, in this process", () => {
  transferContract(embedded);
});

async function embedded(): Promise<TransferSubject> {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-transfer-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const service = await openEmbeddedService(directory, { create: true });
  onTestFinished(() => service.close());
  const device = await service.registerDevice({ name: 'laptop', os: 'linux', agent_version: '0' });
  const failures: string[] = [];
  const http = new HandlerHttp(async (request) => {
    const response = await service.fetch(request);
    if (response.status >= 400) failures.push(`${request.method} ${new URL(request.url).pathname}: ${response.status}`);
    return response;
  });
  const connection = asDevice(connectTo('http://holdfast.embedded', { http }), device);
  return { connection, deviceId: device.deviceId, complaints: () => failures };
}
