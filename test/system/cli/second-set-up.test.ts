import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createAdaptorServer } from '@hono/node-server';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { Workplace } from '../e2e/workplace.ts';
import { InProcessService } from '../../helpers/service/in-process-service.ts';
import { buildTree } from '../../helpers/tree/build.ts';
import { compareTrees } from '../../helpers/tree/compare.ts';
import { file } from '../../helpers/tree/nodes.ts';
import { startServer, type RunningServer } from '../../../src/service/server.ts';
import { asOperator } from '../../../src/service/operator-access.ts';

const KILLED_AT = pathToFileURL(join(import.meta.dirname, '../agent/host/destination/killed-at.ts')).href;

interface SetupAnswer {
  readonly recovery_phrase: string;
  readonly adopted: boolean;
}

describe('two computers that are set up before a first backup', () => {
  let workplace: Workplace;
  let server: RunningServer;
  let data: string;
  /** The arguments of a set-up as each device. */
  let first: readonly string[];
  let second: readonly string[];
  let firstId: string;

  beforeEach(async () => {
    workplace = new Workplace();
    data = workplace.path('data');
    const prepared = await InProcessService.open(data, { create: true });
    const devices = [];
    for (const name of ['one', 'two'])
      devices.push(await prepared.registerDevice({ name, os: 'linux', agent_version: '1' }));
    await prepared.close();
    server = await startServer({ data });
    [first, second] = devices.map(({ deviceId, deviceKey }) => {
      const key = workplace.write(deviceId, deviceKey);
      return ['setup', '--server', server.url, '--device-id', deviceId, '--device-key-file', key];
    }) as [string[], string[]];
    firstId = devices[0]!.deviceId;
    await buildTree(workplace.path('source'), { 'a.txt': file('content') });
  });
  afterEach(async () => {
    await server.close();
    workplace[Symbol.dispose]();
  });

  /** Runs a command with `--json` in the second home. */
  async function elsewhere(...words: readonly string[]) {
    const { status, stdout } = await workplace.runAt(workplace.path('home 2'), [...words, '--json']);
    return { status, answer: JSON.parse(stdout) };
  }

  test('have one key: the second is asked for the phrase of the first', async () => {
    const { recovery_phrase: phrase } = await workplace.json<SetupAnswer>(first);
    expect(await elsewhere(...second)).toMatchObject({ status: 4, answer: { error: { code: 'phrase_needed' } } });
    expect(existsSync(workplace.path('home 2', 'settings.json'))).toBe(false);
    const other = workplace.write(
      'other',
      (await elsewhere('setup', '--destination', workplace.path('f'))).answer.recovery_phrase,
    );
    const wrong = await workplace.start(
      [...second, '--recovery-phrase-file', other, '--json'],
      workplace.path('home 3'),
    ).ended;
    expect(JSON.parse(wrong.stdout)).toMatchObject({ error: { code: 'phrase_other_account' } });
    const words = [...second, '--recovery-phrase-file', workplace.write('phrase', phrase), '--json'];
    const adopted = await workplace.runAt(workplace.path('home 4'), words);
    expect(JSON.parse(adopted.stdout)).toMatchObject({ recovery_phrase: phrase, adopted: true });
    const run = (...rest: string[]) => workplace.runAt(workplace.path('home 4'), rest);
    expect((await run('set', 'add', 'documents', workplace.path('source'))).status).toBe(0);
    expect((await run('backup', 'documents')).status).toBe(0);
    const target = workplace.path('target');
    const restore = ['restore', 'documents', '--device', second[4]!, '--to', target];
    await workplace.json(restore);
    expect(await compareTrees(workplace.path('source'), `${target}/source`)).toEqual([]);
  });

  test('may begin anew once the first device was revoked, if nothing was stored', async () => {
    const { recovery_phrase: lost } = await workplace.json<SetupAnswer>(first);
    await asOperator({ data }, ({ devices }) => devices.revoke(firstId, Date.now()));
    const { status, answer } = await elsewhere(...second);
    expect(status).toBe(0);
    expect(answer.recovery_phrase).not.toBe(lost);
  });

  test('may not, if the first stored something', async () => {
    await workplace.json<SetupAnswer>(first);
    await workplace.addSet('documents', workplace.path('source'));
    await workplace.json(['backup', 'documents']);
    await asOperator({ data }, ({ devices }) => devices.revoke(firstId, Date.now()));
    expect(await elsewhere(...second)).toMatchObject({ status: 4, answer: { error: { code: 'phrase_needed' } } });
    const keyOf = () =>
      asOperator({ data }, async ({ accounts, accountKeys }) => accountKeys.find((await accounts.firstAccount())!.id));
    expect(await keyOf()).toMatch(/^[0-9a-f]{32}$/);
  });

  test('at the same time have one key: the one whose claim comes second is asked, and keeps nothing', async () => {
    await workplace.json<SetupAnswer>(first);
    // As if the first had claimed its key after the second had looked.
    const late = createAdaptorServer({
      fetch: async (request) => {
        const { pathname, search } = new URL(request.url);
        if (request.method === 'GET' && pathname === '/functions/v1/account_key')
          return Response.json({ key_id: null });
        const body = request.method === 'GET' ? {} : { body: await request.text() };
        return fetch(server.url + pathname + search, { method: request.method, headers: headersOf(request), ...body });
      },
    });
    await new Promise<void>((resolve) => late.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void late.close());
    const url = `http://127.0.0.1:${(late.address() as AddressInfo).port}`;
    const words = second.map((word) => (word === server.url ? url : word));
    expect(await elsewhere(...words)).toMatchObject({ status: 4, answer: { error: { code: 'phrase_needed' } } });
    expect(existsSync(workplace.path('home 2', 'secrets.json'))).toBe(false);
    expect(existsSync(workplace.path('home 2', 'settings.json'))).toBe(false);
  });

  test.each(['before secrets.json', 'after secrets.json', 'before settings.json'])(
    'are one computer whose set-up was killed %s, and goes on',
    async (moment) => {
      const environment = { NODE_OPTIONS: `--import=${KILLED_AT}`, HOLDFAST_TEST_KILLED_AT: moment };
      Object.assign(workplace.environment, environment);
      const killed = await workplace.run(...first);
      // Windows knows no signals: a process that kills itself has a status.
      if (process.platform === 'win32') expect(killed).toMatchObject({ status: 1, stdout: '', stderr: '' });
      else expect(killed.signal).toBe('SIGKILL');
      for (const name of Object.keys(environment)) delete workplace.environment[name];
      expect(await workplace.json<SetupAnswer>(first)).toMatchObject({ adopted: false });
      expect(await elsewhere(...second)).toMatchObject({ answer: { error: { code: 'phrase_needed' } } });
    },
  );
});

test('a member is told that an owner or admin sets the first computer up', async () => {
  using workplace = new Workplace();
  const data = workplace.path('data');
  const prepared = await InProcessService.open(data, { create: true });
  const { deviceId, deviceKey } = await prepared.registerDevice(
    { name: 'x', os: 'linux', agent_version: '1' },
    'usr_mia',
  );
  await prepared.close();
  const server = await startServer({ data });
  onTestFinished(() => server.close());
  const key = workplace.write('key', deviceKey);
  const words = ['setup', '--server', server.url, '--device-id', deviceId, '--device-key-file', key, '--json'];
  const { stdout } = await workplace.run(...words);
  expect(JSON.parse(stdout)).toMatchObject({
    error: { code: 'permission_denied', message: expect.stringContaining('has to be set up by its owner or an admin') },
  });
  expect(existsSync(workplace.path('home', 'secrets.json'))).toBe(false);
});

function headersOf({ headers }: Request): Record<string, string> {
  return Object.fromEntries(
    ['authorization', 'content-type'].flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}
