import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  readServiceConfig,
  serviceConfig,
  type GivenServiceConfig,
} from '../../../../src/service/administration/service-config.ts';
import { unknownVariables } from '../../../../src/service/administration/service-fields.ts';

let folder: string;
let file: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-config-'));
  file = join(folder, 'config.json');
  writeFileSync(file, JSON.stringify({ data: '/from-file', host: '0.0.0.0', port: 1, publicUrl: 'https://a.example' }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('service configuration', () => {
  test('serves only this computer by default', () => {
    expect(serviceConfig({ data: '/d' }, {}, undefined)).toEqual({
      data: '/d',
      host: '127.0.0.1',
      port: 8787,
      allowPrivateWebhooks: false,
      accounts: {},
      trustedProxies: [],
      limits: { perAddress: 60_000, signInsPerAddress: 300, perAccount: 60_000 },
      closingSeconds: 30,
      logLevel: 'info',
    });
  });

  test('prefers the command line to the environment, and the environment to the file', () => {
    const environment = { HOLDFAST_SERVICE_PORT: '2', HOLDFAST_SERVICE_DATA: '/from-environment' };
    expect(serviceConfig({ port: 3 }, environment, file)).toMatchObject({
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

  test('reads every field from the environment', () => {
    const secret = join(folder, 'secret');
    writeFileSync(secret, 'postgres://holdfast:pass@db/holdfast\n');
    const environment = {
      HOLDFAST_SERVICE_DATA: '/d',
      HOLDFAST_SERVICE_DATABASE_FILE: secret,
      HOLDFAST_SERVICE_OBJECTS: 's3://bucket/prefix',
      HOLDFAST_SERVICE_OBJECTS_ENDPOINT: 'http://s3.internal:9000',
      HOLDFAST_SERVICE_OBJECTS_REGION: 'eu-1',
      HOLDFAST_SERVICE_TRUSTED_PROXIES: '10.0.0.0/8, 127.0.0.1',
      HOLDFAST_SERVICE_REQUESTS_PER_ADDRESS: '100',
      HOLDFAST_SERVICE_SIGN_INS_PER_ADDRESS: '10',
      HOLDFAST_SERVICE_REQUESTS_PER_ACCOUNT: '0',
      HOLDFAST_SERVICE_METRICS_TOKEN_FILE: secret,
      HOLDFAST_SERVICE_CLOSING_SECONDS: '5',
      HOLDFAST_SERVICE_SIGNUP: 'true',
      HOLDFAST_SERVICE_DEVICE_OFFLINE_HOURS: '48',
      HOLDFAST_SERVICE_LOG_LEVEL: 'warn',
      // An empty variable counts as unset: compose files pass unset variables that way.
      HOLDFAST_SERVICE_PUBLIC_URL: '',
    };
    expect(serviceConfig({}, environment, undefined)).toMatchObject({
      database: 'postgres://holdfast:pass@db/holdfast',
      objects: 's3://bucket/prefix',
      objectsEndpoint: 'http://s3.internal:9000',
      objectsRegion: 'eu-1',
      trustedProxies: [expect.anything(), expect.anything()],
      limits: { perAddress: 100, signInsPerAddress: 10, perAccount: 0 },
      accounts: { signup: true, offlineAfter: 172_800_000 },
      metricsToken: 'postgres://holdfast:pass@db/holdfast',
      closingSeconds: 5,
      logLevel: 'warn',
    });
  });

  test('rejects an identity provider without TLS', () => {
    const file = join(folder, 'providers.json');
    const provider = { name: 'company', clientId: 'holdfast' };
    const read = (issuer: string) => {
      writeFileSync(file, JSON.stringify({ identityProviders: [{ ...provider, issuer }] }));
      return readServiceConfig({ data: '/d' }, {}, file);
    };
    expect(read('https://login.example').config?.accounts.providers).toHaveLength(1);
    expect(read('http://login.example').problems).toEqual([
      expect.stringMatching(/"identityProviders\.0\.issuer": has to be https:/),
    ]);
  });

  test('reads structured fields as JSON from the environment', () => {
    const provider = { name: 'company', issuer: 'https://login.example.org', clientId: 'holdfast', clientSecret: 's' };
    const environment = {
      HOLDFAST_SERVICE_DATA: '/d',
      HOLDFAST_SERVICE_IDENTITY_PROVIDERS: JSON.stringify([provider]),
    };
    expect(readServiceConfig({}, environment, undefined).problems).toEqual([]);
    const broken = { ...environment, HOLDFAST_SERVICE_IDENTITY_PROVIDERS: '[{' };
    expect(readServiceConfig({}, broken, undefined).problems).toEqual([expect.stringMatching(/"identityProviders"/)]);
  });

  test('reports all problems, one per line', () => {
    const wrong = join(folder, 'wrong.json');
    writeFileSync(wrong, JSON.stringify({ port: 'x', trustedProxies: ['10.0.0.0/8', 'proxy'], loglevel: 'info' }));
    const { config, problems } = readServiceConfig({}, { HOLDFAST_SERVICE_LOG_LEVEL: 'loud' }, wrong);
    expect(config).toBeUndefined();
    expect(problems).toEqual([
      expect.stringMatching(/wrong\.json, "port": /),
      expect.stringMatching(/wrong\.json, "trustedProxies\.1": is no address/),
      expect.stringMatching(/wrong\.json, Unrecognized key: "loglevel"/),
      expect.stringMatching(/environment.*"logLevel": /),
      expect.stringMatching(/--data DIR/),
    ]);
  });

  test('finds variables that name no field', () => {
    const environment = { HOLDFAST_SERVICE_DATA: '/d', HOLDFAST_SERVICE_PROT: '1', HOLDFAST_HOME: '/h', PATH: '/bin' };
    expect(unknownVariables(environment)).toEqual(['HOLDFAST_SERVICE_PROT']);
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
    [
      'a database that is none',
      { data: '/d' },
      { HOLDFAST_SERVICE_DATABASE: 'mysql://a/b' },
      undefined,
      /postgres:\/\//,
    ],
    ['an unknown level', { data: '/d' }, { HOLDFAST_SERVICE_LOG_LEVEL: 'loud' }, undefined, /"logLevel"/],
    [
      'a proxy that is none',
      { data: '/d' },
      { HOLDFAST_SERVICE_TRUSTED_PROXIES: 'x' },
      undefined,
      /"trustedProxies.0"/,
    ],
    ['a file with a list', { data: '/d' }, {}, '[]', /object/],
  ];

  test.each(refused)('rejects %s', (_name, options, environment, content, message) => {
    const given = content === undefined ? undefined : join(folder, 'refused.json');
    if (given !== undefined) writeFileSync(given, content!);
    expect(() => serviceConfig(options, environment, given)).toThrow(
      expect.objectContaining({
        code: 'usage',
        details: expect.objectContaining({ message: expect.stringMatching(message) }),
      }),
    );
  });

  test('reports a missing file', () => {
    expect(() => serviceConfig({ data: '/d' }, {}, join(folder, 'missing'))).toThrow(
      expect.objectContaining({
        code: 'usage',
        details: expect.objectContaining({ message: expect.stringMatching(/missing cannot be read \(ENOENT\)/) }),
      }),
    );
  });
});
