import { chmodSync, readdirSync, renameSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import type { RetryPolicy } from '../../../src/remote/http/retrier.ts';
import type { WebdavCredentials } from '../../../src/storage/webdav/authorization.ts';
import { moveObstacles } from '../../../src/repository/repair/move-aside.ts';
import { readStored } from '../../../src/storage/read-stored.ts';
import { WebdavStorage } from '../../../src/storage/webdav/webdav-storage.ts';
import { CREDENTIALS, HAS_APACHE, startApache } from '../../helpers/webdav/apache.ts';
import { describeStorage, listed } from '../../unit/storage/contract.ts';
import { newRepositoryFolder, placeIn } from './folder-place.ts';

const FEW: RetryPolicy = { attempts: 2, firstPauseMs: 1, longestPauseMs: 5, maxWaitMs: 5 };
const parts = { clock: systemClock, policy: FEW };

describe.skipIf(!HAS_APACHE)('with Apache (scripts/install-test-tools.sh)', () => {
  async function serve(): Promise<{ url: string; folder: string; close: () => Promise<void> }> {
    const folder = newRepositoryFolder();
    chmodSync(`${folder}/holdfast.json`, 0o666);
    const { url, stop } = await startApache(folder);
    const close = async () => {
      await stop();
      await placeIn(folder).close();
    };
    return { url, folder, close };
  }

  describeStorage(
    'WebDAV with digest authentication',
    async () => {
      const { url, folder, close } = await serve();
      return {
        open: async () => new WebdavStorage({ url, credentials: CREDENTIALS }, { clock: systemClock }),
        ...placeIn(folder),
        close,
      };
    },
    // Apache checks whether the destination of a MOVE exists before it moves.
    { isRacy: true },
  );

  test('refuses a wrong password, and a server where no repository is', async () => {
    const { url, folder, close } = await serve();
    onTestFinished(close);
    const stranger = new WebdavStorage({ url, credentials: { ...CREDENTIALS, password: 'wrong' } }, parts);
    const denied = { code: 'permission_denied', details: { address: url, status: 401 } };
    await expect(stranger.get('keys/a')).rejects.toMatchObject(denied);
    await expect(new WebdavStorage({ url }, parts).get('keys/a')).rejects.toMatchObject(denied);
    const storage = new WebdavStorage({ url, credentials: CREDENTIALS }, parts);
    await storage.put('keys/a', [Buffer.from('a')]);
    renameSync(`${folder}/holdfast.json`, `${folder}/other`);
    const missing = { code: 'destination_missing', details: { directory: url } };
    await expect(storage.put('keys/b', [Buffer.from('b')])).rejects.toMatchObject(missing);
    await expect(storage.get('keys/b')).rejects.toMatchObject(missing);
    await expect(listed(storage, 'ledger/')).rejects.toMatchObject(missing);
    expect(readdirSync(`${folder}/keys`).filter((name) => !name.startsWith('.'))).toEqual(['a']);
  });
});

type Handler = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

/** Opens a store at a server that a test controls. */
async function openWith(
  handle: Handler,
  credentials?: WebdavCredentials,
): Promise<{ storage: WebdavStorage; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    void buffer(request).then((body) => handle(request, response, body));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve());
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/dav`;
  const storage = new WebdavStorage({ url, credentials }, parts);
  onTestFinished(async () => {
    await storage[Symbol.asyncDispose]();
    server.close();
  });
  return { storage, requests };
}

const entry = (href: string, bytes = 5) =>
  `<d:response><d:href>${href}</d:href><d:propstat><d:prop><d:getcontentlength>${bytes}</d:getcontentlength>
   <d:getlastmodified>Sun, 22 Nov 2026 10:00:00 GMT</d:getlastmodified></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`;
const folderEntry = (href: string) =>
  `<d:response><d:href>${href}</d:href><d:propstat><d:prop><d:resourcetype><d:collection/></d:resourcetype></d:prop>
   <d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`;
const multistatus = (...entries: readonly string[]) =>
  `<?xml version="1.0"?><d:multistatus xmlns:d="DAV:">${entries.join('')}</d:multistatus>`;

/** Responds as a server does that keeps the lengths of its files, except for what a test decides. */
function serverWith(
  handle: (request: IncomingMessage, response: ServerResponse, body: Buffer) => boolean,
  others: readonly string[] = [],
): Handler {
  const files = new Map([...others, '/dav/holdfast.json'].map((path) => [path, 5]));
  return (request, response, body) => {
    if (handle(request, response, body)) return;
    const { method, url = '' } = request;
    const bytes = files.get(url);
    if (method === 'PROPFIND') {
      if (url.endsWith('/')) response.writeHead(207).end(multistatus(folderEntry(url)));
      else if (bytes === undefined) response.writeHead(404).end();
      else response.writeHead(207).end(multistatus(entry(url, bytes)));
      return;
    }
    if (method === 'PUT') files.set(url, body.length);
    if (method === 'MOVE' || method === 'DELETE') files.delete(url);
    if (method === 'MOVE') {
      // As rclone has it.
      if (bytes === undefined) return void response.writeHead(403).end();
      files.set(new URL(String(request.headers['destination'])).pathname, bytes);
    }
    response.writeHead(method === 'MKCOL' ? 405 : method === 'DELETE' ? 204 : 201).end();
  };
}

const respond = (response: ServerResponse, status: number, body?: string | Buffer, headers = {}): boolean =>
  response.writeHead(status, headers).end(body) !== undefined;

describe('a file that the server does not give out', () => {
  const gone = { code: 'destination_unwritable', details: { problem: 'cut-off' } };

  test.each([
    [
      'breaks off',
      (response: ServerResponse) =>
        void response.writeHead(200, { 'content-length': 5 }).write('a', () => response.destroy()),
    ],
    ['is an error of the server', (response: ServerResponse) => void response.writeHead(500).end()],
  ])('is no failure of the store when its response %s', async (_how, fail) => {
    const { storage, requests } = await openWith(
      serverWith(
        (request, response) => {
          if (request.method !== 'GET') return false;
          if (request.url?.endsWith('/bad')) fail(response);
          else response.end('good');
          return true;
        },
        ['/dav/keys/bad', '/dav/keys/good'],
      ),
    );
    await expect(storage.get('keys/bad')).rejects.toMatchObject(gone);
    expect(Buffer.from((await storage.get('keys/good'))!).toString()).toBe('good');
    await expect(readStored(storage, 'keys/bad')).rejects.toMatchObject({ problem: 'unreadable' });
    const before = requests.length;
    await expect(storage.get('keys/bad')).rejects.toMatchObject(gone);
    // What is known to fail is not repeated: the file, the probe, the file.
    expect(requests.slice(before).map(({ method }) => method)).toEqual(['GET', 'PROPFIND', 'GET']);
  });

  test('is not judged while the server cannot be reached', async () => {
    const { storage } = await openWith((_, response) => void response.destroy());
    await expect(storage.get('keys/bad')).rejects.toMatchObject({ code: 'service_unreachable' });
  });

  test('is asked for once more, since the server may have been away', async () => {
    let reads = 0;
    const { storage } = await openWith(
      serverWith(
        (request, response) => {
          if (request.method !== 'GET') return false;
          reads += 1;
          if (reads <= FEW.attempts) response.destroy();
          else response.end('good');
          return true;
        },
        ['/dav/keys/good'],
      ),
    );
    expect(Buffer.from((await storage.get('keys/good'))!).toString()).toBe('good');
  });
});

describe('WebDAV storage', () => {
  test('lists only what is in the folder that it asked for', async () => {
    const { storage } = await openWith((_, response) => {
      const entries = [
        folderEntry('/dav/keys/'),
        entry('/dav/keys/plain'),
        entry('http://elsewhere.example/dav/keys/absolute'),
        entry('/dav/keys/%61bc'),
        entry('/dav/keys/../../etc/passwd'),
        entry('/dav/keys/a%2Fb'),
        entry('/dav/other/outside'),
        entry('/dav/keys/%ff'),
        entry(''),
      ];
      response.writeHead(207).end(multistatus(...entries));
    });
    const created = Date.UTC(2026, 10, 22, 10);
    expect(await listed(storage, 'keys/')).toEqual([
      { name: 'keys/plain', bytes: 5, created },
      { name: 'keys/absolute', bytes: 5, created },
      { name: 'keys/abc', bytes: 5, created },
    ]);
  });

  test.each([
    ['a document type', `<!DOCTYPE d [<!ENTITY a "aaaa">]>${multistatus()}`],
    ['unclosed tags', '<d:multistatus xmlns:d="DAV:">'],
    ['no XML', 'Welcome'],
    ['nothing', ''],
    ['endless nesting', '<a>'.repeat(100_000)],
  ])('refuses a listing with %s', async (_, body) => {
    const { storage } = await openWith((__, response) => void response.writeHead(207).end(body));
    await expect(listed(storage, 'keys/')).rejects.toMatchObject({ code: 'service_broken' });
  });

  test('cuts a range out of a whole file if the server ignores ranges', async () => {
    const { storage } = await openWith(serverWith((_, response) => respond(response, 200, '0123456789')));
    expect(Buffer.from((await storage.get('keys/a', { offset: 3, length: 4 }))!).toString()).toBe('3456');
  });

  test('refuses another range than the one it asked for', async () => {
    const { storage } = await openWith(
      serverWith((_, response) => respond(response, 206, '0123', { 'content-range': 'bytes 0-3/10' })),
    );
    await expect(storage.get('keys/a', { offset: 3, length: 4 })).rejects.toMatchObject({ code: 'service_broken' });
  });

  test('creates the file by its name, with a condition, if the server cannot move', async () => {
    const { storage, requests } = await openWith(
      serverWith((request, response) => request.method === 'MOVE' && respond(response, 501)),
    );
    expect(await storage.put('keys/a', [Buffer.from('a')])).toBe('created');
    expect(await storage.put('keys/b', [Buffer.from('b')])).toBe('created');
    const puts = requests.filter(({ method, url }) => method === 'PUT' && !url!.includes('.tmp-'));
    expect(puts.map(({ url, headers }) => [url, headers['if-none-match']])).toEqual([
      ['/dav/keys/a', '*'],
      ['/dav/keys/b', '*'],
    ]);
    expect(requests.filter(({ method }) => method === 'MOVE')).toHaveLength(1);
  });

  test('copies what is in the place of a folder if the server cannot move', async () => {
    const copied: string[] = [];
    const { storage, requests } = await openWith(
      serverWith(
        (request, response, body) => {
          if (request.method === 'MOVE') return respond(response, 501);
          if (request.method === 'PUT') copied.push(`${request.url} ${body.toString()}`);
          if (request.method === 'GET') return respond(response, 200, 'in the way');
          if (request.method !== 'PROPFIND' || request.url !== '/dav/') return false;
          return respond(response, 207, multistatus(entry('/dav/holdfast.json'), entry('/dav/keys')));
        },
        ['/dav/keys'],
      ),
    );
    expect([...(await moveObstacles(storage))]).toEqual([['keys', 'moved']]);
    expect(copied).toContain('/dav/damaged/keys.other-1 in the way');
    expect(requests.filter(({ method }) => method === 'DELETE').map(({ url }) => url)).toContain('/dav/keys');
  });

  test.each([
    ['created', 'mine'],
    ['exists', 'other'],
  ])('reports %s when a response was lost and the server has then “%s”', async (outcome, found) => {
    let moves = 0;
    const { storage } = await openWith(
      serverWith(
        (request, response) => {
          if (request.method === 'GET') return respond(response, 200, found);
          if (request.method !== 'MOVE') return false;
          moves += 1;
          return moves === 1 ? request.socket.destroy() !== undefined : respond(response, 412);
        },
        ['/dav/keys/a'],
      ),
    );
    expect(await storage.put('keys/a', [Buffer.from('mine')])).toBe(outcome);
  });

  test.each([
    ['moved', 404],
    ['exists', 207],
  ])(
    'reports %s when the response to a move was lost and the server has then %i for its source',
    async (outcome, status) => {
      let moves = 0;
      const { storage } = await openWith(
        serverWith((request, response) => {
          if (request.method === 'PROPFIND' && request.url === '/dav/keys/a') {
            return respond(response, status, multistatus(entry('/dav/keys/a')));
          }
          if (request.method !== 'MOVE') return false;
          moves += 1;
          return moves === 1 ? request.socket.destroy() !== undefined : respond(response, 412);
        }),
      );
      expect(await storage.move('keys/a', 'damaged/a')).toBe(outcome);
    },
  );

  test.each([
    ['PUT', 507, 'destination_full'],
    ['PUT', 403, 'destination_unwritable'],
    ['PUT', 400, 'service_broken'],
    ['MKCOL', 403, 'destination_unwritable'],
    ['PUT', 503, 'service_broken'],
  ])('translates a %s with the status %i to %s', async (method, status, code) => {
    const { storage } = await openWith((request, response) => {
      const isMarker = request.method === 'PROPFIND' && request.url === '/dav/holdfast.json';
      if (request.method === method) respond(response, status);
      else if (isMarker) respond(response, 207, multistatus(entry('/dav/holdfast.json')));
      else respond(response, request.method === 'PROPFIND' ? 404 : 201);
    });
    await expect(storage.put('keys/a', [Buffer.from('a')])).rejects.toMatchObject({ code });
  });

  test.each([403, 404, 405, 500, 503])(
    'takes the status %i for a lack of room where the quota says so',
    async (status) => {
      const quota = `<d:response><d:href>/dav/</d:href><d:propstat><d:prop>
      <d:quota-available-bytes>10</d:quota-available-bytes><d:quota-used-bytes>90</d:quota-used-bytes>
      </d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`;
      const { storage } = await openWith((request, response) => {
        const properties = request.url === '/dav/' ? quota : entry('/dav/holdfast.json');
        if (request.method === 'PUT') respond(response, status);
        else if (request.method === 'PROPFIND') respond(response, 207, multistatus(properties));
        else respond(response, 201);
      });
      expect(await storage.space()).toEqual({ total: 100, free: 10 });
      const full = { code: 'destination_full', details: { directory: storage.address } };
      await expect(storage.put('keys/a', [Buffer.alloc(11)])).rejects.toMatchObject(full);
      await expect(storage.put('keys/a', [Buffer.alloc(10)])).rejects.not.toMatchObject({ code: full.code });
    },
  );

  test.each([403, 405])('says that files may not be deleted when the status is %i', async (status) => {
    const { storage } = await openWith((_, response) => void respond(response, status));
    await expect(storage.delete('keys/a')).rejects.toMatchObject({ code: 'permission_denied' });
  });

  test('repeats a request after a transient status', async () => {
    let gets = 0;
    const { storage } = await openWith(
      serverWith(
        (request, response) => request.method === 'GET' && respond(response, (gets += 1) === 1 ? 502 : 200, 'a'),
      ),
    );
    expect(await storage.get('keys/a')).toHaveLength(1);
  });

  test('says that the server is unreachable, and that its certificate is not trusted', async () => {
    await expect(new WebdavStorage({ url: 'http://127.0.0.1:1/' }, parts).get('a')).rejects.toMatchObject({
      code: 'service_unreachable',
      retryable: true,
    });
    const { storage, requests } = await openWith((_, response) => void respond(response, 200));
    const url = storage.address.replace('http:', 'https:');
    await expect(new WebdavStorage({ url }, parts).get('a')).rejects.toMatchObject({
      code: 'service_unreachable',
      details: { reason: 'tls' },
      retryable: false,
    });
    expect(requests).toEqual([]);
  });

  test('answers a challenge anew when a nonce has expired', async () => {
    const { storage } = await openWith((request, response) => {
      const isFresh = /nonce="new"/.test(request.headers.authorization ?? '');
      if (isFresh) return void respond(response, 200, 'a');
      const nonce = request.method === 'PROPFIND' ? 'old' : 'new';
      respond(response, 401, '', { 'www-authenticate': `Digest realm="d", nonce="${nonce}", qop="auth"` });
    }, CREDENTIALS);
    expect(await storage.get('keys/a')).toHaveLength(1);
  });

  test('sends a password only to a server that asks for it, and not in the clear if it accepts a digest', async () => {
    const { storage, requests } = await openWith((request, response) => {
      if (request.headers.authorization !== undefined) return void respond(response, 200, 'a');
      respond(response, 401, '', {
        'www-authenticate': ['Basic realm="b"', 'Digest realm="d", nonce="n", qop="auth"'],
      });
    }, CREDENTIALS);
    expect(await storage.get('keys/a')).toHaveLength(1);
    const headers = requests.map((request) => request.headers.authorization);
    expect(headers[0]).toBeUndefined();
    expect(headers.slice(1).every((header) => header?.startsWith('Digest '))).toBe(true);
  });
});

/** What answers instead of a server: a network's sign-in page, and a proxy that says what the server would, but does nothing. */
const PAGE = [200, '<html>Please sign in.</html>'] as const;
const NOTHING = [201, ''] as const;

describe('WebDAV storage, with answers of something else', () => {
  const BROKEN = { code: 'service_broken', details: { address: expect.stringContaining('/dav/') } };

  /** Opens a store where something else answers one kind of request. */
  const without = (method: string, [status, body]: readonly [number, string], files: readonly string[] = []) =>
    openWith(serverWith((request, response) => request.method === method && respond(response, status, body), files));

  test.each([
    ['MOVE', PAGE],
    ['MOVE', NOTHING],
    ['MOVE', [204, '']],
    ['MOVE', [412, '']],
    ['PUT', PAGE],
    ['PUT', NOTHING],
    ['PUT', [412, '']],
    ['PROPFIND', PAGE],
    ['PROPFIND', [207, multistatus()]],
  ] as const)('creates nothing when the answer to %s is %j', async (method, answer) => {
    const { storage } = await without(method, answer);
    await expect(storage.put('packs/a', [Buffer.from('content')])).rejects.toMatchObject(BROKEN);
  });

  test('deletes the unfinished file when the answer to its move is a page', async () => {
    const { storage, requests } = await without('MOVE', PAGE);
    await expect(storage.put('packs/a', [Buffer.from('content')])).rejects.toMatchObject(BROKEN);
    expect(requests.filter(({ method }) => method === 'DELETE').map(({ url }) => url)).toEqual([
      expect.stringContaining('/dav/packs/.tmp-'),
    ]);
  });

  test.each([PAGE, NOTHING])(
    'creates nothing at a server that cannot move when the answer to PUT is %j',
    async (...answer) => {
      const { storage } = await openWith(
        serverWith((request, response) => {
          if (request.method === 'MOVE') return respond(response, 501);
          return request.method === 'PUT' && !request.url!.includes('.tmp-') && respond(response, ...answer);
        }),
      );
      await expect(storage.put('packs/a', [Buffer.from('content')])).rejects.toMatchObject(BROKEN);
    },
  );

  test('creates nothing when the server keeps a part of the file', async () => {
    const { storage } = await openWith(
      serverWith(
        (request, response) =>
          request.method === 'PROPFIND' &&
          request.url === '/dav/packs/a' &&
          respond(response, 207, multistatus(entry('/dav/packs/a', 3))),
      ),
    );
    await expect(storage.put('packs/a', [Buffer.from('content')])).rejects.toMatchObject(BROKEN);
  });

  test('creates no file where the answer to the creation of its folder is a page', async () => {
    const { storage, requests } = await openWith(
      serverWith((request, response) => {
        if (request.method === 'MKCOL') return respond(response, ...PAGE);
        return request.method === 'PROPFIND' && request.url!.endsWith('/') && respond(response, 404);
      }),
    );
    await expect(storage.put('packs/a', [Buffer.from('content')])).rejects.toMatchObject(BROKEN);
    expect(requests.filter(({ method }) => method === 'PUT')).toEqual([]);
  });

  test.each([PAGE, NOTHING])('moves nothing when the answer is %j', async (...answer) => {
    const { storage } = await without('MOVE', answer, ['/dav/packs/a']);
    await expect(storage.move('packs/a', 'damaged/a')).rejects.toMatchObject(BROKEN);
  });

  test('moves nothing when what is to be moved is still there', async () => {
    const { storage } = await without('MOVE', NOTHING, ['/dav/packs/a', '/dav/damaged/a']);
    await expect(storage.move('packs/a', 'damaged/a')).rejects.toMatchObject(BROKEN);
  });

  test.each([PAGE, [404, ''] as const])('deletes nothing when the answer is %j', async (...answer) => {
    const { storage } = await without('DELETE', answer, ['/dav/packs/a']);
    await expect(storage.delete('packs/a')).rejects.toMatchObject(BROKEN);
  });

  test('reads no page in the place of a file, or of a listing', async () => {
    const { storage } = await openWith((_, response) => void respond(response, ...PAGE));
    const strange = { ...BROKEN, details: { ...BROKEN.details, detail: 'an answer of something else' } };
    await expect(storage.get('packs/a')).rejects.toMatchObject(strange);
    await expect(storage.get('packs/a', { offset: 3, length: 2 })).rejects.toMatchObject(strange);
    await expect(listed(storage, 'packs/')).rejects.toMatchObject(strange);
  });

  test('misses no file that is there', async () => {
    const { storage } = await without('GET', [404, ''], ['/dav/packs/a']);
    await expect(storage.get('packs/a')).rejects.toMatchObject(BROKEN);
    expect(await storage.get('packs/b')).toBeUndefined();
  });

  test('lists no folder of which the answer does not even have the folder', async () => {
    const { storage } = await without('PROPFIND', [207, multistatus()]);
    await expect(listed(storage, 'packs/')).rejects.toMatchObject(BROKEN);
    await expect(storage.rootNames()).rejects.toMatchObject(BROKEN);
    await expect(storage.get('packs/a')).rejects.toMatchObject(BROKEN);
  });

  test('asks once more about each file that it creates, and about none that it deletes', async () => {
    const { storage, requests } = await openWith(serverWith(() => false));
    await storage.put('packs/a', [Buffer.from('content')]);
    requests.length = 0;
    await storage.put('packs/b', [Buffer.from('content')]);
    await storage.delete('packs/b');
    expect(requests.map(({ method }) => method)).toEqual(['PROPFIND', 'PUT', 'MOVE', 'PROPFIND', 'DELETE']);
  });
});
