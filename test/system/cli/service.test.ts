import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Workplace, type Running } from '../e2e/workplace.ts';

describe('the service at the command line', () => {
  let workplace: Workplace;
  const running: Running[] = [];

  beforeEach(() => {
    workplace = new Workplace();
  });
  afterEach(async () => {
    for (const { child, ended } of running.splice(0)) {
      child.kill('SIGKILL');
      await ended;
    }
    workplace[Symbol.dispose]();
  });

  /** Starts the service. Returns its first line. */
  async function start(...words: string[]): Promise<{ service: Running; line: string }> {
    const service = workplace.start(['service', 'start', ...words]);
    running.push(service);
    const [line] = (await once(createInterface(service.child.stdout!), 'line')) as [string];
    return { service, line };
  }

  test('prints its address in one line, responds there and ends cleanly on SIGTERM', async () => {
    const { service, line } = await start('--data', workplace.path('data'), '--port', '0');
    const address = /http:\/\/127\.0\.0\.1:\d+$/.exec(line)?.[0];
    const answer = await fetch(`${address}/functions/v1/capabilities`);
    expect(await answer.json()).toHaveProperty('capabilities');
    service.child.kill('SIGTERM');
    expect(await service.ended).toMatchObject({ status: 0, stdout: `${line}\n` });
  });

  test('reads its options from a file and prints its address as JSON', async () => {
    const config = workplace.write('config.json', JSON.stringify({ data: workplace.path('data'), port: 0 }));
    const { service, line } = await start('--config', config, '--json');
    expect(JSON.parse(line)).toEqual({ url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) });
    service.child.kill('SIGINT');
    expect(await service.ended).toMatchObject({ status: 0, stdout: `${line}\n` });
  });

  test('waits for a running request, unless it is stopped twice', async () => {
    const { service, line } = await start('--data', workplace.path('data'), '--port', '0');
    const client = connect({ host: '127.0.0.1', port: Number(/\d+$/.exec(line)![0]) });
    client.on('error', () => undefined);
    // The response to "Expect" shows that the request has begun. Its body never ends.
    client.write('POST /auth/v1/token?grant_type=password HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n');
    client.write('Content-Length: 100\r\nExpect: 100-continue\r\n\r\n');
    await once(client, 'data');
    service.child.kill('SIGTERM');
    await once(createInterface(service.child.stderr!), 'line');
    expect(service.child.exitCode).toBeNull();
    service.child.kill('SIGTERM');
    expect(await service.ended).toMatchObject({ status: 130 });
    client.destroy();
  });

  test('reports a port that is in use', async () => {
    const { line } = await start('--data', workplace.path('data'), '--port', '0');
    const port = /\d+$/.exec(line)![0];
    const refused = await workplace.run('service', 'start', '--data', workplace.path('other'), '--port', port);
    expect(refused).toMatchObject({ status: 2, stdout: '' });
    expect(refused.stderr).toContain(port);
  });

  test('creates accounts and webhooks beside a running service, and reports mistakes', async () => {
    await start('--data', workplace.path('data'), '--port', '0');
    const password = workplace.write('password', 'correct horse battery staple\n');
    const data = ['--data', workplace.path('data'), '--email', 'anna@example.org'];
    const create = ['service', 'account', 'create', ...data, '--password-file', password];
    expect(await workplace.json(create)).toEqual({
      user_id: expect.any(String),
      totp_secret: expect.stringMatching(/^[A-Z2-7]{16,}$/),
      totp_uri: expect.stringMatching(/^otpauth:\/\/totp\//),
      recovery_codes: expect.any(Array),
    });
    expect(await workplace.json(create, 2)).toMatchObject({ error: { code: 'usage' } });
    const add = ['service', 'webhook', 'add', ...data, '--url'];
    const webhook = await workplace.json([...add, 'https://hooks.example.org/x', '--event', 'backup.completed']);
    expect(webhook).toEqual({ webhook_id: expect.any(String), signing_secret: expect.any(String) });
    expect(await workplace.json([...add, 'ftp://hooks.example.org'], 2)).toMatchObject({ error: { code: 'usage' } });
    const wrongEvent = [...add, 'https://hooks.example.org/x', '--event', 'backup.exploded'];
    expect(await workplace.json(wrongEvent, 2)).toMatchObject({ error: { code: 'usage' } });
    const nowhere = ['service', 'webhook', 'add', '--data', workplace.path('nowhere'), '--email', 'a@example.org'];
    expect(await workplace.json([...nowhere, '--url', 'https://a.example'], 2)).toMatchObject({
      error: { code: 'usage' },
    });
  });
});
