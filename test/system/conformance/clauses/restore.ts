import { clausesOf } from '../clause.ts';
import type { Clause } from '../clause.ts';
import { good, refused } from '../exchange.ts';
import { expectSame, expectThat, fieldsOf } from '../fields.ts';
import { backUp, later, manifest, newSetName, presignDownloads, readManifest, story, tree } from '../run.ts';
import type { Manifest, Run } from '../run.ts';
import { chunksOf, openChecked, OVERHEAD, sampleChunk, sampleFile, sizeOf } from '../sample.ts';
import type { SampleFile } from '../sample.ts';
import type { Subject } from '../subject.ts';

const { required, advised } = clausesOf('restore');

/** The number per call that the interface recommends. */
const BATCH = 100;

const DAY = '2026-01-01T00:00:00.000Z';

/** The expected restore manifest of files, in a fixed order. */
function expectTree(what: string, { files }: Pick<Manifest, 'files'>, expected: readonly SampleFile[]): void {
  const is = files.map(({ path, size, chunks }) => ({ path, size, chunks })).toSorted(byPath);
  const should = expected
    .map(({ path, chunks }) => ({ path, size: sizeOf(chunks), chunks: chunks.map(({ hash }) => hash) }))
    .toSorted(byPath);
  expectSame(
    `the paths ${what}`,
    is.map(({ path }) => path),
    should.map(({ path }) => path),
  );
  expectSame(`the files ${what}`, is, should);
}

function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return a.path < b.path ? -1 : Number(a.path > b.path);
}

function inside(files: readonly SampleFile[], ...paths: readonly string[]): readonly SampleFile[] {
  return files.filter(({ path }) => paths.includes(path));
}

/** The newest tree of the two runs, or a part of it. */
async function part(subject: Subject, path: string, recursive = true): Promise<[Manifest, Run]> {
  const { second } = await story(subject);
  return [await tree(subject, second.set, later(subject), { path, recursive }), second];
}

export const RESTORE: readonly Clause[] = [
  required(
    'the manifest contains session, point in time, files and totals, with each file as documented',
    async (subject) => {
      const { second } = await story(subject);
      readManifest(await manifest(subject, second.set, later(subject)));
    },
  ),
  required('the totals are those of the files', async (subject) => {
    const [{ files, totals }] = await part(subject, '/');
    const hashes = files.flatMap(({ chunks }) => chunks);
    expectSame('total_files', totals.files, files.length);
    expectSame('total_chunks', totals.chunks, hashes.length);
    expectSame('unique_chunks', totals.unique, new Set(hashes).size);
    expectSame(
      'total_bytes',
      totals.bytes,
      files.reduce((sum, { size }) => sum + size, 0),
    );
  }),
  required('the tree equals the one that was backed up: paths, sizes, chunks in file order', async (subject) => {
    const [restored, { files }] = await part(subject, '/');
    expectTree('', restored, files);
  }),
  required('modified equals the time that was sent', async (subject) => {
    const [{ files: restored }, { files }] = await part(subject, '/');
    const times = new Map(restored.map(({ path, modified }) => [path, Date.parse(modified)]));
    for (const { path, modified } of files) {
      expectSame(`modified of ${path}`, times.get(path), Date.parse(modified));
    }
  }),
  advised('fractions of a second are kept with their full precision', async (subject) => {
    const [set, time] = [newSetName(), '2026-01-02T03:04:05.123456789Z'];
    await backUp(subject, set, [sampleFile('/a', [sampleChunk(10)], time)]);
    expectSame('modified', (await tree(subject, set, later(subject))).files[0]?.modified, time);
  }),
  required('a time between two restore points selects the older one', async (subject) => {
    const { first, between } = await story(subject);
    expectTree('between', await tree(subject, first.set, between), first.files);
  }),
  required('a restore point’s own time selects it', async (subject) => {
    for (const run of Object.values(await story(subject)).filter((one) => typeof one !== 'string')) {
      expectTree(`at ${run.restorePoint}`, await tree(subject, run.set, run.restorePoint), run.files);
    }
  }),
  required('a time after the last restore point selects it', async (subject) => {
    const { second } = await story(subject);
    expectTree('', await tree(subject, second.set, later(subject)), second.files);
  }),
  required('point_in_time of the response is not after the requested one', async (subject) => {
    const { first, between } = await story(subject);
    const { pointInTime } = await tree(subject, first.set, between);
    expectThat(Date.parse(pointInTime) <= Date.parse(between), `it is ${pointInTime}`);
  }),
  advised('point_in_time of the response is the restore point’s own', async (subject) => {
    const { first, between } = await story(subject);
    const { pointInTime } = await tree(subject, first.set, between);
    expectSame('point_in_time', Date.parse(pointInTime), Date.parse(first.restorePoint));
  }),
  required('a time before the first restore point selects nothing', async (subject) => {
    const { first } = await story(subject);
    const before = new Date(Date.parse(first.restorePoint) - 1).toISOString();
    const answer = await manifest(subject, first.set, before);
    if (answer.status >= 400 && answer.status < 500) return;
    expectSame('files', readManifest(answer).files, []);
  }),
  required('an unknown set is rejected, or empty', async (subject) => {
    const answer = await manifest(subject, newSetName(), later(subject));
    if (answer.status >= 400 && answer.status < 500) return;
    expectSame('files', readManifest(answer).files, []);
  }),
  required('a set’s restore points are not in another set', async (subject) => {
    const { second } = await story(subject);
    const [set, files] = [newSetName(), [sampleFile('/other', [sampleChunk(5)], DAY)]];
    await backUp(subject, set, files);
    expectTree('of the other set', await tree(subject, set, later(subject)), files);
    expectTree('of the first', await tree(subject, second.set, later(subject)), second.files);
  }),
  required('a path is a directory prefix', async (subject) => {
    const [restored, { files }] = await part(subject, '/home/anna/new');
    expectTree('below /home/anna/new', restored, inside(files, '/home/anna/new/here.txt'));
  }),
  required('a prefix consists of whole names: /home/anna/b does not match /home/anna/bc', async (subject) => {
    const [restored, { files }] = await part(subject, '/home/anna/b');
    expectTree('below /home/anna/b', restored, inside(files, '/home/anna/b/deep/er/twice.bin'));
  }),
  required('recursive: false selects the files directly inside', async (subject) => {
    const [restored, { files }] = await part(subject, '/home/anna', false);
    const direct = files.filter(({ path }) => path.split('/').length === 4);
    expectTree('in /home/anna', restored, direct);
  }),
  advised('an empty path selects everything, and a trailing slash has no effect', async (subject) => {
    const [everything, { files }] = await part(subject, '');
    expectTree('below ""', everything, files);
    const [restored] = await part(subject, '/home/anna/new/');
    expectTree('below /home/anna/new/', restored, inside(files, '/home/anna/new/here.txt'));
  }),
  advised('an unknown path returns a tree without files', async (subject) => {
    const [{ files }] = await part(subject, '/home/anna/nothing');
    expectSame('files', files, []);
  }),
  required('an unknown device is rejected', async (subject) => {
    const { second } = await story(subject);
    const request = { device_id: 'no-such-device', backup_set: second.set, point_in_time: later(subject) };
    const body = { ...request, path: '/', recursive: true };
    const answer = await subject.post('/functions/v1/restore/manifest', body, await subject.token());
    if (answer.status >= 300) refused('the restore manifest', answer);
    else expectSame('files', readManifest(answer).files, []);
  }),
  required('presign returns hash, url, size and expires_in of each requested chunk', async (subject) => {
    const [{ sessionId, files }] = await part(subject, '/');
    const hashes = [...new Set(files.flatMap(({ chunks }) => chunks))];
    const downloads = await presignDownloads(subject, sessionId, hashes);
    expectSame('the hashes', downloads.map(({ hash }) => hash).toSorted(), hashes.toSorted());
  }),
  required('size is that of the blob, which decrypts to the chunk', async (subject) => {
    const [{ sessionId, files }, run] = await part(subject, '/');
    const chunks = chunksOf(run.files);
    const hashes = [...new Set(files.flatMap((file) => file.chunks))];
    for (const { hash, url, size } of await presignDownloads(subject, sessionId, hashes)) {
      const { bytes } = good('the download', await subject.send({ method: 'GET', url }));
      expectSame(`size of ${hash}`, size, bytes.length);
      expectSame(`bytes of ${hash}`, openChecked(hash, bytes).length, chunks.get(hash)!.size);
      expectSame(`overhead of ${hash}`, bytes.length - chunks.get(hash)!.size, OVERHEAD);
    }
  }),
  required('a download address has a positive lifetime', async (subject) => {
    const [{ sessionId, files }] = await part(subject, '/');
    const body = { restore_session_id: sessionId, chunk_hashes: [files.flatMap(({ chunks }) => chunks)[0]] };
    const answer = await subject.post('/functions/v1/restore/presign', body, await subject.token());
    const { downloads } = fieldsOf('restore presign', answer.json, { downloads: 'array' });
    const { expires_in: life } = fieldsOf('a download', downloads[0], { expires_in: 'count' });
    expectThat(life > 0, 'expires_in is 0');
  }),
  required('presign accepts 100 hashes per call', async (subject) => {
    const set = newSetName();
    const files = Array.from({ length: BATCH }, (_, index) => sampleFile(`/${index}`, [sampleChunk(20)], DAY));
    await backUp(subject, set, files);
    const { sessionId } = await tree(subject, set, later(subject));
    const hashes = [...chunksOf(files).keys()];
    const downloads = await presignDownloads(subject, sessionId, hashes);
    expectSame('the hashes', downloads.map(({ hash }) => hash).toSorted(), hashes.toSorted());
  }),
  required('presign of an unknown session is rejected', async (subject) => {
    const body = { restore_session_id: 'no-such-session', chunk_hashes: [sampleChunk(1).hash] };
    refused('restore presign', await subject.post('/functions/v1/restore/presign', body, await subject.token()));
  }),
  required('presign returns nothing for a chunk that is not stored', async (subject) => {
    const [{ sessionId }] = await part(subject, '/');
    await expectNotHandedOut(subject, sessionId, sampleChunk(1).hash);
  }),
  advised('presign returns nothing for a chunk that is not in the tree', async (subject) => {
    const [{ sessionId }, { files }] = await part(subject, '/home/anna/new');
    const here = chunksOf(inside(files, '/home/anna/new/here.txt'));
    const other = [...chunksOf(files).keys()].find((hash) => !here.has(hash));
    await expectNotHandedOut(subject, sessionId, other!);
  }),
  required('a later run does not change a restore that has begun', async (subject) => {
    const [set, chunk] = [newSetName(), sampleChunk(30)];
    const { restorePoint } = await backUp(subject, set, [sampleFile('/kept', [chunk], DAY)]);
    const { sessionId } = await tree(subject, set, restorePoint);
    await subject.pass(1);
    await backUp(subject, set, []);
    const [download] = await presignDownloads(subject, sessionId, [chunk.hash]);
    const { bytes } = good('the download', await subject.send({ method: 'GET', url: download!.url }));
    expectThat(bytes.equals(chunk.blob), 'the blob is another one');
  }),
];

/** Rejected or omitted. */
async function expectNotHandedOut(subject: Subject, sessionId: string, hash: string): Promise<void> {
  const body = { restore_session_id: sessionId, chunk_hashes: [hash] };
  const answer = await subject.post('/functions/v1/restore/presign', body, await subject.token());
  if (answer.status >= 400 && answer.status < 500) return;
  const { downloads } = fieldsOf('restore presign', good('restore presign', answer).json, { downloads: 'array' });
  for (const download of downloads) {
    const { url } = fieldsOf('a download', download, { url: 'address' });
    refused('the download', await subject.send({ method: 'GET', url }));
  }
}
