import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../../../src/service/http/open-api/operations.ts';
import { open, PASSWORD, setUp } from '../../../app/portal/portal-browser.ts';
import { People } from '../credentials/people.ts';
import { REQUESTS } from '../credentials/requests.ts';
import { BASE, TestService } from '../../../unit/service/harness.ts';

const PYTHON = '/usr/bin/python3';
const HAS_PYTHON = spawnSync(PYTHON, ['--version']).status === 0;
const CLIENT = new URL('../../../../examples/python-client/holdfast_client.py', import.meta.url).pathname;

// oxlint-disable-next-line typescript/no-explicit-any -- the document is read as JSON without a schema
async function document(): Promise<any> {
  const service = await TestService.open();
  const { status, body } = await service.call('GET', '/openapi.json');
  expect(status).toBe(200);
  return body;
}

describe('the description of the interface', () => {
  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const result = await validator.validate(await document());
    expect(result).toMatchObject({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  test('is written once, compressed, and not sent again to who has it', async () => {
    const service = await TestService.open();
    const plain = await service.call('GET', '/openapi.json');
    const tag = plain.headers.get('etag')!;
    expect(tag).toMatch(/^"[\w-]+"$/);
    const again = await service.call('GET', '/openapi.json', undefined, undefined, { 'if-none-match': tag });
    expect([again.status, again.body.length]).toEqual([304, 0]);
    const url = `${BASE}/openapi.json`;
    const zipped = await service.service.fetch(new Request(url, { headers: { 'accept-encoding': 'br, gzip' } }));
    expect(zipped.headers.get('content-encoding')).toBe('gzip');
    expect(JSON.parse(gunzipSync(await zipped.arrayBuffer()).toString())).toEqual(plain.body);
    expect(plain.body.servers).toEqual([{ url: BASE }]);
  });

  test('names the address of each request where none is configured', async () => {
    const { service } = await open();
    for (let host = 0; host < 12; host += 1) {
      const request = new Request(`http://host-${host}.test/openapi.json`, { headers: { 'accept-encoding': 'gzip' } });
      const answer = await service.service.fetch(request);
      const bytes = Buffer.from(await answer.arrayBuffer());
      const text = answer.headers.has('content-encoding') ? gunzipSync(bytes) : bytes;
      expect(JSON.parse(text.toString()).servers).toEqual([{ url: `http://host-${host}.test` }]);
    }
  });

  test('has every operation of the service, each with an id of its own', async () => {
    const service = await TestService.open();
    const { body } = await service.call('GET', '/openapi.json');
    const described = Object.entries(body.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
      ([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const routes = service.service.routes
      .filter(({ path }) => !path.startsWith('/portal') && !path.startsWith('/assets') && path !== '/')
      .flatMap(({ path, methods }) =>
        Object.keys(methods).map((method) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`),
      );
    expect(described.toSorted()).toEqual(routes.toSorted());
    const ids = JSON.stringify(body).match(/"operationId":"\w+"/g)!;
    expect(new Set(ids).size).toBe(described.length);
  });

  test('describes each tag, of which each operation has one', async () => {
    const { tags, paths } = await document();
    for (const { name, description } of tags)
      expect([name, description]).toEqual([name, expect.stringMatching(/^[A-Z].+\.$/)]);
    const used = Object.values<Record<string, { tags: string[] }>>(paths).flatMap((methods) =>
      Object.values(methods).flatMap((operation) => operation.tags),
    );
    expect([...new Set(used)].toSorted()).toEqual(tags.map(({ name }: { name: string }) => name));
  });

  test('has no operation that no service has', async () => {
    const service = await TestService.open();
    const routes = new Set(
      service.service.routes.flatMap(({ path, methods }) => Object.keys(methods).map((method) => `${method} ${path}`)),
    );
    // Only with an object store of its own does a service take blobs itself, and only with settings sign people up.
    expect(Object.keys(OPERATIONS).filter((name) => !routes.has(name))).toEqual([]);
  });

  test('accepts the requests that the service accepts', async () => {
    const people = await People.open();
    const situation = { people, owner: (await people.signIn(people.owner)).access, target: people.device };
    for (const [name, ask] of Object.entries(REQUESTS)) {
      const { request } = OPERATIONS[name]!;
      if (request === undefined || request === 'bytes' || name === 'POST /functions/v1/billing/notices') continue;
      const { body } = await ask(situation);
      expect([name, request.safeParse(body).error]).toEqual([name, undefined]);
    }
  });

  test('names the fields of the interface', async () => {
    const { paths } = await document();
    const init = paths['/functions/v1/backup/init'].post;
    expect(init.requestBody.content['application/json'].schema.required).toEqual(['device_id', 'backup_set', 'files']);
    const points = paths['/rest/v1/restore_points'].get;
    expect(points.parameters.map(({ name, in: place }: { name: string; in: string }) => [name, place])).toEqual([
      ['device_id', 'query'],
      ['backup_set', 'query'],
    ]);
    expect(paths['/auth/v1/token'].post.security).toEqual([]);
    expect(init.responses.default.content['application/problem+json'].schema.$ref).toBe('#/components/schemas/Problem');
  });
});

describe.skipIf(!HAS_PYTHON)('the example client in Python', () => {
  test('signs in and lists the backups of an account', async () => {
    const { service, browser } = await open();
    const secret = await setUp({ service, browser });
    const laptop = await service.addDevice('Laptop', 'Debian 13');
    await service.backUp(laptop, 'Documents', { '/a': Buffer.from('a') });
    await service.addDevice('Reception', 'Windows 11');
    const run = (code: string) =>
      promisify(execFile)(PYTHON, [CLIENT, service.url, 'anna@example.org', code], {
        env: { HOLDFAST_PASSWORD: PASSWORD },
      });
    const { stdout } = await run(service.code(secret));
    expect(stdout).toMatch(/^Laptop \(healthy\)\n {2}Documents: -?0\.\d h ago\nReception \(new\)\n$/);
    await expect(run('000000')).rejects.toMatchObject({ stderr: expect.stringContaining('401 code_invalid') });
  });
});
