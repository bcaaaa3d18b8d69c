import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSender } from '../../../../src/service/webhooks/sender.ts';
import { createSigningSecret } from '../../../../src/service/webhooks/signature.ts';
import { deliveryTo } from './delivery.ts';

const PROGRAM = new URL('../../../../examples/webhook-receiver/receiver.mjs', import.meta.url).pathname;
const secret = createSigningSecret();

describe('the example receiver', () => {
  let receiver: ChildProcess;
  let lines: AsyncIterator<string>;
  let url: string;

  beforeAll(async () => {
    receiver = spawn(process.execPath, [PROGRAM], {
      env: { SIGNING_SECRET: secret, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (receiver.stdout === null) throw new Error('the receiver has no output');
    lines = createInterface(receiver.stdout)[Symbol.asyncIterator]();
    url = (await nextLine()).replace('listening on ', '');
  });
  afterAll(() => {
    receiver.kill();
  });

  const nextLine = async (): Promise<string> => (await lines.next()).value as string;
  const bodyOf = (id: string): string =>
    JSON.stringify({
      event: 'device.registered',
      timestamp: '2026-01-01T00:00:00.000Z',
      delivery_id: id,
      account_id: 'acc_1',
      data: { device_name: 'Grüße 世界' },
    });
  const post = async (body: string, signature: string | undefined): Promise<number> => {
    const headers = { 'X-Service-Signature': signature };
    const sent = signature === undefined ? {} : (headers as Record<string, string>);
    return (await fetch(url, { method: 'POST', headers: sent, body })).status;
  };

  test("accepts the sender's requests, each delivery once", async () => {
    const send = createSender({ allowPrivate: true });
    for (const id of ['dlv_1', 'dlv_1', 'dlv_2']) {
      const delivery = deliveryTo(url, { id, secrets: [secret], event: 'device.registered', body: bodyOf(id) });
      expect((await send(delivery, AbortSignal.timeout(20_000))).outcome).toMatchObject({ status: 200 });
    }
    const printed = (id: string): string =>
      `2026-01-01T00:00:00.000Z device.registered ${id} {"device_name":"Grüße 世界"}`;
    expect([await nextLine(), await nextLine()]).toEqual([printed('dlv_1'), printed('dlv_2')]);
  });

  test('accepts what openssl signed, and rejects everything else', async () => {
    const body = bodyOf('dlv_3');
    const dgst = execFileSync('openssl', ['dgst', '-sha256', '-hmac', secret, '-r'], { input: body });
    const hex = dgst.toString('latin1').slice(0, 64);
    const flipped = (hex.startsWith('0') ? '1' : '0') + hex.slice(1);
    const otherKey = execFileSync('openssl', ['dgst', '-sha256', '-hmac', 'whsec_other', '-r'], { input: body });
    const refused = [
      undefined,
      '',
      'sha256=',
      hex,
      `sha256=${hex.slice(0, 63)}`,
      `sha256=${hex}0`,
      `sha256=${flipped}`,
      `sha256=${hex.toUpperCase()}`,
      `sha1=${hex}`,
      `sha256=${otherKey.toString('latin1').slice(0, 64)}`,
    ];
    for (const signature of refused) expect([signature, await post(body, signature)]).toEqual([signature, 401]);
    expect(await post(`${body} `, `sha256=${hex}`)).toBe(401);
    expect(await post(body, `sha256=${hex}`)).toBe(200);
  });

  test('rejects other methods and endless bodies', async () => {
    expect((await fetch(url)).status).toBe(405);
    expect(await post('x'.repeat(1024 * 1024 + 1), 'sha256=')).toBe(413);
  });

  test('does not start without a secret', () => {
    const start = (): unknown => execFileSync(process.execPath, [PROGRAM], { env: { PORT: '0' }, stdio: 'pipe' });
    expect(start).toThrow(/SIGNING_SECRET is missing/);
  });
});
