import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serviceConfig, type GivenServiceConfig } from '../../../src/agent/self-hosting/service-config.ts';

let folder: string;
let file: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-config-'));
  file = join(folder, 'config.json');
  writeFileSync(file, JSON.stringify({ data: '/from-file', host: '0.0.0.0', port: 1, publicUrl: 'https://a.example' }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('how a service is run', () => {
  test('has defaults that serve this computer only', () => {
    expect(serviceConfig({ data: '/d' }, {}, undefined)).toEqual({
      data: '/d',
      host: '127.0.0.1',
      port: 8787,
      allowPrivateWebhooks: false,
    });
  });

  test('the command line comes before the environment, and that before the file', () => {
    const environment = { HOLDFAST_SERVICE_PORT: '2', HOLDFAST_SERVICE_DATA: '/from-environment' };
    expect(serviceConfig({ port: 3 }, environment, file)).toEqual({
      data: '/from-environment',
      host: '0.0.0.0',
      port: 3,
      publicUrl: 'https://a.example',
      allowPrivateWebhooks: false,
    });
  });

  test.each([
    ['true', true],
    ['1', true],
    ['false', false],
    ['0', false],
  ])('HOLDFAST_SERVICE_ALLOW_PRIVATE_WEBHOOKS=%s', (text, allowed) => {
    const environment = { HOLDFAST_SERVICE_DATA: '/d', HOLDFAST_SERVICE_ALLOW_PRIVATE_WEBHOOKS: text };
    expect(serviceConfig({}, environment, undefined).allowPrivateWebhooks).toBe(allowed);
  });

  const refused: readonly (readonly [
    name: string,
    options: GivenServiceConfig,
    environment: NodeJS.ProcessEnv,
    content: string | undefined,
    message: RegExp,
  ])[] = [
    ['no data', {}, {}, undefined, /--data/],
    ['a port that is no number', { data: '/d' }, { HOLDFAST_SERVICE_PORT: 'http' }, undefined, /"port"/],
    ['a port that is none', { data: '/d', port: 65_536 }, {}, undefined, /the command line, "port"/],
    [
      'an unclear truth',
      { data: '/d' },
      { HOLDFAST_SERVICE_ALLOW_PRIVATE_WEBHOOKS: 'yes' },
      undefined,
      /"allowPrivate/,
    ],
    ['an address that is none', { data: '/d' }, { HOLDFAST_SERVICE_PUBLIC_URL: 'ftp://a' }, undefined, /"publicUrl"/],
    ['a file with an unknown field', { data: '/d' }, {}, '{"prot": 1}', /prot/],
    ['a file that is no JSON', { data: '/d' }, {}, '{', /is not JSON/],
    ['a file with a list', { data: '/d' }, {}, '[]', /object/],
  ];

  test.each(refused)('%s is refused', (_name, options, environment, content, message) => {
    const given = content === undefined ? undefined : join(folder, 'refused.json');
    if (given !== undefined) writeFileSync(given, content!);
    expect(() => serviceConfig(options, environment, given)).toThrow(
      expect.objectContaining({
        code: 'usage',
        details: expect.objectContaining({ message: expect.stringMatching(message) }),
      }),
    );
  });

  test('a file that is not there is told', () => {
    expect(() => serviceConfig({ data: '/d' }, {}, join(folder, 'missing'))).toThrow(
      expect.objectContaining({ code: 'usage', details: expect.objectContaining({ problem: 'file-unreadable' }) }),
    );
  });
});
