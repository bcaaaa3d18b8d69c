import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import type { Call } from '../../../../helpers/strict-service/call.ts';
import type { ServiceState } from '../../../../helpers/strict-service/service-state.ts';
import { WELL, type Outcome } from '../world.ts';
import { redirectedOnce } from './backups.ts';
import { before, changed, changedList, type OddityRow } from './oddity-row.ts';

const TIMES = 'timestamps are ISO 8601 UTC strings; their precision: not shown';
const SUSPICIOUS = 'service_answer_suspicious';

/** The blob of the file that is changed for each run, in the order of its manifest. */
function hashOf(state: ServiceState, name: string): string | undefined {
  return state.runs.at(-1)?.files.find(({ path }) => path.endsWith(name))?.chunks[0]?.hash;
}

function isBlobOf(call: Call, state: ServiceState, name: string): boolean {
  const hash = state.downloadAddresses.get(call.parameter ?? '')?.hash;
  return call.endpoint === 'storage/get' && hash !== undefined && hash === hashOf(state, name);
}

/** One file is lost at the service, and the others are there. */
const LOST: Pick<OddityRow, 'restore' | 'missing'> = {
  restore: { status: 1, failures: [['one.txt', 'chunk_missing']] },
  missing: ['one.txt'],
};

/** What happens in a restore. */
export const RESTORES: readonly OddityRow[] = [
  {
    name: 'restore-point-in-seconds',
    service: 'has restore points in whole seconds, rounded down, in all answers, and keeps the exact time',
    interface: TIMES,
    agent: 'asks for the last moment that the time can mean',
    odd: () => pointTimes((time) => `${new Date(time).toISOString().slice(0, 19)}Z`),
  },
  {
    name: 'restore-point-in-microseconds',
    service: 'has restore points in microseconds',
    interface: TIMES,
    agent: 'asks for the millisecond after it',
    odd: () => pointTimes((time) => new Date(time - 1).toISOString().replace('Z', '500Z')),
  },
  {
    name: 'restore-point-with-offset',
    service: 'writes restore points with an offset',
    interface: TIMES,
    agent: 'converts them',
    odd: () => pointTimes((time) => new Date(time).toISOString().replace('Z', '+00:00')),
  },
  {
    name: 'restore-point-basic',
    service: 'writes restore points in the basic format of ISO 8601',
    interface: TIMES,
    agent: 'reads them',
    odd: () => pointTimes((time) => new Date(time).toISOString().replaceAll(/[-:]/g, '')),
  },
  {
    name: 'restore-point-of-the-request',
    service: 'answers with the requested time in the place of the restore point’s own',
    interface: '`point_in_time` in the answer; which time: not shown',
    agent: 'restores what it was sent',
    odd: () => ({
      after: ({ endpoint, body }, answer) =>
        endpoint === 'restore/manifest' && answer.status === 200
          ? {
              ...answer,
              body: { ...(answer.body as object), point_in_time: (body as Record<string, unknown>)['point_in_time'] },
            }
          : undefined,
    }),
  },
  {
    name: 'restore-point-missing',
    service: 'leaves the time of the restore point out',
    interface: 'every field listed is returned as named',
    agent: 'uses the requested time',
    odd: () => changed('restore/manifest', (body) => ({ ...body, point_in_time: null })),
  },
  {
    name: 'no-time-in-the-future',
    service: 'refuses a time that it has not reached with 422',
    interface: 'a time in the future: not shown',
    agent: 'asks again with the current time',
    odd: () => ({
      before: ({ endpoint, body }) => {
        const at = Date.parse(String((body as Record<string, unknown> | undefined)?.['point_in_time']));
        return endpoint === 'restore/manifest' && at > Date.now()
          ? { status: 422, body: { error: 'future' } }
          : undefined;
      },
    }),
  },
  {
    name: 'modified-in-seconds',
    service: 'keeps `modified` in whole seconds, rounded down',
    interface: TIMES,
    agent: 'does not warn; the exact time is in the tree',
    odd: () => modified((time) => `${new Date(time).toISOString().slice(0, 19)}Z`),
  },
  {
    name: 'modified-rounded',
    service: 'keeps `modified` in whole seconds, rounded up',
    interface: TIMES,
    agent: 'does not warn; the exact time is in the tree',
    odd: () => modified((time) => `${new Date(Math.ceil(time / 1000) * 1000).toISOString().slice(0, 19)}Z`),
  },
  {
    name: 'modified-without-zone',
    service: 'writes `modified` in UTC without saying so, with six digits of a second',
    interface: TIMES,
    agent: 'takes it for UTC',
    odd: () => modified((time) => new Date(time).toISOString().replace('Z', '000')),
  },
  {
    name: 'modified-wrong',
    service: 'has another time for one file',
    interface: '`modified` timestamp',
    agent: 'names the file; its time is that of the tree',
    odd: () =>
      files((list) => list.map((each) => (isOne(each) ? { ...each, modified: '2001-01-01T00:00:00Z' } : each))),
    restore: { status: 3, warnings: [['one.txt', SUSPICIOUS]] },
  },
  {
    name: 'files-in-another-order',
    service: 'lists files in another order',
    interface: `the order of \`files\`: not shown`,
    agent: 'compares them by path',
    odd: () => files((list) => list.toReversed()),
  },
  {
    name: 'reserved-first',
    service: 'lists the agent’s own entries before the person’s',
    interface: `the order of \`files\`: not shown`,
    agent: 'compares them by path',
    odd: () => files((list) => list.toSorted((a, b) => Number(isReserved(b)) - Number(isReserved(a)))),
  },
  {
    name: 'files-twice',
    service: 'lists a file twice',
    interface: 'the file tree as it existed',
    agent: 'restores it once',
    odd: () => files((list) => [...list, ...list.filter(isOne)]),
    restore: { status: 3, warnings: [['documents', 'service-totals']] },
  },
  {
    name: 'prefix-as-text',
    service: 'takes the directory prefix for the beginning of a text: `/a/b` also of `/a/bc`',
    interface: '`path`: directory prefix',
    agent: 'leaves out what is not inside',
    odd: () => ({
      unwrap: (body, call) => {
        if (call.endpoint !== 'restore/manifest') return;
        wanted = String(body['path']);
        body['path'] = '';
      },
      after: (call, answer) =>
        call.endpoint === 'restore/manifest' && answer.status === 200
          ? withFiles(answer, (list) => list.filter(({ path }) => String(path).startsWith(wanted)))
          : undefined,
    }),
    journey: async (world) => {
      expect(await world.backUp()).toEqual(WELL);
      expect(await world.restore('folder')).toEqual(WELL);
      world.expectRestored([], 'folder');
    },
  },
  {
    name: 'prefix-ignored',
    service: 'returns the whole tree for any prefix',
    interface: '`path`: directory prefix',
    agent: 'leaves out what is not inside',
    odd: () => ({ unwrap: (body, { endpoint }) => void (endpoint === 'restore/manifest' && (body['path'] = '/')) }),
    journey: async (world) => {
      expect(await world.backUp()).toEqual(WELL);
      expect(await world.restore('folder')).toEqual(WELL);
      world.expectRestored([], 'folder');
    },
  },
  ...(['total_files', 'total_chunks', 'unique_chunks', 'total_bytes'] as const).map((total): OddityRow => ({
    name: `${total.replace('_', '-')}-wrong`,
    service: `counts one too many in \`${total}\``,
    interface: `\`${total}\` integer`,
    agent: 'restores everything and warns: the tree says what there is',
    odd: () =>
      changed('restore/manifest', (body) => ({
        ...body,
        [total]: Number(body[total]) + (total === 'unique_chunks' ? 1e6 : 1),
      })),
    restore: { status: 3, warnings: [['documents', 'service-totals']] },
  })),
  {
    name: 'totals-missing',
    service: 'sends no totals',
    interface: 'every field listed is returned as named',
    agent: 'needs none',
    odd: () =>
      changed('restore/manifest', ({ restore_session_id, point_in_time, files: list }) => ({
        restore_session_id,
        point_in_time,
        files: list,
      })),
  },
  {
    name: 'entry-too-many',
    service: 'lists a file that was not backed up',
    interface: 'the file tree as it existed',
    agent: 'names and does not restore it',
    odd: () => files((list) => [...list, { ...list.find(isOne), path: '/etc/shadow' }]),
    restore: {
      status: 3,
      warnings: [
        ['/etc/shadow', SUSPICIOUS],
        ['documents', 'service-totals'],
      ],
    },
  },
  {
    name: 'entry-unsafe',
    service: 'lists a path that leads out of the tree',
    interface: 'a path: not shown',
    agent: 'refuses that entry only',
    odd: () => files((list) => [...list, { ...list.find(isOne), path: '/a/../../etc/passwd' }]),
    restore: { status: 3, warnings: [['/.holdfast/tree', SUSPICIOUS]] },
  },
  {
    name: 'entry-malformed',
    service: 'has a negative size for one file',
    interface: '`size` integer, bytes',
    agent: 'names the file and restores it from the tree',
    odd: () => files((list) => list.map((each) => (isOne(each) ? { ...each, size: -1 } : each))),
    restore: { status: 3, warnings: [['one.txt', SUSPICIOUS]] },
  },
  {
    name: 'entry-with-null',
    service: 'has null for the chunks of an empty file, and lists null beside it',
    interface: '`chunks`: ordered array of hash strings',
    agent: 'names both and restores the file from the tree',
    odd: () => files((list) => [...list.map((each) => (each['size'] === 0 ? { ...each, chunks: null } : each)), null]),
    restore: {
      status: 3,
      warnings: [
        ['/.holdfast/tree', SUSPICIOUS],
        ['empty', SUSPICIOUS],
      ],
    },
  },
  {
    name: 'entry-missing',
    service: 'leaves one file out',
    interface: 'the file tree as it existed',
    agent: 'names the file and restores it from the tree',
    odd: () => files((list) => list.filter((each) => !isOne(each))),
    restore: {
      status: 3,
      warnings: [
        ['documents', 'service-totals'],
        ['one.txt', SUSPICIOUS],
      ],
    },
  },
  {
    name: 'entry-with-other-chunks',
    service: 'lists the chunks of another file for one',
    interface: 'a file’s `chunks`',
    agent: 'names the file and restores it from the tree',
    odd: () =>
      files((list) => list.map((each) => (isOne(each) ? { ...each, chunks: list.find(isTwo)!['chunks'] } : each))),
    restore: { status: 3, warnings: [['one.txt', SUSPICIOUS]] },
  },
  {
    name: 'downloads-twice',
    service: 'lists each download twice',
    interface: '`downloads` array; one for each hash: not shown',
    agent: 'downloads each once',
    odd: () => changedList('restore/presign', 'downloads', (list) => [...list, ...list]),
  },
  {
    name: 'downloads-half',
    service: 'answers for half of the hashes at a time',
    interface: 'batches of up to 100 recommended; limits: not shown',
    agent: 'asks for the rest',
    odd: () => changedList('restore/presign', 'downloads', (list) => list.slice(0, Math.ceil(list.length / 2))),
  },
  {
    name: 'downloads-ten',
    service: 'refuses more than three hashes with 400',
    interface: 'batches of up to 100 recommended; limits: not shown',
    agent: 'halves the batch',
    odd: () => ({
      before: ({ endpoint, body }) =>
        endpoint === 'restore/presign' && (body as { chunk_hashes: string[] }).chunk_hashes.length > 3
          ? { status: 400, body: { error: 'too many' } }
          : undefined,
    }),
  },
  {
    name: 'download-refused',
    service: 'refuses a batch with 422 for one of its hashes',
    interface: 'an unknown hash: not shown',
    agent: 'halves the batch and names the file',
    odd: () => ({
      before: ({ endpoint, bytes }, state) =>
        endpoint === 'restore/presign' && bytes.includes(hashOf(state, 'one.txt') ?? 'none')
          ? { status: 422, body: { error: 'unknown hash' } }
          : undefined,
    }),
    ...LOST,
  },
  {
    name: 'download-missing',
    service: 'leaves a lost blob out',
    interface: 'a lost blob: not shown',
    agent: 'names the file and restores the others',
    odd: () => ({
      after: ({ endpoint }, answer, state) =>
        endpoint === 'restore/presign' ? without(answer, hashOf(state, 'one.txt')) : undefined,
    }),
    ...LOST,
  },
  {
    name: 'download-size-0',
    service: 'says that one blob has 0 bytes, and delivers it',
    interface: '`size` integer, bytes',
    agent: 'downloads it',
    odd: () => sized((size, index) => (index === 0 ? 0 : size)),
  },
  {
    name: 'download-size-0-lost',
    service: 'says that a lost blob has 0 bytes',
    interface: '`size` integer, bytes',
    agent: 'names the file and restores the others',
    odd: () => ({
      ...sized(() => 0),
      before: (call, state) => (isBlobOf(call, state, 'one.txt') ? { status: 404 } : undefined),
    }),
    ...LOST,
  },
  {
    name: 'download-size-missing',
    service: 'does not say how large blobs are',
    interface: 'every field listed is returned as named',
    agent: 'reads to the end of the answer, up to a limit',
    odd: () => sized(() => undefined),
  },
  {
    name: 'download-size-of-the-chunk',
    service: 'states the size of the chunk, not of the blob',
    interface: '`size` integer, bytes; of what: not shown',
    agent: 'accepts 28 bytes more',
    odd: () => sized((size) => size - 28),
  },
  {
    name: 'download-address-short',
    service: 'gives out addresses that live for a second',
    interface: '`expires_in` is returned per URL',
    agent: 'asks for another when it has expired',
    odd: () => changedList('restore/presign', 'downloads', (list) => list.map((each) => ({ ...each, expires_in: 1 }))),
  },
  {
    name: 'download-address-bad',
    service: 'gives out one address that is none',
    interface: '`url` string',
    agent: 'asks for it again',
    odd: () =>
      changedList('restore/presign', 'downloads', (list, number) =>
        list.map((each, index) => (number === 1 && index === 0 ? { ...each, url: 'javascript:0' } : each)),
      ),
  },
  {
    name: 'restore-session-expired',
    service: 'forgets the restore session after the manifest',
    interface: 'lifetime of a session: not shown',
    agent: 'opens another one for the same restore point',
    odd: () => {
      let presigns = 0;
      return {
        before: ({ endpoint }, state) => {
          if (endpoint !== 'restore/presign' || (presigns += 1) !== 2) return undefined;
          state.restores.clear();
          return { status: 404, body: { error: 'no such session' } };
        },
      };
    },
  },
  {
    name: 'download-redirected-302',
    service: 'moves a download to another host with 302',
    interface: 'redirects: not shown',
    agent: 'follows without a token',
    odd: () => redirectedOnce('storage/get', 302),
  },
  {
    name: 'download-redirected-307',
    service: 'moves a download to another host with 307',
    interface: 'redirects: not shown',
    agent: 'follows without a token',
    odd: () => redirectedOnce('storage/get', 307),
  },
  {
    name: 'download-redirected-away',
    service: 'sends one download on to an address that is no web address',
    interface: 'redirects: not shown',
    agent: 'does not follow; names the file and restores the others',
    odd: () => ({
      before: (call, state) =>
        isBlobOf(call, state, 'one.txt') ? { status: 302, headers: { Location: 'file:///etc/passwd' } } : undefined,
    }),
    ...LOST,
  },
  {
    name: 'download-redirected-in-circles',
    service: 'sends one download on to itself',
    interface: 'redirects: not shown',
    agent: 'gives up after five; names the file and restores the others',
    odd: () => ({
      before: (call, state) =>
        isBlobOf(call, state, 'one.txt')
          ? { status: 307, headers: { Location: `/get/${call.parameter}?X-Signature=secret` } }
          : undefined,
    }),
    ...LOST,
  },
  {
    name: 'download-404',
    service: 'has lost a blob: 404',
    interface: 'a lost blob: not shown',
    agent: 'names the file and restores the others',
    odd: () => ({ before: (call, state) => (isBlobOf(call, state, 'one.txt') ? { status: 404 } : undefined) }),
    ...LOST,
  },
  {
    name: 'download-404-page',
    service: 'answers 404 with a web page, once, for a blob that is there',
    interface: 'the download is retried',
    agent: 'asks again: that is no answer of the storage',
    odd: () =>
      before('storage/get', (number) => number === 2, { status: 404, text: '<!doctype html><title>Not here</title>' }),
  },
  {
    name: 'download-403',
    service: 'refuses the address of a lost blob, as some storages do',
    interface: 'a lost blob: not shown',
    agent: 'asks for other addresses, then names the file and restores the others',
    odd: () => ({ before: (call, state) => (isBlobOf(call, state, 'one.txt') ? { status: 403 } : undefined) }),
    ...LOST,
  },
  {
    name: 'download-labelled',
    service: 'labels blobs with a content coding that they do not have',
    interface: 'the encrypted chunk bytes',
    agent: 'takes the bytes as they are',
    odd: () => ({
      after: ({ endpoint }, answer) =>
        endpoint === 'storage/get' ? { ...answer, headers: { 'Content-Encoding': 'gzip' } } : undefined,
    }),
  },
  {
    name: 'download-compressed',
    service: 'compresses blobs on the way',
    interface: 'the encrypted chunk bytes; content codings: not shown',
    agent: 'asks for none and decompresses them',
    odd: () => ({
      after: ({ endpoint }, answer) =>
        endpoint === 'storage/get' && answer.bytes
          ? { ...answer, bytes: gzipSync(answer.bytes), headers: { 'Content-Encoding': 'gzip' } }
          : undefined,
    }),
  },
  {
    name: 'download-damaged-once',
    service: 'delivers a damaged blob, once',
    interface: 'the download is retried',
    agent: 'asks again',
    odd: () => {
      let gets = 0;
      return {
        after: ({ endpoint }, answer) =>
          endpoint === 'storage/get' && answer.bytes && (gets += 1) === 3
            ? { ...answer, bytes: Buffer.from(answer.bytes.toReversed()) }
            : undefined,
      };
    },
  },
  {
    name: 'download-damaged',
    service: 'delivers one blob damaged, always',
    interface: 'the restore reports the file and the chunk; restored data from it is not used',
    agent: 'names the file and restores the others',
    odd: () => ({
      after: (call, answer, state) =>
        isBlobOf(call, state, 'one.txt') && answer.bytes
          ? { ...answer, bytes: Buffer.from(answer.bytes.toReversed()) }
          : undefined,
    }),
    restore: { status: 1, failures: [['one.txt', 'chunk_tampered']] },
    missing: ['one.txt'],
  },
  {
    name: 'manifest-page',
    service: 'answers the manifest with a web page and 404',
    interface: 'JSON',
    agent: 'fails: that is no missing restore point',
    odd: () => before('restore/manifest', () => true, { status: 404, text: '<!doctype html><title>Not here</title>' }),
    journey: async (world) => {
      const failed: Outcome = { ...WELL, status: 1, failures: [['', 'service_broken']] };
      expect(await world.restore()).toEqual(failed);
    },
  },
];

type Entry = Record<string, unknown>;

let wanted = '';

const isOne = ({ path }: Entry): boolean => String(path).endsWith('/one.txt');
const isTwo = ({ path }: Entry): boolean => String(path).endsWith('/two.txt');
const isReserved = ({ path }: Entry): boolean => String(path).startsWith('/.holdfast/');

/** Changes the files of manifests that have more than reserved ones. */
function files(change: (list: Entry[]) => readonly unknown[]): ReturnType<OddityRow['odd']> {
  return changedList('restore/manifest', 'files', (list) => (list.some(isOne) ? change(list) : list));
}

function withFiles<Answer extends { readonly body?: unknown }>(
  answer: Answer,
  change: (list: Entry[]) => Entry[],
): Answer {
  const list = change((answer.body as { files: Entry[] }).files);
  const chunks = list.flatMap((each) => each['chunks'] as string[]);
  const totals = {
    total_files: list.length,
    total_chunks: chunks.length,
    unique_chunks: new Set(chunks).size,
    total_bytes: list.reduce((sum, each) => sum + Number(each['size']), 0),
  };
  return { ...answer, body: { ...(answer.body as object), files: list, ...totals } };
}

function modified(change: (time: number) => string): ReturnType<OddityRow['odd']> {
  return files((list) => list.map((each) => ({ ...each, modified: change(Date.parse(String(each['modified']))) })));
}

/** Changes how the times of restore points are written. */
function pointTimes(change: (time: number) => string): ReturnType<OddityRow['odd']> {
  const written = (time: unknown): string => change(Date.parse(String(time)));
  return {
    after: ({ endpoint }, answer) => {
      const body = answer.body as Record<string, unknown> | undefined;
      if (answer.status !== 200 || !body) return undefined;
      if (endpoint === 'backup/complete')
        return { ...answer, body: { ...body, restore_point: written(body['restore_point']) } };
      if (endpoint !== 'restore/manifest') return undefined;
      return { ...answer, body: { ...body, point_in_time: written(body['point_in_time']) } };
    },
  };
}

function sized(change: (size: number, index: number) => unknown): ReturnType<OddityRow['odd']> {
  return changedList('restore/presign', 'downloads', (list) =>
    list.map((each, index) => ({ ...each, size: change(Number(each['size']), index) })),
  );
}

function without<Answer extends { readonly body?: unknown }>(answer: Answer, hash: string | undefined): Answer {
  const { downloads } = answer.body as { downloads: Entry[] };
  return { ...answer, body: { downloads: downloads.filter((each) => each['hash'] !== hash) } };
}
