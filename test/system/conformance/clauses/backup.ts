import { clausesOf } from '../clause.ts';
import type { Clause } from '../clause.ts';
import { good, refused } from '../exchange.ts';
import { expectSame, expectThat, fieldsOf } from '../fields.ts';
import { backUp, begin, complete, init, later, manifest, newSetName, presign, story, tree, upload } from '../run.ts';
import type { Begun } from '../run.ts';
import { chunksOf, entryOf, sampleChunk, sampleFile } from '../sample.ts';
import type { SampleChunk, SampleFile } from '../sample.ts';
import type { Subject } from '../subject.ts';

const { required, advised } = clausesOf('backup');

const DAY = '2026-01-01T00:00:00.000Z';
const NO_SESSION = 'no-such-session';

function fileOf(...chunks: readonly SampleChunk[]): SampleFile {
  return sampleFile('/home/anna/file', chunks, DAY);
}

function countsOf({ answer }: Begun) {
  return fieldsOf('init', answer.json, { chunks_deduped: 'count', chunks_to_upload: 'count' });
}

/** Sends init with this body. */
async function initWith(subject: Subject, change: object) {
  const head = { device_id: await subject.deviceId(), backup_set: newSetName() };
  const files = [entryOf(fileOf(sampleChunk(10)))];
  return subject.post('/functions/v1/backup/init', { ...head, files, ...change }, await subject.token());
}

async function initWithFile(subject: Subject, change: object) {
  return initWith(subject, { files: [{ ...entryOf(fileOf(sampleChunk(10))), ...change }] });
}

const COUNTS = { chunks_uploaded: 1, chunks_total: 2, bytes_uploaded: 100 };

async function progress(subject: Subject, sessionId: string, counts: object = COUNTS) {
  return subject.post('/functions/v1/backup/progress', { session_id: sessionId, ...counts }, await subject.token());
}

export const BACKUP: readonly Clause[] = [
  required('init returns session_id, chunks_needed, chunks_deduped and chunks_to_upload', async (subject) => {
    const { begun } = (await story(subject)).first;
    const fields = { session_id: 'text', chunks_needed: 'array', chunks_deduped: 'count', chunks_to_upload: 'count' };
    const { chunks_needed: needed } = fieldsOf('init', begun.answer.json, fields as { chunks_needed: 'array' });
    for (const chunk of needed) fieldsOf('a needed chunk', chunk, { hash: 'hash', size: 'count' });
  }),
  required(
    'chunks_needed lists the chunks that are not stored, with their sizes from the manifest',
    async (subject) => {
      const { begun, files } = (await story(subject)).first;
      const { chunks_needed: needed } = fieldsOf('init', begun.answer.json, { chunks_needed: 'array' });
      const sizes = new Map(
        needed.map((chunk) => {
          const { hash, size } = fieldsOf('a needed chunk', chunk, { hash: 'hash', size: 'count' });
          return [hash, size];
        }),
      );
      const expected = new Map([...chunksOf(files)].map(([hash, { size }]) => [hash, size]));
      expectSame('chunks_needed', [...sizes].toSorted(byHash), [...expected].toSorted(byHash));
    },
  ),
  required('chunks_to_upload counts chunks_needed', async (subject) => {
    const { begun } = (await story(subject)).first;
    expectSame('chunks_to_upload', countsOf(begun).chunks_to_upload, begun.needed.length);
  }),
  required('no chunk counts as deduplicated before it is stored', async (subject) => {
    expectSame('chunks_deduped', countsOf((await story(subject)).first.begun).chunks_deduped, 0);
  }),
  advised('a chunk that occurs several times is requested once', async (subject) => {
    const { needed } = (await story(subject)).first.begun;
    expectSame('chunks_needed', new Set(needed).size, needed.length);
  }),
  required('stored chunks are not in chunks_needed, but counted', async (subject) => {
    const { first, second } = await story(subject);
    const stored = chunksOf(first.files);
    const fresh = [...chunksOf(second.files).keys()].filter((hash) => !stored.has(hash));
    expectSame('chunks_needed', second.begun.needed.toSorted(), fresh.toSorted());
    expectThat(countsOf(second.begun).chunks_deduped > 0, 'chunks_deduped is 0');
  }),
  required('another set of the same device does not need stored chunks again', async (subject) => {
    const { first } = await story(subject);
    const begun = await begin(subject, newSetName(), first.files);
    expectSame('chunks_needed', begun.needed, []);
    expectSame('chunks_to_upload', countsOf(begun).chunks_to_upload, 0);
  }),
  advised('an uploaded chunk is not requested again, even before complete', async (subject) => {
    const [one, other] = [sampleChunk(100), sampleChunk(200)];
    const files = [fileOf(one, other)];
    const set = newSetName();
    await upload(subject, (await begin(subject, set, files)).sessionId, one);
    expectSame('chunks_needed', (await begin(subject, set, files)).needed, [other.hash]);
  }),
  advised('a manifest without files is accepted', async (subject) => {
    const set = newSetName();
    await backUp(subject, set, []);
    expectSame('files', (await tree(subject, set, later(subject))).files, []);
  }),
  required('fields may be in any order, even with device and set after the files', async (subject) => {
    const [device, set, file] = [await subject.deviceId(), newSetName(), entryOf(fileOf(sampleChunk(10)))];
    const turned = { chunks: file.chunks, modified: file.modified, size: file.size, path: file.path };
    const body = { files: [turned], backup_set: set, device_id: device };
    good('init', await subject.post('/functions/v1/backup/init', body, await subject.token()));
  }),
  advised('unknown fields are ignored', async (subject) => {
    good('init', await initWith(subject, { colour: 'blue', nested: { files: [1] } }));
  }),
  required('a body that is not JSON is rejected', async (subject) => {
    refused('init', await subject.post('/functions/v1/backup/init', '{"device_id":', await subject.token()));
    refused('presign', await subject.post('/functions/v1/backup/presign', 'no', await subject.token()));
  }),
  required('an unknown device is rejected', async (subject) => {
    refused('init', await initWith(subject, { device_id: 'no-such-device' }));
  }),
  advised('a manifest with fields of wrong types is rejected', async (subject) => {
    for (const change of [{ device_id: 7 }, { backup_set: null }, { files: 'none' }]) {
      refused(`init with ${JSON.stringify(change)}`, await initWith(subject, change));
    }
    for (const change of [{ path: 7 }, { size: -1 }, { size: '10' }, { modified: 'yesterday' }, { chunks: {} }]) {
      refused(`init with a file’s ${JSON.stringify(change)}`, await initWithFile(subject, change));
    }
  }),
  required('a malformed chunk hash is rejected', async (subject) => {
    for (const hash of [
      'ab'.repeat(32),
      `sha256:${'AB'.repeat(32)}`,
      `sha256:${'ab'.repeat(31)}`,
      `md5:${'a'.repeat(32)}`,
    ]) {
      const answer = await initWithFile(subject, { size: 10, chunks: [{ hash, size: 10 }] });
      refused(`init with ${hash.slice(0, 12)}…`, answer);
    }
  }),
  advised('a file is rejected if its size differs from the sum of its chunks', async (subject) => {
    refused('init', await initWithFile(subject, { size: 11 }));
  }),
  advised('a repeated path and a chunk with two sizes are rejected', async (subject) => {
    const [file, other] = [entryOf(fileOf(sampleChunk(10))), sampleChunk(20)];
    refused('a path twice', await initWith(subject, { files: [file, file] }));
    const sizes = [20, 21].map((size) => ({
      path: `/${size}`,
      size,
      modified: DAY,
      chunks: [{ hash: other.hash, size }],
    }));
    refused('a chunk with two sizes', await initWith(subject, { files: sizes }));
  }),
  required('progress is accepted', async (subject) => {
    const { sessionId } = await begin(subject, newSetName(), [fileOf(sampleChunk(10), sampleChunk(20))]);
    good('progress', await progress(subject, sessionId));
  }),
  required('progress of an unknown session is rejected', async (subject) => {
    refused('progress', await progress(subject, NO_SESSION));
  }),
  required('complete returns backup_id, status, restore_point, storage_used_bytes and percent', async (subject) => {
    const { completed } = (await story(subject)).first;
    const run = fieldsOf('complete', completed.json, {
      backup_id: 'text',
      status: 'text',
      restore_point: 'timestamp',
      storage_used_bytes: 'count',
      dedup_savings_percent: 'number',
    });
    const percent = run.dedup_savings_percent;
    expectThat(percent >= 0 && percent <= 100, `dedup_savings_percent is ${percent}`);
  }),
  required('complete returns the status completed', async (subject) => {
    const { completed } = (await story(subject)).first;
    expectSame('status', fieldsOf('complete', completed.json, { status: 'text' }).status, 'completed');
  }),
  required('runs have unique ids and increasing restore points', async (subject) => {
    const { first, second } = await story(subject);
    const [one, other] = [first, second].map(({ completed }) =>
      fieldsOf('complete', completed.json, { backup_id: 'text' }),
    );
    expectThat(one!.backup_id !== other!.backup_id, 'both runs have the same backup_id');
    const passed = Date.parse(second.restorePoint) - Date.parse(first.restorePoint);
    expectThat(passed > 0, `the second restore point is ${-passed} ms before the first`);
  }),
  advised('restore_point is the time of the run', async (subject) => {
    const run = await backUp(subject, newSetName(), [fileOf(sampleChunk(10))]);
    const off = Math.abs(Date.parse(run.restorePoint) - subject.now());
    expectThat(off < 300_000, `it is ${run.restorePoint}, ${Math.round(off / 1000)} s off`);
  }),
  required('storage_used_bytes includes at least the uploads of the account’s runs', async (subject) => {
    const { first, second } = await story(subject);
    const used = fieldsOf('complete', second.completed.json, { storage_used_bytes: 'count' }).storage_used_bytes;
    const brought = chunksOf([...first.files, ...second.files]);
    const bytes = [...brought.values()].reduce((sum, { size }) => sum + size, 0);
    expectThat(used >= bytes, `it is ${used}, but these runs alone brought ${bytes}`);
  }),
  advised('dedup_savings_percent is 0 if everything is new and 100 if nothing is', async (subject) => {
    const files = [fileOf(sampleChunk(1_000), sampleChunk(2_000))];
    const set = newSetName();
    const percents = [await backUp(subject, set, files), await backUp(subject, set, files)].map(
      ({ completed }) =>
        fieldsOf('complete', completed.json, { dedup_savings_percent: 'number' }).dedup_savings_percent,
    );
    expectSame('dedup_savings_percent', percents, [0, 100]);
  }),
  required('complete is rejected while a needed chunk is missing, and creates no restore point', async (subject) => {
    const [one, other] = [sampleChunk(100), sampleChunk(200)];
    const files = [fileOf(one, other)];
    const set = newSetName();
    const { sessionId } = await begin(subject, set, files);
    await upload(subject, sessionId, one);
    refused('complete', await complete(subject, sessionId, files));
    await expectNothing(subject, set);
  }),
  required('complete succeeds after the missing chunks are uploaded', async (subject) => {
    const [one, other] = [sampleChunk(100), sampleChunk(200)];
    const files = [fileOf(one, other)];
    const { sessionId } = await begin(subject, newSetName(), files);
    await upload(subject, sessionId, one);
    await complete(subject, sessionId, files);
    await upload(subject, sessionId, other);
    good('complete', await complete(subject, sessionId, files));
  }),
  required('complete of an unknown session is rejected', async (subject) => {
    refused('complete', await complete(subject, NO_SESSION, []));
  }),
  advised('a repeated complete returns the same run', async (subject) => {
    const { begun, files, completed } = await backUp(subject, newSetName(), [fileOf(sampleChunk(10))]);
    const again = good('complete', await complete(subject, begun.sessionId, files));
    const ids = [completed, again].map(({ json }) => fieldsOf('complete', json, { backup_id: 'text' }).backup_id);
    expectSame('backup_id', ids[1], ids[0]);
  }),
  required('a session without complete creates no restore point', async (subject) => {
    const set = newSetName();
    const files = [fileOf(sampleChunk(10))];
    const { sessionId } = await begin(subject, set, files);
    await upload(subject, sessionId, files[0]!.chunks[0]!);
    await expectNothing(subject, set);
  }),
  required('two concurrent sessions of one set each create exactly their own tree', async (subject) => {
    const set = newSetName();
    const only = (path: string): readonly SampleFile[] => [sampleFile(path, [sampleChunk(50)], DAY)];
    const [left, right] = [only('/left'), only('/right')];
    const [one, other] = [await begin(subject, set, left), await begin(subject, set, right)];
    await upload(subject, other.sessionId, right[0]!.chunks[0]!);
    await upload(subject, one.sessionId, left[0]!.chunks[0]!);
    for (const [{ sessionId }, files] of [
      [other, right],
      [one, left],
    ] as const) {
      good('complete', await complete(subject, sessionId, files));
      const { files: there } = await tree(subject, set, later(subject));
      expectSame(
        'the tree',
        there.map(({ path }) => path),
        files.map(({ path }) => path),
      );
      await subject.pass(1);
    }
  }),
  required('presign of an unknown session is rejected', async (subject) => {
    refused('presign', await presign(subject, NO_SESSION, sampleChunk(10)));
  }),
  advised('presign rejects a chunk that the session does not need', async (subject) => {
    const { sessionId } = await begin(subject, newSetName(), [fileOf(sampleChunk(10))]);
    refused('presign', await presign(subject, sessionId, sampleChunk(10)));
  }),
  advised('presign rejects a size that cannot be the chunk’s', async (subject) => {
    const chunk = sampleChunk(10);
    const { sessionId } = await begin(subject, newSetName(), [fileOf(chunk)]);
    refused('presign', await presign(subject, sessionId, { hash: chunk.hash, size: 11 }));
  }),
  advised('init of one set does not disturb a session of another', async (subject) => {
    const [one, files] = [newSetName(), [fileOf(sampleChunk(10))]];
    const begun = await begin(subject, one, files);
    good('init', await init(subject, newSetName(), files));
    await upload(subject, begun.sessionId, files[0]!.chunks[0]!);
    good('complete', await complete(subject, begun.sessionId, files));
  }),
];

/** A set without a restore point: an error response, or a tree without files. */
async function expectNothing(subject: Subject, set: string): Promise<void> {
  const answer = await manifest(subject, set, later(subject));
  if (answer.status >= 400 && answer.status < 500) return;
  const { files } = fieldsOf('the restore manifest', good('the restore manifest', answer).json, { files: 'array' });
  expectThat(files.length === 0, `a restore finds ${files.length} files`);
}

function byHash([a]: readonly [string, number], [b]: readonly [string, number]): number {
  return a < b ? -1 : 1;
}
