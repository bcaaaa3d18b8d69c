import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { AgentParts } from '../../../../src/agent/context/agent-parts.ts';
import { homeAt } from '../../../../src/agent/home/home.ts';
import { HomeKeyStore } from '../../../../src/agent/key-store/home-key-store.ts';
import { SystemKeychain } from '../../../../src/agent/key-store/keychain.ts';
import type { Joined, JoinRequest } from '../../../../src/agent/setup/join-request.ts';
import { joinDestination } from '../../../../src/agent/setup/join.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { newMasterKey, type MasterKey } from '../../../../src/format/crypto/keys.ts';
import { FolderStorage } from '../../../../src/storage/folder/folder-storage.ts';
import { BucketStorage } from '../../../../src/storage/s3/bucket-storage.ts';
import type { BucketConfig } from '../../../../src/storage/bucket/bucket-config.ts';
import { Bucket } from '../../../../src/storage/bucket/bucket.ts';
import { claimBucket } from '../../../../src/service/objects/s3/bucket-claim.ts';
import { replacedFs, systemError } from '../../../helpers/replaced-fs.ts';
import { HAS_S3, newBucket } from '../../../helpers/s3/s3-server.ts';

const FOREIGN = { code: 'usage', details: { problem: 'destination-foreign' } };

let folder: string;
let directory: string;
let computers: number;
/** The key of the computer that wins a race. */
const winner = newMasterKey();
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-join-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  directory = join(folder, 'backups');
  computers = 0;
});

/** A computer of its own each time. */
function newComputer(): AgentParts {
  computers += 1;
  const home = homeAt(join(folder, `home ${computers}`));
  return { home, keyStore: new HomeKeyStore(home, new SystemKeychain({})), clock: systemClock, environment: {} };
}

function requestOf(master?: MasterKey, deviceId?: string): JoinRequest {
  return { deviceId, deviceName: 'laptop', keys: { master, passphrase: undefined } };
}

/** Joins from a new computer. */
function joinFolder(master?: MasterKey, deviceId?: string): Promise<Joined> {
  return joinDestination({ kind: 'folder', directory }, requestOf(master, deviceId), newComputer());
}

/** The names of all files, with the content of holdfast.json. */
function filesIn(place: string): readonly string[] {
  const names = readdirSync(place, { recursive: true, encoding: 'utf8' });
  return [...names.toSorted(), readFileSync(join(place, 'holdfast.json'), 'utf8')];
}

/** The files of a new repository with this envelope. */
function filesOf(envelope: Uint8Array): readonly string[] {
  const name = createHash('sha256').update(envelope).digest('hex');
  return [
    'holdfast-copy.json',
    'holdfast.json',
    'keys',
    `keys/${name}`,
    readFileSync(join(directory, 'holdfast.json'), 'utf8'),
  ];
}

/**
 * Creates the repository of another computer before this one writes a file of that name for the first time. Resolves with the
 * files of that repository.
 */
function raceAt(beginning: string): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const put = FolderStorage.prototype.put;
    const spy = vi.spyOn(FolderStorage.prototype, 'put').mockImplementation(async function raced(
      this: FolderStorage,
      name,
      ...rest
    ) {
      if (name.startsWith(beginning)) {
        spy.mockRestore();
        await joinFolder(winner).then(({ secrets }) => resolve(filesOf(secrets.keyEnvelope)), reject);
      }
      return put.call(this, name, ...rest);
    });
    onTestFinished(() => spy.mockRestore());
  });
}

describe('a folder', () => {
  test.each(['thesis.txt', 'holdfast-store.json', 'packs', 'holdfast.jsonl'])(
    'that contains %s is refused and left as it is',
    async (name) => {
      mkdirSync(directory);
      writeFileSync(join(directory, name), '{}');
      await expect(joinFolder()).rejects.toMatchObject(FOREIGN);
      expect(readdirSync(directory)).toEqual([name]);
      expect(readFileSync(join(directory, name), 'utf8')).toBe('{}');
    },
  );

  test('that is a file is refused', async () => {
    writeFileSync(directory, 'thesis');
    await expect(joinFolder()).rejects.toMatchObject(FOREIGN);
    expect(readFileSync(directory, 'utf8')).toBe('thesis');
  });

  test('with what systems create on every disk is free', async () => {
    for (const name of ['lost+found', '.Trash-1000', '.Spotlight-V100', '.fseventsd', 'System Volume Information']) {
      mkdirSync(join(directory, name), { recursive: true });
    }
    writeFileSync(join(directory, '.DS_Store'), '');
    await joinFolder();
    expect(existsSync(join(directory, 'holdfast.json'))).toBe(true);
  });

  test.each([
    ['{', 'destination-foreign'],
    ['{"format":"something","version":1}', 'destination-foreign'],
    ['{"format":"holdfast-repository","version":2}', 'destination-newer'],
  ])('whose holdfast.json is %s is refused', async (content, problem) => {
    mkdirSync(directory);
    writeFileSync(join(directory, 'holdfast.json'), content);
    await expect(joinFolder()).rejects.toMatchObject({ code: 'usage', details: { problem } });
    expect(readFileSync(join(directory, 'holdfast.json'), 'utf8')).toBe(content);
  });

  test.each([
    ['lost', (name: string) => rmSync(join(directory, name))],
    ['damaged', (name: string) => writeFileSync(join(directory, name), '{')],
  ])('with backups whose description is %s is refused as that, and stays as it is', async (_what, damage) => {
    await joinFolder();
    for (const folder of ['packs', 'ledger']) mkdirSync(join(directory, folder), { recursive: true });
    for (const name of ['holdfast.json', 'holdfast-copy.json']) damage(name);
    const before = readdirSync(directory);
    await expect(joinFolder()).rejects.toMatchObject({
      code: 'destination_missing',
      details: { problem: 'undescribed' },
    });
    expect(readdirSync(directory)).toEqual(before);
  });

  test('in which a creation was interrupted is completed', async () => {
    mkdirSync(join(directory, 'keys'), { recursive: true });
    // The envelope comes first.
    await joinFolder();
    const [envelope] = readdirSync(join(directory, 'keys'));
    const bytes = readFileSync(join(directory, 'keys', envelope!));
    rmSync(directory, { recursive: true });
    mkdirSync(join(directory, 'keys'), { recursive: true });
    writeFileSync(join(directory, 'keys', envelope!), bytes);
    writeFileSync(join(directory, 'keys', '.tmp-0123'), '{');
    writeFileSync(join(directory, '.tmp-4567'), '{');

    const { adopted, secrets } = await joinFolder();
    expect(adopted).toBe(false);
    // Another key than that of the interrupted creation, which does not count.
    expect((await joinFolder(secrets.masterKey)).adopted).toBe(true);
  });

  test('with a file of somebody’s in the folder of keys is refused', async () => {
    mkdirSync(join(directory, 'keys'), { recursive: true });
    writeFileSync(join(directory, 'keys', 'of the house'), '');
    await expect(joinFolder()).rejects.toMatchObject(FOREIGN);
    expect(readdirSync(join(directory, 'keys'))).toEqual(['of the house']);
  });

  test('is joined with its phrase only, and a refusal changes nothing', async () => {
    const first = await joinFolder();
    const before = filesIn(directory);
    await expect(joinFolder()).rejects.toMatchObject({ code: 'phrase_needed' });
    await expect(joinFolder(newMasterKey())).rejects.toMatchObject({ code: 'phrase_other_account' });
    expect(filesIn(directory)).toEqual(before);
    const again = await joinFolder(first.secrets.masterKey);
    expect(again).toMatchObject({ adopted: true, devices: [] });
    expect(again.deviceId).not.toBe(first.deviceId);
  });

  describe.each(['keys/', 'holdfast.json'])(
    'that another computer uses first, when this one writes %s',
    (beginning) => {
      test.each([true, false])('stays as that one made it (folder exists: %s)', async (exists) => {
        if (exists) mkdirSync(directory);
        const made = raceAt(beginning);
        await expect(joinFolder()).rejects.toMatchObject({ code: 'phrase_other_account' });
        expect(filesIn(directory)).toEqual(await made);
      });

      test('is joined by one that has the same key', async () => {
        const made = raceAt(beginning);
        await joinFolder(winner);
        expect(filesIn(directory)).toEqual(expect.arrayContaining([...(await made)]));
        await expect(joinFolder(winner, 'nobody')).rejects.toMatchObject({ details: { problem: 'device-unknown' } });
        expect(filesIn(directory)).toEqual(expect.arrayContaining([...(await made)]));
      });

      test('stays when one that has the same key fails to join', async () => {
        const made = raceAt(beginning);
        await expect(joinFolder(winner, 'nobody')).rejects.toMatchObject({ details: { problem: 'device-unknown' } });
        expect(filesIn(directory)).toEqual(expect.arrayContaining([...(await made)]));
      });
    },
  );

  test('is left as it was when joining fails afterwards', async () => {
    await expect(joinFolder(undefined, 'nobody')).rejects.toMatchObject({ details: { problem: 'device-unknown' } });
    expect(existsSync(directory)).toBe(false);
    mkdirSync(directory);
    writeFileSync(join(directory, '.DS_Store'), 'icons');
    await expect(joinFolder(undefined, 'nobody')).rejects.toMatchObject({ details: { problem: 'device-unknown' } });
    expect(readdirSync(directory)).toEqual(['.DS_Store']);
  });

  test('on a full disk is reported as such', async () => {
    using _ = replacedFs(({ mkdirSync: make }) => ({
      mkdirSync: ((path: string, ...more: []) => {
        if (path === directory) throw systemError('ENOSPC');
        return make(path, ...more);
      }) as typeof make,
    }));
    await expect(joinFolder()).rejects.toMatchObject({ code: 'destination_full', details: { directory } });
  });

  test.skipIf(process.getuid?.() === 0)('that cannot be written is reported as such', async () => {
    mkdirSync(directory, { mode: 0o500 });
    await expect(joinFolder()).rejects.toMatchObject({ code: 'destination_unwritable', details: { directory } });
    chmodSync(directory, 0o700);
    expect(readdirSync(directory)).toEqual([]);
  });
});

describe.skipIf(!HAS_S3)('a bucket (scripts/install-test-tools.sh)', () => {
  function joinBucket({ bucket, prefix, ...rest }: BucketConfig, master?: MasterKey, deviceId?: string) {
    const destination = { kind: 'bucket', address: `s3://${bucket}/${prefix}`, ...rest } as const;
    return joinDestination(destination, requestOf(master, deviceId), newComputer());
  }

  async function namesIn(config: BucketConfig): Promise<readonly string[]> {
    const bucket = new Bucket(config);
    const listed = await bucket.list('');
    bucket.close();
    return listed.map(({ name }) => name);
  }

  async function claim(config: BucketConfig): Promise<void> {
    const bucket = new Bucket(config);
    await claimBucket(bucket).finally(() => bucket.close());
  }

  test('in which a service stores is refused', async () => {
    const config = await newBucket('part/');
    await claim(config);
    await expect(joinBucket(config)).rejects.toMatchObject(FOREIGN);
    expect(await namesIn(config)).toEqual(['holdfast-store.json']);
    await joinBucket({ ...config, prefix: 'other/' });
  });

  test('with a repository is refused to a service', async () => {
    const config = await newBucket('part/');
    const { secrets } = await joinBucket(config);
    const names = await namesIn(config);
    await expect(claim(config)).rejects.toMatchObject({ name: 'ForeignBucketError' });
    expect(await namesIn(config)).toEqual(names);
    await claim({ ...config, prefix: 'other/' });
    expect((await joinBucket(config, secrets.masterKey)).adopted).toBe(true);
    await expect(joinBucket(config, newMasterKey())).rejects.toMatchObject({ code: 'phrase_other_account' });
    expect(await namesIn(config)).toEqual(names);
  });

  test('that a service claims during the creation stays with the service', async () => {
    const config = await newBucket('part/');
    const put = BucketStorage.prototype.put;
    const spy = vi.spyOn(BucketStorage.prototype, 'put').mockImplementation(async function raced(
      this: BucketStorage,
      ...call
    ) {
      if (call[0] === 'holdfast.json') await claim(config);
      return put.apply(this, call);
    });
    onTestFinished(() => spy.mockRestore());
    await expect(joinBucket(config)).rejects.toMatchObject(FOREIGN);
    expect(await namesIn(config)).toEqual(['holdfast-store.json']);
  });

  test('in which a repository is created while a service claims it is refused to the service', async () => {
    const config = await newBucket('part/');
    const putNew = Bucket.prototype.putNew;
    const spy = vi.spyOn(Bucket.prototype, 'putNew').mockImplementation(async function raced(this: Bucket, ...call) {
      if (call[0] === 'holdfast-store.json') {
        spy.mockRestore();
        await joinBucket(config);
      }
      return putNew.apply(this, call);
    });
    onTestFinished(() => spy.mockRestore());
    await expect(claim(config)).rejects.toMatchObject({ name: 'ForeignBucketError' });
    expect(await namesIn(config)).toEqual(['holdfast-copy.json', 'holdfast.json', expect.stringMatching(/^keys\//)]);
  });

  test('is left as it was when joining fails afterwards', async () => {
    const config = await newBucket('part/');
    await expect(joinBucket(config, undefined, 'nobody')).rejects.toMatchObject({
      details: { problem: 'device-unknown' },
    });
    expect(await namesIn(config)).toEqual([]);
  });
});
