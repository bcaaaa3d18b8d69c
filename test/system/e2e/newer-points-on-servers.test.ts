import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Bucket } from '../../../src/storage/bucket/bucket.ts';
import { HAS_S3 } from '../../helpers/s3/s3-server.ts';
import { seededBytes } from '../../helpers/seeded-bytes.ts';
import { HAS_SSHD } from '../../helpers/sftp/sftp-server.ts';
import { HAS_APACHE } from '../../helpers/webdav/apache.ts';
import { inBucket, onSftp, onWebdav, type Where } from './real-stores.ts';
import { newWorkplace } from './store-journey.ts';
import type { Workplace } from './workplace.ts';
import { sampled } from '../../helpers/thorough.ts';

/** A server whose files somebody damages behind it. */
interface Server {
  readonly where: Where;
  /** Names of files, the oldest first as far as they are numbered. */
  names(folder: string): Promise<readonly string[]>;
  read(name: string): Promise<Buffer>;
  write(name: string, bytes: Buffer): Promise<void>;
  remove(name: string): Promise<void>;
}

interface Answer {
  readonly warnings?: readonly { readonly reason: string }[];
  readonly points?: readonly { readonly restore_point: string }[];
}

const POINTS = 3;
const WARNING = 'newer_points_possible';

function inFolder(folder: string, where: Where): Server {
  return {
    where,
    names: async (below) =>
      readdirSync(join(folder, below), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
        .toSorted(),
    read: async (name) => readFileSync(join(folder, name)),
    write: async (name, bytes) => writeFileSync(join(folder, name), bytes),
    remove: async (name) => rmSync(join(folder, name)),
  };
}

async function sftp(workplace: Workplace): Promise<Server> {
  const folder = workplace.path('on-the-server');
  return inFolder(folder, await onSftp(folder));
}

async function webdav(workplace: Workplace): Promise<Server> {
  const served = workplace.path('served');
  mkdirSync(served);
  return inFolder(join(served, 'backups'), await onWebdav(workplace, served));
}

async function bucket(workplace: Workplace): Promise<Server> {
  const { where, config } = await inBucket(workplace);
  const store = new Bucket({ ...config, prefix: 'laptop/' });
  onTestFinished(() => store.close());
  return {
    where,
    names: async (below) => (await store.list(below)).map(({ name }) => name).toSorted(),
    read: async (name) => (await store.get(name))!,
    write: async (name, bytes) => await store.put(name, bytes),
    remove: async (name) => await store.delete([name]),
  };
}

const SERVERS = [
  ['an SSH server', HAS_SSHD, sftp],
  ['a WebDAV server', HAS_APACHE, webdav],
  ['a bucket', HAS_S3, bucket],
] as const;

type Damage = (server: Server) => Promise<void>;

async function removeAll(server: Server, folder: string): Promise<void> {
  for (const name of await server.names(folder)) await server.remove(name);
}

const DAMAGES: readonly (readonly [name: string, damage: Damage])[] = [
  [
    'a bit of the newest segment is flipped',
    async (server) => {
      const newest = (await server.names('ledger/')).at(-1)!;
      const bytes = await server.read(newest);
      bytes[bytes.length >> 1]! ^= 1;
      await server.write(newest, bytes);
    },
  ],
  ['all ledgers are lost', async (server) => await removeAll(server, 'ledger/')],
];

describe.each(sampled(SERVERS, 3, 2))('on %s (scripts/install-test-tools.sh)', (_name, isHere, start) => {
  test.skipIf(!isHere)(
    'a new computer says that newer restore points may exist, and a repair brings all back',
    async () => {
      const workplace = newWorkplace();
      const server = await start(workplace);
      const hashes = await backUp(workplace, server);
      // Damage of one kind at a time, each mended before the next.
      for (const [damage, doIt] of DAMAGES) {
        await doIt(server);
        const home = new NewHome(workplace, server, damage);
        await home.expectDoubt();
        expect([damage, (await home.run('repair')).status]).toEqual([damage, 0]);
        await home.expectAll(hashes);
      }
      await new NewHome(workplace, server, 'after all repairs').expectAll(hashes);
    },
  );

  test.skipIf(!isHere)('a lost pack costs what is in it, which is named, and no list is short', async () => {
    const workplace = newWorkplace();
    const server = await start(workplace);
    const hashes = await backUp(workplace, server);
    const sizes = await Promise.all(
      (await server.names('packs/')).map(async (name) => ({ name, bytes: (await server.read(name)).length })),
    );
    const largest = sizes.toSorted((a, b) => b.bytes - a.bytes)[0]!.name;
    await server.remove(largest);
    const home = new NewHome(workplace, server, 'a lost pack');
    const { json } = await home.run('points', 'documents', '--device', 'Laptop of Anna');
    expect(json.points).toHaveLength(POINTS);
    const checked = await home.run('check');
    expect([checked.status, checked.stdout]).toEqual([1, expect.stringContaining(largest)]);
    const target = workplace.path('what-is-left');
    const restored = await home.run('restore', 'documents', '--device', 'Laptop of Anna', '--to', target);
    expect(restored.status).toBe(1);
    expect(restored.json).toMatchObject({ failures: [{ path: expect.stringMatching(/[1-3]\.bin$/) }] });
    expect(readdirSync(join(target, 'source'))).toHaveLength(hashes.size - 1);
    // Until the computer that has the files backs up, which lists the packs of a server only once a day.
    expect((await workplace.run('repair')).status).toBe(1);
    expect((await workplace.run('backup', 'documents')).status).toBe(0);
    await new NewHome(workplace, server, 'after a lost pack').expectRestored(hashes);
  });
});

/** Three backups of a computer, each with one more file. Returns the hashes of the files. */
async function backUp(workplace: Workplace, { where }: Server): Promise<ReadonlyMap<string, string>> {
  const made = await workplace.json<{ recovery_phrase: string }>([
    'setup',
    ...where,
    '--device-name',
    'Laptop of Anna',
  ]);
  workplace.write('phrase', made.recovery_phrase);
  mkdirSync(workplace.path('source'));
  await workplace.addSet('documents', workplace.path('source'));
  const hashes = new Map<string, string>();
  for (let run = 1; run <= POINTS; run += 1) {
    const bytes = seededBytes(100_000 * run, String(run));
    writeFileSync(workplace.path('source', `${run}.bin`), bytes);
    hashes.set(`${run}.bin`, hashOf(bytes));
    await workplace.json(['backup', 'documents']);
  }
  return hashes;
}

/** A home that only the server and the phrase made. */
class NewHome {
  readonly #workplace: Workplace;
  readonly #server: Server;
  readonly #name: string;
  #isSetUp = false;

  constructor(workplace: Workplace, server: Server, name: string) {
    this.#workplace = workplace;
    this.#server = server;
    this.#name = name;
  }

  async run(...words: readonly string[]) {
    if (!this.#isSetUp) await this.setUp();
    const ended = await this.#workplace.runAt(this.#home, [...words, '--json']);
    return { ...ended, json: JSON.parse(ended.stdout) as Answer };
  }

  async setUp() {
    this.#isSetUp = true;
    const phrase = this.#workplace.path('phrase');
    return await this.run('setup', ...this.#server.where, '--recovery-phrase-file', phrase);
  }

  async expectDoubt(): Promise<void> {
    for (const ended of [
      await this.setUp(),
      await this.run('points', 'documents', '--device', 'Laptop of Anna'),
      await this.run('devices'),
      await this.run('status'),
    ]) {
      const own = (ended.json.warnings ?? []).filter(({ reason }) => reason === WARNING);
      expect([this.#name, ended.status, own.length]).toEqual([this.#name, 3, 1]);
    }
  }

  async expectAll(hashes: ReadonlyMap<string, string>): Promise<void> {
    const { status, json } = await this.run('points', 'documents', '--device', 'Laptop of Anna');
    expect([this.#name, status, json.points?.length]).toEqual([this.#name, 0, POINTS]);
    await this.expectRestored(hashes);
  }

  async expectRestored(hashes: ReadonlyMap<string, string>): Promise<void> {
    const target = this.#workplace.path(`${this.#name}, restored`);
    const words = ['restore', 'documents', '--device', 'Laptop of Anna', '--to', target];
    expect([this.#name, (await this.run(...words)).status]).toEqual([this.#name, 0]);
    const found = readdirSync(join(target, 'source')).map(
      (name) => [name, hashOf(readFileSync(join(target, 'source', name)))] as const,
    );
    expect(new Map(found)).toEqual(hashes);
  }

  get #home(): string {
    return this.#workplace.path(`home ${this.#name}`);
  }
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
