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
  required('init answers session_id, chunks_needed, chunks_deduped and chunks_to_upload', async (subject) => {
    const { begun } = (await story(subject)).first;
    const fields = { session_id: 'text', chunks_needed: 'array', chunks_deduped: 'count', chunks_to_upload: 'count' };
    const { chunks_needed: needed } = fieldsOf('init', begun.answer.json, fields as { chunks_needed: 'array' });
    for (const chunk of needed) fieldsOf('a needed chunk', chunk, { hash: 'hash', size: 'count' });
  }),
  required('chunks_needed has what is not stored, with the sizes of the manifest', async (subject) => {
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
  }),
  required('chunks_to_upload counts chunks_needed', async (subject) => {
    const { begun } = (await story(subject)).first;
    expectSame('chunks_to_upload', countsOf(begun).chunks_to_upload, begun.needed.length);
  }),
  required('nothing of what nobody stored is deduplicated', async (subject) => {
    expectSame('chunks_deduped', countsOf((await story(subject)).first.begun).chunks_deduped, 0);
  }),
  advised('a chunk that stands several times is asked for once', async (subject) => {
    const { needed } = (await story(subject)).first.begun;
    expectSame('chunks_needed', new Set(needed).size, needed.length);
  }),
  required('chunks that are stored are left out of chunks_needed, and counted', async (subject) => {
    const { first, second } = await story(subject);
    const stored = chunksOf(first.files);
    const fresh = [...chunksOf(second.files).keys()].filter((hash) => !stored.has(hash));
    expectSame('chunks_needed', second.begun.needed.toSorted(), fresh.toSorted());
    expectThat(countsOf(second.begun).chunks_deduped > 0, 'chunks_deduped is 0');
  }),
  required('another set of the same device needs no chunk again', async (subject) => {
    const { first } = await story(subject);
    const begun = await begin(subject, newSetName(), first.files);
    expectSame('chunks_needed', begun.needed, []);
    expectSame('chunks_to_upload', countsOf(begun).chunks_to_upload, 0);
  }),
  advised('a chunk that was uploaded is not asked for again, even before complete', async (subject) => {
    const [one, other] = [sampleChunk(100), sampleChunk(200)];
    const files = [fileOf(one, other)];
    const set = newSetName();
    await upload(subject, (await begin(subject, set, files)).sessionId, one);
    expectSame('chunks_needed', (await begin(subject, set, files)).needed, [other.hash]);
  }),
  advised('a manifest without files is a backup', async (subject) => {
    const set = newSetName();
    await backUp(subject, set, []);
    expectSame('files', (await tree(subject, set, later(subject))).files, []);
  }),
  required('fields may come in any order, device and set behind the files too', async (subject) => {
    const [device, set, file] = [await subject.deviceId(), newSetName(), entryOf(fileOf(sampleChunk(10)))];
    const turned = { chunks: file.chunks, modified: file.modified, size: file.size, path: file.path };
    const body = { files: [turned], backup_set: set, device_id: device };
    good('init', await subject.post('/functions/v1/backup/init', body, await subject.token()));
  }),
  advised('fields that it does not know are passed over', async (subject) => {
    good('init', await initWith(subject, { colour: 'blue', nested: { files: [1] } }));
  }),
  required('a body that is no JSON is refused', async (subject) => {
    refused('init', await subject.post('/functions/v1/backup/init', '{"device_id":', await subject.token()));
    refused('presign', await subject.post('/functions/v1/backup/presign', 'no', await subject.token()));
  }),
  required('a device that there is not is refused', async (subject) => {
    refused('init', await initWith(subject, { device_id: 'no-such-device' }));
  }),
  advised('a manifest whose fields are of other types is refused', async (subject) => {
    for (const change of [{ device_id: 7 }, { backup_set: null }, { files: 'none' }]) {
      refused(`init with ${JSON.stringify(change)}`, await initWith(subject, change));
    }
    for (const change of [{ path: 7 }, { size: -1 }, { size: '10' }, { modified: 'yesterday' }, { chunks: {} }]) {
      refused(`init with a file’s ${JSON.stringify(change)}`, await initWithFile(subject, change));
    }
  }),
  required('a chunk hash of another form is refused', async (subject) => {
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
  advised('a file whose chunks have other bytes in sum is refused', async (subject) => {
    refused('init', await initWithFile(subject, { size: 11 }));
  }),
  advised('a path twice, and a chunk with two sizes, are refused', async (subject) => {
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
  required('progress is taken', async (subject) => {
    const { sessionId } = await begin(subject, newSetName(), [fileOf(sampleChunk(10), sampleChunk(20))]);
    good('progress', await progress(subject, sessionId));
  }),
  required('progress of a session that there is not is refused', async (subject) => {
    refused('progress', await progress(subject, NO_SESSION));
  }),
  required('complete answers backup_id, status, restore_point, storage_used_bytes and percent', async (subject) => {
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
  required('complete answers status completed', async (subject) => {
    const { completed } = (await story(subject)).first;
    expectSame('status', fieldsOf('complete', completed.json, { status: 'text' }).status, 'completed');
  }),
  required('runs have names of their own, and restore points that go on', async (subject) => {
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
  required('storage_used_bytes counts at least what the account’s runs brought', async (subject) => {
    const { first, second } = await story(subject);
    const used = fieldsOf('complete', second.completed.json, { storage_used_bytes: 'count' }).storage_used_bytes;
    const brought = chunksOf([...first.files, ...second.files]);
    const bytes = [...brought.values()].reduce((sum, { size }) => sum + size, 0);
    expectThat(used >= bytes, `it is ${used}, but these runs alone brought ${bytes}`);
  }),
  advised('dedup_savings_percent is 0 where all is new and 100 where nothing is', async (subject) => {
    const files = [fileOf(sampleChunk(1_000), sampleChunk(2_000))];
    const set = newSetName();
    const percents = [await backUp(subject, set, files), await backUp(subject, set, files)].map(
      ({ completed }) =>
        fieldsOf('complete', completed.json, { dedup_savings_percent: 'number' }).dedup_savings_percent,
    );
    expectSame('dedup_savings_percent', percents, [0, 100]);
  }),
  required('complete is refused while a needed chunk is missing, and makes no restore point', async (subject) => {
    const [one, other] = [sampleChunk(100), sampleChunk(200)];
    const files = [fileOf(one, other)];
    const set = newSetName();
    const { sessionId } = await begin(subject, set, files);
    await upload(subject, sessionId, one);
    refused('complete', await complete(subject, sessionId, files));
    await expectNothing(subject, set);
  }),
  required('complete goes well once what was missing is there', async (subject) => {
    const [one, other] = [sampleChunk(100), sampleChunk(200)];
    const files = [fileOf(one, other)];
    const { sessionId } = await begin(subject, newSetName(), files);
    await upload(subject, sessionId, one);
    await complete(subject, sessionId, files);
    await upload(subject, sessionId, other);
    good('complete', await complete(subject, sessionId, files));
  }),
  required('complete of a session that there is not is refused', async (subject) => {
    refused('complete', await complete(subject, NO_SESSION, []));
  }),
  advised('complete again answers the same run', async (subject) => {
    const { begun, files, completed } = await backUp(subject, newSetName(), [fileOf(sampleChunk(10))]);
    const again = good('complete', await complete(subject, begun.sessionId, files));
    const ids = [completed, again].map(({ json }) => fieldsOf('complete', json, { backup_id: 'text' }).backup_id);
    expectSame('backup_id', ids[1], ids[0]);
  }),
  required('what was begun and not completed is in no restore point', async (subject) => {
    const set = newSetName();
    const files = [fileOf(sampleChunk(10))];
    const { sessionId } = await begin(subject, set, files);
    await upload(subject, sessionId, files[0]!.chunks[0]!);
    await expectNothing(subject, set);
  }),
  required('two sessions of one set at once each become exactly their own tree', async (subject) => {
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
  required('presign of a session that there is not is refused', async (subject) => {
    refused('presign', await presign(subject, NO_SESSION, sampleChunk(10)));
  }),
  advised('presign refuses a chunk that the session does not need', async (subject) => {
    const { sessionId } = await begin(subject, newSetName(), [fileOf(sampleChunk(10))]);
    refused('presign', await presign(subject, sessionId, sampleChunk(10)));
  }),
  advised('presign refuses a size that cannot be the chunk’s', async (subject) => {
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
