import { chmodSync, mkdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Workplace } from '../e2e/workplace.ts';

interface Answer {
  readonly ok: boolean;
  readonly checks: readonly { readonly check: string; readonly status: string; readonly message: string }[];
}

describe('service check', () => {
  let workplace: Workplace;
  beforeEach(() => {
    workplace = new Workplace();
  });
  afterEach(() => workplace[Symbol.dispose]());

  test('accepts a folder before anything exists', async () => {
    const ended = await workplace.run('service', 'check', '--data', workplace.path('data'));
    expect(ended).toMatchObject({ status: 0, stderr: '' });
    expect(ended.stdout).toMatch(/^ok +config /m);
    expect(ended.stdout).toMatch(/^ok +database +SQLite; the service will make it\.$/m);
    expect(ended.stdout).toMatch(/^The service can run: /m);
  });

  test('reports every mistake of a config on a separate line', async () => {
    const config = workplace.write('config.json', JSON.stringify({ port: 'x', databse: 'y', logLevel: 'loud' }));
    chmodSync(config, 0o644);
    const answer = await workplace.json<Answer>(['service', 'check', '--config', config], 1);
    expect(answer.ok).toBe(false);
    const told = (status: string) =>
      answer.checks.filter((check) => check.status === status).map((check) => check.message);
    expect(told('failed')).toEqual([
      expect.stringContaining('"port"'),
      expect.stringContaining('"logLevel"'),
      expect.stringContaining('databse'),
      expect.stringContaining('--data DIR'),
    ]);
    expect(told('warning')).toEqual([expect.stringContaining('chmod o-rwx')]);
  });

  test('reports unreachable parts of a service without secrets', async () => {
    mkdirSync(workplace.path('data'), { mode: 0o700 });
    const words = ['--data', workplace.path('data'), '--database', 'postgres://me:topsecret@127.0.0.1:1/holdfast'];
    const ended = await workplace.run('service', 'check', ...words, '--public-url', 'http://backup.example');
    expect(ended.status).toBe(1);
    expect(ended.stdout).toMatch(/^FAILED +database +PostgreSQL at 127\.0\.0\.1:1\/holdfast cannot be reached/m);
    expect(ended.stdout).toMatch(/^FAILED +tls /m);
    expect(ended.stdout).not.toContain('topsecret');
  });

  test('asks nothing of the public address before the start', async () => {
    const words = ['service', 'check', '--before-start', '--data', workplace.path('data')];
    const { checks } = await workplace.json<Answer>([...words, '--public-url', 'http://127.0.0.1:1']);
    expect(checks).toContainEqual(expect.objectContaining({ check: 'address', status: 'ok' }));
  });

  test('requires the keys of a bucket', async () => {
    const words = ['service', 'check', '--data', workplace.path('data'), '--objects', 's3://bucket'];
    const { checks } = await workplace.json<Answer>(words, 1);
    expect(checks).toContainEqual(
      expect.objectContaining({ check: 'objects', message: expect.stringMatching(/AWS_/) }),
    );
  });
});
