import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { judge } from './clause.ts';
import { CLAUSES } from './clauses.ts';
import { Subject } from './subject.ts';
import { HAS_S3 } from '../../helpers/s3/s3-server.ts';
import { cleanUp } from './clean-up.ts';
import { startAltered } from './targets/altered-service.ts';
import { startOnFolder, startOnPostgresAndBucket } from './targets/own-service.ts';
import { startStrictTarget } from './targets/strict-service.ts';
import type { Target } from './targets/target.ts';

/** Options that the strict service does not support, so that agents are tested without them. */
const NOT_STRICT = new Set([
  'an mfa_token is rejected after an hour',
  'a code is valid once',
  'a reused refresh token is rejected and ends the sign-in',
  'dedup_savings_percent is 0 if everything is new and 100 if nothing is',
  'a repeated complete returns the same run',
  'other bytes under a used address never replace a blob',
  'other bytes under a used address without If-None-Match never replace a blob',
  'a new address for a stored chunk does not replace its blob',
  'one of twenty concurrent uploads of a chunk is stored',
  'presign returns nothing for a chunk that is not in the tree',
]);

interface Expected {
  /** Recommendations that it does not follow. */
  readonly departing?: ReadonlySet<string>;
  /** Sections that cannot be decided. */
  readonly unknown?: readonly string[];
}

describe('Holdfast’s service on SQLite and a folder', () => {
  holdsAllBut({}, () => startOnFolder());
});

describe.skipIf(!HAS_S3)('Holdfast’s service on PostgreSQL and a bucket', () => {
  holdsAllBut({ unknown: ['time', 'webhooks'] }, startOnPostgresAndBucket);
});

describe('the strict service', () => {
  holdsAllBut({ departing: NOT_STRICT, unknown: ['webhooks'] }, startStrictTarget);
});

function holdsAllBut({ departing, unknown }: Expected, start: () => Promise<Target>): void {
  let target: Target;
  let subject: Subject;
  beforeAll(async () => {
    target = await start();
    subject = new Subject(target.options);
  });
  afterAll(() => target.close());

  test.each(CLAUSES)('$section: $says', async (clause) => {
    const verdict = await judge(clause, subject);
    if (unknown?.includes(clause.section) && verdict.kind === 'unknown') return;
    if (clause.level === 'advice' && departing?.has(clause.says)) expect(verdict.kind).toBe('departs');
    else expect(verdict).toEqual({ kind: 'holds' });
  });
}

describe('the command', () => {
  const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

  async function command(...words: readonly string[]) {
    const child = spawn(process.execPath, [MAIN, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
    const [stdout, stderr, [status]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    return { stdout, stderr, status: status as number };
  }

  test('prints a line for each clause, with undecided ones, and exits with 0', async () => {
    const target = await startStrictTarget();
    const { id, key } = target.options.device!;
    const words = ['--url', target.options.url, '--device-id', id, '--device-key', key, '--only', 'restore:'];
    const { stdout, status } = await command(...words);
    await target.close();
    expect(stdout).toMatch(/^holds +restore: the totals are those of the files$/m);
    expect(stdout).toMatch(/\n\d+ hold, 0 depart from the interface, \d+ from advice, \d+ undecided\n$/);
    expect(status).toBe(0);
  });

  test('exits with 1 for a service that violates a clause', async () => {
    const target = await startAltered({ path: '/restore/manifest', answer: (body) => ({ ...body, total_files: 99 }) });
    const { id, key } = target.options.device!;
    const words = ['--url', target.options.url, '--device-id', id, '--device-key', key, '--only', 'restore:'];
    const { stdout, status } = await command(...words);
    await target.close();
    expect(stdout).toMatch(/^DEPARTS +restore: /m);
    expect(status).toBe(1);
  });

  test('decides nothing about a service that refuses its signatures, which the interface does not show', async () => {
    const target = await startStrictTarget();
    const { id } = target.options.device!;
    const words = ['--url', target.options.url, '--device-id', id, '--device-key', 'wrong', '--only', 'devices:'];
    const { stdout, status } = await command(...words);
    await target.close();
    expect(stdout).not.toMatch(/^(DEPARTS|holds)/m);
    expect(stdout).toMatch(/^unknown +devices: a signature under another key is rejected$/m);
    expect(status).toBe(0);
  });

  test('leaves no session and no backup set behind', async () => {
    const target = await startOnFolder();
    const subject = new Subject(target.options);
    for (const clause of CLAUSES.filter(({ section }) => section === 'backup')) await judge(clause, subject);
    const { erased, left, until } = await cleanUp(subject);
    expect([erased > 5, left, Date.parse(until!) > subject.now()]).toEqual([true, [], true]);
    const answer = await subject.get('/auth/v1/erasures', await subject.userToken());
    const { erasures } = answer.json as { erasures: { backup_set: string }[] };
    expect(new Set(erasures.map(({ backup_set: set }) => set))).toEqual(new Set(subject.created.sets.keys()));
    const begun = await subject.post(
      '/functions/v1/backup/complete',
      { session_id: [...subject.created.sessions].at(-1), stats: {} },
      await subject.token(),
    );
    expect(begun.status).toBeGreaterThanOrEqual(400);
    await target.close();
  });

  test('exits with 2 when an argument is missing', async () => {
    expect((await command('--url', 'http://127.0.0.1:9')).status).toBe(2);
    expect((await command('--nonsense')).stderr).toContain('npm run conformance');
  });
});
