import { expect, test } from 'vitest';
import { readBlobs } from '../../../../src/service/restore/read-blobs.ts';
import { chunk, file, TestService, type Answer, type TestDevice, type TestFile } from '../harness.ts';

/** Reports a missing blob, as a restore or verification does. */
async function lose(service: TestService, content: string): Promise<void> {
  const { metadata, intake } = service.service.context;
  const { chunks, accounts } = metadata;
  const account = await accounts.findAccount(service.accountId);
  const [row] = await chunks.find(account!.number, [Buffer.from(chunk(content).hash.slice('sha256:'.length), 'hex')]);
  await chunks.markLost([row!.id]);
  intake.forget([row!.id]);
}

async function begin(files: readonly TestFile[], set = 'docs') {
  const service = await TestService.open();
  const device = await service.register();
  const before = await service.backUp(device, 'docs', [
    file('/gone', ['gone']),
    file('/a', ['one']),
    file('/b', ['two']),
  ]);
  expect(before.status).toBe(200);
  const init = await service.init(device, set, files);
  await service.upload(device, init, files);
  const session = init.body.session_id as string;
  return { service, device, session, base: before.body.backup_id as string };
}

async function bring(service: TestService, device: TestDevice, session: string, content: string): Promise<Answer> {
  const { hash, blob } = chunk(content);
  expect((await service.put(device, session, hash, blob)).status).toBe(200);
  return service.complete(device, session);
}

const missing = (...contents: readonly string[]) => ({
  status: 409,
  body: { code: 'chunks_missing', missing_chunks: contents.map((content) => chunk(content).hash) },
});

test.each([
  ['of a file as it was', [file('/a', ['one']), file('/b', ['two'])]],
  ['of a file that is new', [file('/b', ['two']), file('/c', ['new', 'one'])]],
])('needs a blob %s that is found missing during the session', async (_, files) => {
  const { service, device, session } = await begin(files);
  await lose(service, 'one');
  expect(await service.complete(device, session)).toMatchObject(missing('one'));
  expect((await bring(service, device, session, 'one')).status).toBe(200);
});

test('needs a missing blob of another set, too', async () => {
  const { service, device, session } = await begin([file('/c', ['one', 'two'])], 'photos');
  await lose(service, 'two');
  await lose(service, 'one');
  expect((await service.complete(device, session)).body.missing_chunks).toHaveLength(2);
});

test('does not need missing blobs that the manifest does not contain', async () => {
  const { service, device, session } = await begin([file('/a', ['one']), file('/b', ['changed'])]);
  await lose(service, 'gone');
  await lose(service, 'two');
  expect((await service.complete(device, session)).status).toBe(200);
});

test('needs a missing blob also if another run of the set was completed meanwhile', async () => {
  const { service, device, session } = await begin([file('/a', ['one']), file('/b', ['two'])]);
  expect((await service.backUp(device, 'docs', [file('/b', ['two'])])).status).toBe(200);
  await lose(service, 'one');
  expect(await service.complete(device, session)).toMatchObject(missing('one'));
  expect((await bring(service, device, session, 'one')).status).toBe(200);
});

test('restores the rest despite a missing blob if the disk cannot be written', async () => {
  const service = await TestService.open();
  const { context } = service.service;
  const chunks = [chunk('gone'), chunk('there')];
  const keys = chunks.map(({ hash, blob }, index) => ({
    accountId: service.accountId,
    chunkId: index + 1,
    digest: hash.slice('sha256:'.length),
    size: blob.length,
  }));
  await context.objects.put([{ key: keys[1]!, bytes: chunks[1]!.blob }]);
  const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  context.metadata.chunks.markLost = () => Promise.reject(full);
  expect(await readBlobs(context, keys)).toEqual([undefined, Buffer.from(chunks[1]!.blob)]);
});
