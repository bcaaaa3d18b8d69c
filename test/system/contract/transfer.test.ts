import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, onTestFinished } from 'vitest';
import { connectAsDevice, connectAsUser } from '../../../src/remote/connection.ts';
import { HandlerHttp } from '../../helpers/service/handler-http.ts';
import { registerDevice } from '../../../src/remote/sign-in/register-device.ts';
import { signIn } from '../../../src/remote/sign-in/sign-in.ts';
import { createAccount } from '../../../src/service/accounts.ts';
import { InProcessService } from '../../helpers/service/in-process-service.ts';
import { startServer } from '../../../src/service/server.ts';
import { connectTo, deviceOf, MemorySessionStore, strictService } from '../../unit/remote/connections.ts';
import { totp } from '../../helpers/strict-service/sign-in-calls.ts';
import { transferContract } from './transfer.ts';
import type { TransferSubject } from './transfer.ts';
import { CHEAP } from '../../helpers/service/cheap-passwords.ts';

describe('the strict service, over sockets', () => {
  transferContract(async () => {
    const service = await strictService({ wireMayBreak: true });
    return { connection: deviceOf(service), deviceId: service.device.id, complaints: () => service.departures };
  });
});

describe("Holdfast's service, in this process", () => {
  transferContract(inProcess);
});

describe("Holdfast's service, over sockets", () => {
  transferContract(remote);
});

async function remote(): Promise<TransferSubject> {
  const data = await temporaryDirectory();
  const owner = { email: 'anna@example.com', password: 'correct horse battery' };
  const { totp_secret: secret } = await createAccount(data, owner, { passwordCost: CHEAP });
  const server = await startServer({ data, accounts: { passwordCost: CHEAP } });
  onTestFinished(() => server.close());
  const connection = connectTo(server.url);
  const session = await signIn(connection.calls, { ...owner, code: totp(secret, Date.now()) });
  const expiresAt = Date.now() + session.expires_in * 1000;
  const { refresh_token: refreshToken, access_token: accessToken } = session;
  const user = await connectAsUser(connection, new MemorySessionStore({ refreshToken, accessToken, expiresAt }));
  const device = await registerDevice(user.calls, { name: 'laptop', os: 'linux', agent_version: '0' });
  return { connection: connectAsDevice(connection, device), deviceId: device.deviceId, complaints: () => [] };
}

async function inProcess(): Promise<TransferSubject> {
  const service = await InProcessService.open(await temporaryDirectory(), { create: true });
  onTestFinished(() => service.close());
  const device = await service.registerDevice({ name: 'laptop', os: 'linux', agent_version: '0' });
  const failures: string[] = [];
  const http = new HandlerHttp(async (request) => {
    const response = await service.fetch(request);
    if (response.status >= 400) failures.push(`${request.method} ${new URL(request.url).pathname}: ${response.status}`);
    return response;
  });
  const connection = connectAsDevice(connectTo('http://holdfast.test', { http }), device);
  return { connection, deviceId: device.deviceId, complaints: () => failures };
}

async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-transfer-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
