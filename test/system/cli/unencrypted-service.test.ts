import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { Workplace } from '../e2e/workplace.ts';
import { startStrictService } from '../../helpers/strict-service/strict-service.ts';

/** 127.0.0.1 as an address that does not look like this computer's own. */
const MAPPED = '[::ffff:127.0.0.1]';

async function canReachMapped(): Promise<boolean> {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, MAPPED.slice(1, -1));
  const reached = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'close').then(() => false),
  ]).catch(() => false);
  socket.destroy();
  server.close();
  return reached;
}

test.skipIf(!(await canReachMapped()))('set-up warns of a service whose connection is not encrypted', async () => {
  using workplace = new Workplace();
  const service = await startStrictService();
  try {
    const key = workplace.write('device key', `${service.device.key}\n`);
    const setUp = (home: string, address: string) => {
      const device = ['--device-id', service.device.id, '--device-key-file', key];
      return workplace.runAt(workplace.path(home), ['setup', '--server', address, ...device]);
    };
    const near = await setUp('near', service.baseUrl);
    expect([near.status, near.stderr]).toEqual([0, expect.not.stringContaining('not encrypted')]);
    const far = await setUp('far', service.baseUrl.replace('127.0.0.1', MAPPED));
    expect([far.status, far.stderr]).toEqual([0, expect.stringContaining('the connection is not encrypted')]);
  } finally {
    await service.close();
  }
});
