import { clausesOf } from '../clause.ts';
import type { Clause } from '../clause.ts';
import { exchange, good, refused } from '../exchange.ts';
import { expectSame, expectThat, fieldsOf } from '../fields.ts';
import {
  begin,
  complete,
  fetchBlob,
  later,
  newSetName,
  presign,
  presignDownloads,
  put,
  story,
  tree,
  upload,
  uploadAddress,
} from '../run.ts';
import { OVERHEAD, sampleChunk, sampleFile, sealedAgain } from '../sample.ts';
import type { SampleChunk, SampleFile } from '../sample.ts';
import type { Subject } from '../subject.ts';

const { required, advised } = clausesOf('object storage');

interface Waiting {
  readonly set: string;
  readonly sessionId: string;
  readonly chunk: SampleChunk;
  readonly files: readonly SampleFile[];
}

/** Opens a session that needs one chunk. */
async function waiting(subject: Subject, size = 300): Promise<Waiting> {
  const [set, chunk] = [newSetName(), sampleChunk(size)];
  const files = [sampleFile('/home/anna/file', [chunk], '2026-01-01T00:00:00.000Z')];
  return { set, chunk, files, sessionId: (await begin(subject, set, files)).sessionId };
}

/** Completes the session and checks that the stored blob is the one that was uploaded first. */
async function expectFirstBlob(subject: Subject, { set, sessionId, chunk, files }: Waiting): Promise<void> {
  good('complete', await complete(subject, sessionId, files));
  const stored = await fetchBlob(subject, set, chunk.hash);
  expectThat(stored.equals(chunk.blob), 'the blob was replaced');
}

/** Presigns the download of a stored blob. */
async function download(subject: Subject) {
  const { second } = await story(subject);
  const { sessionId, files } = await tree(subject, second.set, later(subject));
  const hash = files.flatMap(({ chunks }) => chunks)[0]!;
  const [one] = await presignDownloads(subject, sessionId, [hash]);
  expectThat(one !== undefined, 'restore presign answers no download');
  return one;
}

/** The address with one part changed: no query, each of its parameters, the path. */
function* forged(address: string): Generator<readonly [what: string, url: string]> {
  const bare = new URL(address);
  bare.search = '';
  yield ['without its query', bare.href];
  for (const [name, value] of new URL(address).searchParams) {
    const changed = new URL(address);
    // At the start: the last characters of a signature may have unused bits.
    const first = value.startsWith('1') ? '2' : '1';
    changed.searchParams.set(name, first + value.slice(1));
    yield [`with another ${name}`, changed.href];
  }
  const moved = new URL(address);
  const letter = moved.pathname.endsWith('a') ? 'b' : 'a';
  moved.pathname = moved.pathname.slice(0, -1) + letter;
  yield ['with another path', moved.href];
}

export const OBJECT_STORAGE: readonly Clause[] = [
  required('presign returns upload_url, expires_in, method and headers', async (subject) => {
    const { sessionId, chunk } = await waiting(subject);
    const answer = good('presign', await presign(subject, sessionId, chunk));
    const fields = { upload_url: 'address', expires_in: 'count', method: 'text', headers: 'object' } as const;
    const { method, headers } = fieldsOf('presign', answer.json, fields);
    expectSame('method', method, 'PUT');
    for (const [name, value] of Object.entries(headers)) {
      expectThat(typeof value === 'string', `the header ${name} is no string`);
    }
  }),
  required('an upload address lasts 900 s', async (subject) => {
    const { sessionId, chunk } = await waiting(subject);
    const answer = good('presign', await presign(subject, sessionId, chunk));
    expectSame('expires_in', fieldsOf('presign', answer.json, { expires_in: 'count' }).expires_in, 900);
  }),
  required('headers contain Content-Type and Content-Length, which is the blob’s size', async (subject) => {
    const { sessionId, chunk } = await waiting(subject);
    const { headers } = await uploadAddress(subject, sessionId, chunk);
    const named = new Headers(headers);
    expectSame('Content-Type', named.get('content-type'), 'application/octet-stream');
    expectSame('Content-Length', named.get('content-length'), String(chunk.size + OVERHEAD));
  }),
  required('a PUT needs no bearer token and returns 200', async (subject) => {
    const { sessionId, chunk } = await waiting(subject);
    expectSame('status', (await put(subject, await uploadAddress(subject, sessionId, chunk), chunk.blob)).status, 200);
  }),
  required('blobs of 29 bytes and of 8 MiB are accepted', async (subject) => {
    for (const size of [1, 8 * 2 ** 20]) {
      const begun = await waiting(subject, size);
      await upload(subject, begun.sessionId, begun.chunk);
      await expectFirstBlob(subject, begun);
    }
  }),
  required('a chunk can be presigned again, and both addresses work', async (subject) => {
    const begun = await waiting(subject);
    await uploadAddress(subject, begun.sessionId, begun.chunk);
    await upload(subject, begun.sessionId, begun.chunk);
    await expectFirstBlob(subject, begun);
  }),
  required('an altered upload address is rejected and stores nothing', async (subject) => {
    const { sessionId, chunk, files } = await waiting(subject);
    const { url, headers } = await uploadAddress(subject, sessionId, chunk);
    for (const [what, altered] of forged(url)) {
      refused(`a PUT ${what}`, await put(subject, { url: altered, headers }, chunk.blob));
    }
    refused('complete', await complete(subject, sessionId, files));
  }),
  advised('an upload address permits no download', async (subject) => {
    const begun = await waiting(subject);
    const address = await uploadAddress(subject, begun.sessionId, begun.chunk);
    await put(subject, address, begun.chunk.blob);
    refused('a GET', await subject.send({ method: 'GET', url: address.url }));
  }),
  advised('a body of another length is rejected, and the correct one is still accepted', async (subject) => {
    const begun = await waiting(subject);
    const { chunk } = begun;
    const address = await uploadAddress(subject, begun.sessionId, chunk);
    refused('a shorter body', await put(subject, address, chunk.blob.subarray(1)));
    refused('a longer body', await put(subject, address, Buffer.concat([chunk.blob, Buffer.alloc(1)])));
    expectSame('status', (await put(subject, address, chunk.blob)).status, 200);
    await expectFirstBlob(subject, begun);
  }),
  advised('other bytes under a used address never replace a blob', async (subject) => {
    const begun = await waiting(subject);
    const address = await uploadAddress(subject, begun.sessionId, begun.chunk);
    expectSame('status', (await put(subject, address, begun.chunk.blob)).status, 200);
    refused('a second PUT', await put(subject, address, sealedAgain(begun.chunk)));
    await expectFirstBlob(subject, begun);
  }),
  advised('other bytes under a used address without If-None-Match never replace a blob', async (subject) => {
    const begun = await waiting(subject);
    const { url, headers } = await uploadAddress(subject, begun.sessionId, begun.chunk);
    expectSame('status', (await put(subject, { url, headers }, begun.chunk.blob)).status, 200);
    const bare = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'if-none-match');
    refused('a second PUT', await put(subject, { url, headers: Object.fromEntries(bare) }, sealedAgain(begun.chunk)));
    await expectFirstBlob(subject, begun);
  }),
  advised('a new address for a stored chunk does not replace its blob', async (subject) => {
    const begun = await waiting(subject);
    const before = await uploadAddress(subject, begun.sessionId, begun.chunk);
    await upload(subject, begun.sessionId, begun.chunk);
    refused('a PUT to one of before', await put(subject, before, sealedAgain(begun.chunk)));
    const again = await presign(subject, begun.sessionId, begun.chunk);
    // Rejecting the address is valid, too.
    if (again.status < 300) {
      const address = await uploadAddress(subject, begun.sessionId, begun.chunk);
      refused('a PUT to a new one', await put(subject, address, sealedAgain(begun.chunk)));
    }
    await expectFirstBlob(subject, begun);
  }),
  advised('one of twenty concurrent uploads of a chunk is stored', async (subject) => {
    const begun = await waiting(subject, 20_000);
    const address = await uploadAddress(subject, begun.sessionId, begun.chunk);
    const blobs = Array.from({ length: 20 }, () => sealedAgain(begun.chunk));
    const statuses = await Promise.all(blobs.map(async (blob) => (await put(subject, address, blob)).status));
    const won = statuses.flatMap((status, index) => (status === 200 ? [index] : []));
    expectSame('uploads that were told 200', won.length, 1);
    good('complete', await complete(subject, begun.sessionId, begun.files));
    const stored = await fetchBlob(subject, begun.set, begun.chunk.hash);
    expectThat(stored.equals(blobs[won[0]!]!), 'the blob is not the one that was told 200');
  }),
  advised('uploading the same blob again returns 200 or 412', async (subject) => {
    const { sessionId, chunk } = await waiting(subject);
    const address = await uploadAddress(subject, sessionId, chunk);
    await put(subject, address, chunk.blob);
    const { status } = await put(subject, address, chunk.blob);
    expectThat(status === 200 || status === 412, `it is ${status}`);
  }),
  required('a GET needs no bearer token and returns exactly the uploaded bytes', async (subject) => {
    const begun = await waiting(subject, 5_000);
    await upload(subject, begun.sessionId, begun.chunk);
    await expectFirstBlob(subject, begun);
  }),
  required('a download address works repeatedly, and for eight requests at once', async (subject) => {
    const { url, size } = await download(subject);
    const answers = await Promise.all(Array.from({ length: 8 }, () => exchange({ method: 'GET', url })));
    for (const answer of answers) expectSame('bytes', good('the download', answer).bytes.length, size);
  }),
  required('an altered download address is rejected', async (subject) => {
    const { url } = await download(subject);
    for (const [what, altered] of forged(url)) {
      refused(`a GET ${what}`, await subject.send({ method: 'GET', url: altered }));
    }
  }),
  advised('a download address permits no upload', async (subject) => {
    const { url, size } = await download(subject);
    refused('a PUT', await subject.send({ method: 'PUT', url, body: Buffer.alloc(size) }));
    good('the download', await subject.send({ method: 'GET', url }));
  }),
];
