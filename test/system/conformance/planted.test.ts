import { expect, test } from 'vitest';
import { judge } from './clause.ts';
import { CLAUSES } from './clauses.ts';
import { Subject } from './subject.ts';
import { startAltered } from './targets/altered-service.ts';
import type { Alteration } from './targets/altered-service.ts';

/*
 * Tests of the suite itself: each violation is planted into an otherwise correct service,
 * and its clause has to detect it.
 */

type Fields = Record<string, unknown>;

const INIT = '/backup/init';
const PRESIGN = '/backup/presign';
const COMPLETE = '/backup/complete';
const MANIFEST = '/restore/manifest';
const DOWNLOADS = '/restore/presign';
const PASSWORD = 'grant_type=password';
const REFRESH = 'grant_type=refresh_token';

const without = (name: string) => (body: Fields) =>
  Object.fromEntries(Object.entries(body).filter(([key]) => key !== name));
const withField = (field: Fields) => (body: Fields) => ({ ...body, ...field });
const list = (name: string, change: (elements: Fields[]) => unknown[]) => (body: Fields) => ({
  ...body,
  [name]: change(body[name] as Fields[]),
});
const each = (name: string, change: (element: Fields) => Fields) => list(name, (elements) => elements.map(change));
const more = (name: string) => (body: Fields) => ({ ...body, [name]: Number(body[name]) + 1 });

const PLANTED: readonly (readonly [what: string, alteration: Alteration, clause: string])[] = [
  ['no factors', { path: PASSWORD, answer: without('factors') }, 'returns mfa_required, mfa_token and factors'],
  ['MFA that is not mandatory', { path: PASSWORD, answer: withField({ mfa_required: false }) }, 'returns mfa_required'],
  [
    'a token for the password alone',
    { path: PASSWORD, answer: withField({ access_token: 'x' }) },
    'a password alone yields',
  ],
  ['a sign-in without a user', { path: '/verify', answer: without('user') }, 'factor verify returns access_token'],
  ['another token type', { path: '/verify', answer: withField({ token_type: 'mac' }) }, 'token_type is bearer'],
  [
    'a longer lifetime of a token',
    { path: '/verify', answer: withField({ expires_in: 86_400 }) },
    'an access token lasts 3600 s',
  ],
  ['an opaque token', { path: '/verify', answer: withField({ access_token: 'opaque' }) }, 'an access token is a JWT'],
  ['no new refresh token', { path: REFRESH, answer: without('refresh_token') }, 'the refresh grant returns'],
  [
    'a device under another field name',
    { path: '/auth/device', answer: without('device') },
    'device authentication returns',
  ],
  [
    'devices without a status',
    { path: '/devices', answer: each('devices', without('status')) },
    'the list has id, name',
  ],
  ['device calls without a token', { path: '/devices', open: true }, 'GET /rest/v1/devices needs'],
  ['an init without a token', { path: INIT, open: true }, 'POST /functions/v1/backup/init needs'],
  ['a manifest without a token', { path: MANIFEST, open: true }, 'POST /functions/v1/restore/manifest needs'],
  ['counts as text', { path: INIT, answer: withField({ chunks_deduped: '0' }) }, 'init returns session_id'],
  [
    'an omitted needed chunk',
    { path: INIT, answer: list('chunks_needed', (all) => all.slice(1)) },
    'chunks_needed lists',
  ],
  ['other sizes', { path: INIT, answer: each('chunks_needed', more('size')) }, 'chunks_needed lists'],
  ['a wrong count', { path: INIT, answer: more('chunks_to_upload') }, 'chunks_to_upload counts'],
  [
    'a longer lifetime of an address',
    { path: PRESIGN, answer: withField({ expires_in: 86_400 }) },
    'an upload address lasts 900 s',
  ],
  ['a POST', { path: PRESIGN, answer: withField({ method: 'POST' }) }, 'presign returns upload_url'],
  [
    'no Content-Type',
    { path: PRESIGN, answer: withField({ headers: { 'Content-Length': '328' } }) },
    'headers contain Content-Type',
  ],
  [
    'another status',
    { path: COMPLETE, answer: withField({ status: 'done' }) },
    'complete returns the status completed',
  ],
  [
    'a local time',
    { path: COMPLETE, answer: withField({ restore_point: '2026-01-01 10:00' }) },
    'complete returns backup_id',
  ],
  [
    'a percentage above 100',
    { path: COMPLETE, answer: withField({ dedup_savings_percent: 120 }) },
    'complete returns backup_id',
  ],
  ['no storage used', { path: COMPLETE, answer: withField({ storage_used_bytes: 0 }) }, 'storage_used_bytes includes'],
  ['a wrong total', { path: MANIFEST, answer: more('total_bytes') }, 'the totals are those of the files'],
  ['an omitted file', { path: MANIFEST, answer: list('files', (all) => all.slice(1)) }, 'the tree equals the one'],
  [
    'chunks out of order',
    {
      path: MANIFEST,
      answer: each('files', (file) => ({ ...file, chunks: (file['chunks'] as string[]).toReversed() })),
    },
    'the tree equals the one',
  ],
  [
    'times without their fractions',
    {
      path: MANIFEST,
      answer: each('files', (file) => ({ ...file, modified: `${String(file['modified']).slice(0, 19)}Z` })),
    },
    'modified equals the time that was sent',
  ],
  [
    'always the newest tree',
    { path: MANIFEST, request: withField({ point_in_time: '2100-01-01T00:00:00.000Z' }) },
    'a time between two restore points selects the older one',
  ],
  ['always everything', { path: MANIFEST, request: withField({ path: '/' }) }, 'a path is a directory prefix'],
  ['always the whole depth', { path: MANIFEST, request: withField({ recursive: true }) }, 'recursive: false selects'],
  [
    'an omitted download',
    { path: DOWNLOADS, answer: list('downloads', (all) => all.slice(1)) },
    'presign returns hash, url',
  ],
  ['plaintext sizes', { path: DOWNLOADS, answer: each('downloads', more('size')) }, 'size is that of the blob'],
  ['an error from complete', { path: COMPLETE, status: 500 }, 'complete succeeds after the missing'],
];

async function verdictsOf(alteration: Alteration, named: (says: string) => boolean): Promise<readonly string[]> {
  const target = await startAltered(alteration);
  const subject = new Subject(target.options);
  // Provides a token that could admit others.
  await subject.get('/rest/v1/devices', await subject.deviceToken());
  const verdicts: string[] = [];
  for (const clause of CLAUSES.filter(({ says }) => named(says))) verdicts.push((await judge(clause, subject)).kind);
  await target.close();
  return verdicts;
}

test.each(PLANTED)('detects %s', async (_, alteration, clause) => {
  expect(await verdictsOf(alteration, (says) => says.includes(clause))).toContain('departs');
});

test('detects nothing without a planted violation', async () => {
  const isNamed = (says: string): boolean => PLANTED.some(([, , clause]) => says.includes(clause));
  expect(new Set(await verdictsOf({ path: '/nowhere' }, isNamed))).toEqual(new Set(['holds']));
});
