import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { WELL } from '../world.ts';
import { before, changed, changedList, type OddityRow } from './oddity-row.ts';

const NEEDED = '`chunks_needed`: chunks not yet in storage';
const UNKNOWN_HASH = `sha256:${'0b'.repeat(32)}`;

/** What happens in a backup. */
export const BACKUPS: readonly OddityRow[] = [
  {
    name: 'needed-in-another-order',
    service: 'lists the needed chunks in another order',
    interface: `${NEEDED}; their order: not shown`,
    agent: 'sends them in its own',
    odd: () => changedList('backup/init', 'chunks_needed', (list) => list.toReversed()),
  },
  {
    name: 'needed-twice',
    service: 'lists needed chunks twice',
    interface: NEEDED,
    agent: 'sends each once',
    odd: () => changedList('backup/init', 'chunks_needed', (list) => [...list, ...list]),
  },
  {
    name: 'needed-without-sizes',
    service: 'lists needed chunks without sizes, or with those of blobs',
    interface: 'chunk reference `{hash, size}`',
    agent: 'knows their sizes',
    odd: () =>
      changedList('backup/init', 'chunks_needed', (list) =>
        list.map(({ hash, size }, index) => (index % 2 === 0 ? { hash } : { hash, size: Number(size) + 28 })),
      ),
  },
  {
    name: 'needed-null',
    service: 'writes null for an empty list',
    interface: 'an array',
    agent: 'takes it for an empty one',
    odd: () =>
      changedList('backup/init', 'chunks_needed', (list) => (list.length === 0 ? (null as unknown as []) : list)),
    journey: async (world) => {
      expect(await world.backUp()).toEqual(WELL);
      expect(await world.backUp()).toEqual(WELL);
    },
  },
  {
    name: 'needed-in-capitals',
    service: 'writes hashes in capitals',
    interface: '`sha256:<digest>`',
    agent: 'compares digests, not spellings',
    odd: () =>
      changedList('backup/init', 'chunks_needed', (list) =>
        list.map((chunk) => ({
          ...chunk,
          hash: String(chunk['hash']).replace(/[a-f](?=[0-9a-f]*$)/g, (x) => x.toUpperCase()),
        })),
      ),
  },
  {
    name: 'needed-malformed',
    service: 'lists an element that is no chunk',
    interface: 'chunk reference `{hash, size}`',
    agent: 'sends the others and names the service’s mistake',
    odd: () => changedList('backup/init', 'chunks_needed', (list) => [{ hash: 'md5:1' }, ...list, null]),
    backup: { status: 3, warnings: [['documents', 'service-unknown-chunks']] },
  },
  {
    name: 'needed-unknown',
    service: 'asks for a chunk that no file has',
    interface: NEEDED,
    agent: 'sends the others and names the service’s mistake',
    odd: () => changedList('backup/init', 'chunks_needed', (list) => [...list, { hash: UNKNOWN_HASH, size: 5 }]),
    backup: { status: 3, warnings: [['documents', 'service-unknown-chunks']] },
  },
  {
    name: 'init-without-counts',
    service: 'leaves out chunks_deduped and chunks_to_upload',
    interface: 'every field listed is returned as named',
    agent: 'needs only the session and the list',
    odd: () => changed('backup/init', ({ session_id, chunks_needed }) => ({ chunks_needed, session_id })),
  },
  {
    name: 'upload-address-short',
    service: 'gives out addresses that live for a second',
    interface: '`expires_in` seconds; 900 shown',
    agent: 'uses each at once',
    odd: () => changed('backup/presign', (body) => ({ ...body, expires_in: 1 })),
  },
  {
    name: 'upload-address-bare',
    service: 'leaves out the lifetime, the method and the headers',
    interface: 'every field listed is returned as named',
    agent: 'sends a PUT, and asks for another address if it is refused',
    odd: () => changed('backup/presign', ({ upload_url }) => ({ upload_url, headers: null, method: null })),
    noted: ['storage/put: Content-Type undefined'],
  },
  {
    name: 'upload-method-lower-case',
    service: 'writes the method in lower case, and the length as a number',
    interface: '`method` `PUT`; header values are strings',
    agent: 'sends a PUT of that length',
    odd: () =>
      changed('backup/presign', (body) => {
        const headers = body['headers'] as Record<string, string>;
        return { ...body, method: 'put', headers: { ...headers, 'Content-Length': Number(headers['Content-Length']) } };
      }),
  },
  {
    name: 'upload-headers-of-the-storage',
    service: 'demands headers of its storage, and refuses an upload without them',
    interface: '`headers`: name to value to send on the upload',
    agent: 'sends them as they are',
    odd: () => {
      const asked = { 'x-amz-meta-run': 'a b', 'X-Ms-Blob-Type': 'BlockBlob', 'Content-MD5': 'x' };
      return {
        after: (call, answer) => {
          const body = answer.body as Record<string, unknown> | undefined;
          if (call.endpoint !== 'backup/presign' || !body) return undefined;
          return { ...answer, body: { ...body, headers: { ...(body['headers'] as object), ...asked } } };
        },
        before: ({ endpoint, headers }) => {
          const isRight = Object.entries(asked).every(([name, value]) => headers[name.toLowerCase()] === value);
          return endpoint === 'storage/put' && !isRight ? { status: 403 } : undefined;
        },
      };
    },
  },
  {
    name: 'upload-address-used-once',
    service: 'accepts one request for each address, even one that fails',
    interface: 'presigned; a second use: not shown',
    agent: 'asks for another address after a failure',
    odd: () => {
      const used = new Set<string>();
      let puts = 0;
      return {
        before: ({ endpoint, parameter = '' }) => {
          if (endpoint !== 'storage/put') return undefined;
          if (used.has(parameter)) return { status: 403 };
          used.add(parameter);
          return (puts += 1) % 3 === 0 ? { status: 500 } : undefined;
        },
      };
    },
  },
  {
    name: 'upload-refused-once',
    service: 'refuses the first upload with 403',
    interface: 'an expired address: request a new one and retry',
    agent: 'does so',
    odd: () => before('storage/put', (number) => number === 1, { status: 403 }),
  },
  {
    name: 'upload-answered-204',
    service: 'answers an upload with 204, or with 201 and a body',
    interface: '200 on success, no body shown',
    agent: 'takes any 2xx for success',
    odd: () => {
      let puts = 0;
      return {
        after: ({ endpoint }, answer) =>
          endpoint !== 'storage/put' || answer.status !== 200
            ? undefined
            : (puts += 1) % 2 === 0
              ? { status: 204 }
              : { status: 201, text: '<PutResult/>' },
      };
    },
  },
  {
    name: 'upload-there-already',
    service: 'answers 412: the storage has the blob since the presign',
    interface: 'not shown',
    agent: 'takes the blob for stored',
    odd: () => ({
      after: ({ endpoint }, answer) =>
        endpoint === 'storage/put' && answer.status === 200 ? { status: 412 } : undefined,
    }),
  },
  {
    name: 'upload-redirected',
    service: 'moves an upload to another host with 307',
    interface: 'redirects: not shown',
    agent: 'follows, with the body and without a token',
    odd: () => redirectedOnce('storage/put', 307),
  },
  {
    name: 'upload-answer-lost',
    service: 'stores a blob, and its answer is lost',
    interface: 'fails or times out: request a new address and retry',
    agent: 'does so',
    odd: () => lostOnce('storage/put'),
    noted: ['backup/presign: chunk', 'storage/put: an address was used twice'],
  },
  {
    name: 'init-answer-lost',
    service: 'opens a session, and its answer is lost',
    interface: 'init returns the session',
    agent: 'sends the manifest again',
    odd: () => lostOnce('backup/init'),
  },
  {
    name: 'progress-404',
    service: 'has no progress endpoint',
    interface: 'optional',
    agent: 'ignores the failure',
    odd: () => before('backup/progress', () => true, { status: 404, text: '<!doctype html>' }),
  },
  {
    name: 'progress-500',
    service: 'fails at every progress report',
    interface: 'optional',
    agent: 'ignores the failure',
    odd: () => before('backup/progress', () => true, { status: 500 }),
  },
  {
    name: 'session-expired',
    service: 'forgets a session in the middle of an upload',
    interface: 'lifetime of a session: not shown',
    agent: 'begins anew, once, and sends only what is not stored yet',
    odd: () => {
      let forgotten: unknown;
      let calls = 0;
      return {
        before: ({ endpoint, body }) => {
          if (endpoint !== 'backup/presign') return undefined;
          const session = (body as { session_id: string }).session_id;
          if ((calls += 1) === 3) forgotten = session;
          return session === forgotten ? { status: 404, body: { error: 'no such session' } } : undefined;
        },
      };
    },
  },
  {
    name: 'complete-repeated',
    service: 'loses its answer to complete, and repeats it',
    interface: 'a second complete: not shown',
    agent: 'completes again',
    odd: () => lostOnce('backup/complete'),
    noted: ['backup/complete: the session is complete'],
  },
  {
    name: 'complete-forgotten',
    service: 'loses its answer to complete, and no longer knows the session',
    interface: 'a second complete: not shown',
    agent: 'finds the run among the restore points; it is complete',
    odd: () => {
      let completes = 0;
      return {
        before: ({ endpoint }) =>
          endpoint === 'backup/complete' && (completes += 1) > 1 ? { status: 404, body: { error: 'gone' } } : undefined,
        after: ({ endpoint }, answer) =>
          endpoint === 'backup/complete' && completes === 1 ? { ...answer, isLost: true } : undefined,
      };
    },
    journey: async (world) => {
      const runs = world.service.callsOf('backup/init');
      expect(await world.backUp()).toEqual(WELL);
      expect(world.service.callsOf('backup/init')).toBe(runs + 1);
      expect(await world.restore()).toEqual(WELL);
      world.expectRestored();
    },
  },
  {
    name: 'complete-unknown',
    service: 'does not know the session at complete, and has no such run',
    interface: 'lifetime of a session: not shown',
    agent: 'looks for the run, and begins anew, once',
    odd: () => before('backup/complete', (number) => number === 1, { status: 404, body: { error: 'gone' } }),
  },
  {
    name: 'complete-page',
    service: 'answers complete with a web page and 404, always',
    interface: 'JSON',
    agent: 'fails: that is no missing session',
    odd: () => before('backup/complete', () => true, { status: 404, text: '<!doctype html><title>Not here</title>' }),
    journey: async (world) => {
      const inits = world.service.callsOf('backup/init');
      expect(await world.backUp()).toEqual({ ...WELL, status: 1, failures: [['', 'service_broken']] });
      expect(world.service.callsOf('backup/init')).toBe(inits + 1);
    },
  },
  {
    name: 'complete-failed',
    service: 'completes with the status `failed`, and lists the run as a restore point',
    interface: '`status`; `completed` is the value shown',
    agent: 'fails: the service has said so',
    odd: () => changed('backup/complete', (body) => ({ ...body, status: 'failed' })),
    journey: async (world) => {
      expect(await world.backUp()).toEqual({ ...WELL, status: 1, failures: [['', 'service_broken']] });
    },
  },
  {
    name: 'complete-without-figures',
    service: 'completes with null for figures, without an id, and with a status in capitals',
    interface: '`backup_id`, `status` `completed`, `storage_used_bytes`, `dedup_savings_percent`',
    agent: 'needs only the time of the restore point',
    odd: () =>
      changed('backup/complete', ({ restore_point }) => ({
        restore_point,
        status: 'COMPLETED_WITH_WARNINGS',
        storage_used_bytes: null,
        dedup_savings_percent: null,
      })),
  },
  {
    name: 'complete-without-time',
    service: 'completes without saying when',
    interface: '`restore_point` timestamp',
    agent: 'finds the run, and its time, among the restore points',
    odd: () => changed('backup/complete', (body) => ({ ...body, restore_point: undefined })),
    noted: ['backup/complete: the session is complete'],
  },
  {
    name: 'long-identifiers',
    service: 'gives out identifiers of 2,000 characters with slashes, blanks and letters of other scripts',
    interface: 'identifiers are opaque strings',
    agent: 'returns them as they are',
    odd: () => {
      const inner = new Map<string, string>();
      const wrap = (id: unknown): string => {
        const long = `${'a/b?c=d&é✓ "%2F'.repeat(130)}${randomBytes(6).toString('hex')}`;
        inner.set(long, String(id));
        return long;
      };
      return {
        unwrap: (body) => {
          for (const key of ['session_id', 'restore_session_id'])
            if (key in body) body[key] = inner.get(String(body[key])) ?? body[key];
        },
        after: (call, answer) => {
          const body = answer.body as Record<string, unknown> | undefined;
          const key = call.endpoint === 'backup/init' ? 'session_id' : 'restore_session_id';
          return typeof body?.[key] === 'string' ? { ...answer, body: { ...body, [key]: wrap(body[key]) } } : undefined;
        },
      };
    },
  },
];

/** Loses the answer to the first call of an endpoint, which has taken effect. */
function lostOnce(endpoint: Parameters<typeof before>[0]): ReturnType<OddityRow['odd']> {
  let calls = 0;
  return {
    after: (call, answer) =>
      call.endpoint === endpoint && (calls += 1) === 1 ? { ...answer, isLost: true } : undefined,
  };
}

/** Sends each request to an address of the storage on to another host, where it is served. */
export function redirectedOnce(endpoint: 'storage/get' | 'storage/put', status: number): ReturnType<OddityRow['odd']> {
  const moved = new Set<string>();
  return {
    before: ({ endpoint: called, parameter = '' }, { storageUrl }) => {
      if (called !== endpoint || moved.has(parameter)) return undefined;
      moved.add(parameter);
      const host = storageUrl.replace('127.0.0.1', 'localhost');
      const path = endpoint === 'storage/get' ? 'get' : 'put';
      return { status, headers: { Location: `${host}/${path}/${parameter}?X-Signature=secret` } };
    },
  };
}
