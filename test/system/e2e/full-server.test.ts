import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Bucket } from '../../../src/storage/bucket/bucket.ts';
import { HAS_RCLONE } from '../../helpers/rclone/rclone-configuration.ts';
import { HAS_S3, limitBucket } from '../../helpers/s3/s3-server.ts';
import { seededBytes } from '../../helpers/seeded-bytes.ts';
import { HAS_SSHD } from '../../helpers/sftp/sftp-server.ts';
import { SmallDisk } from '../../helpers/small-disk.ts';
import { HAS_APACHE } from '../../helpers/webdav/apache.ts';
import { inBucket, onSftp, onWebdav } from './real-stores.ts';
import { newWorkplace } from './store-journey.ts';
import { Workplace } from './workplace.ts';
import { sampled } from '../../helpers/thorough.ts';

/** A few backups of three megabytes fit. */
const MEGABYTES = 16;
const FILE_BYTES = 3_000_000;
/** Files of a bucket take whole blocks. */
const BLOCK = 4096;
/** Blocks of files that go, and facts. */
const TOLERANCE = 50_000;

/** A server whose space ends. */
interface Server {
  /** Options of setup. */
  readonly where: readonly string[];
  /** Bytes that are taken. */
  used(): Promise<number>;
  /** Leaves no byte free. */
  fill(): Promise<void>;
}

interface Freed {
  readonly now_bytes: number;
  readonly freed_bytes: number;
  readonly reserve_bytes: number;
  readonly sole_writer: boolean;
  readonly later: readonly object[];
  readonly stopped_by: string | null;
}

const canMount = process.getuid?.() === 0 && mountsHere();

function mountsHere(): boolean {
  using place = new Workplace();
  using disk = SmallDisk.mount(place.path('disk'), '1m');
  return disk !== undefined;
}

function newDisk(workplace: Workplace): SmallDisk {
  const disk = SmallDisk.mount(workplace.path('disk'), `${MEGABYTES}m`)!;
  onTestFinished(() => disk[Symbol.dispose]());
  return disk;
}

function onDisk(disk: SmallDisk, where: readonly string[]): Server {
  return {
    where,
    used: async () => {
      const { blocks, bavail, bsize } = statfsSync(disk.folder);
      return (blocks - bavail) * bsize;
    },
    fill: async () => disk.fill(),
  };
}

async function sftp(workplace: Workplace): Promise<Server> {
  const disk = newDisk(workplace);
  return onDisk(disk, await onSftp(join(disk.folder, 'backups')));
}

async function webdav(workplace: Workplace): Promise<Server> {
  const disk = newDisk(workplace);
  const served = join(disk.folder, 'served');
  mkdirSync(served);
  return onDisk(disk, await onWebdav(workplace, served));
}

async function rclone(workplace: Workplace): Promise<Server> {
  const disk = newDisk(workplace);
  workplace.environment['RCLONE_CONFIG_DRIVE_TYPE'] = 'local';
  return onDisk(disk, ['--destination', `rclone:drive:${disk.folder}/backups`]);
}

async function bucket(workplace: Workplace): Promise<Server> {
  const { where, config } = await inBucket(workplace);
  limitBucket(config, MEGABYTES * 1024 * 1024);
  const store = new Bucket(config);
  onTestFinished(() => store.close());
  const used = async (): Promise<number> =>
    (await store.list('')).reduce((sum, { size }) => sum + Math.ceil(size / BLOCK) * BLOCK, 0);
  return {
    where,
    used,
    fill: async () => limitBucket(config, await used()),
  };
}

const SERVERS: readonly (readonly [name: string, isHere: boolean, start: (workplace: Workplace) => Promise<Server>])[] =
  [
    ['an SSH server', HAS_SSHD && canMount, sftp],
    ['a WebDAV server', HAS_APACHE && canMount, webdav],
    ['rclone', HAS_RCLONE && canMount, rclone],
    ['a bucket with a quota', HAS_S3, bucket],
  ];

describe.each(sampled(SERVERS, 2, 1))('on %s that is full', (_name, isHere, start) => {
  test.skipIf(!isHere)('what is removed is freed, also with no byte left, and backups go on', async () => {
    const workplace = newWorkplace();
    const server = await start(workplace);
    const journey = new Journey(workplace, server);
    await journey.begin();
    await journey.backUpUntilFull();
    await journey.removeOldest();
    await journey.expectFreed(FILE_BYTES);
    expect(await journey.backUp()).toBe(undefined);
    await server.fill();
    await journey.removeOldest();
    await journey.removeOldest();
    await journey.expectFreed(2 * FILE_BYTES);
    expect(await journey.backUp()).toBe(undefined);
    await server.fill();
    await journey.applyPolicy();
    await journey.expectFreed(FILE_BYTES);
    expect(await journey.backUp()).toBe(undefined);
    await journey.expectAllRestore();
  });
});

/** What a person does whose destination is full. */
class Journey {
  readonly #workplace: Workplace;
  readonly #server: Server;
  /** SHA-256 of the file in each restore point. */
  readonly #hashes = new Map<string, string>();
  #runs = 0;

  constructor(workplace: Workplace, server: Server) {
    this.#workplace = workplace;
    this.#server = server;
  }

  async begin(): Promise<void> {
    await this.#workplace.json(['setup', ...this.#server.where]);
    mkdirSync(this.#workplace.path('source'));
    await this.#workplace.addSet('documents', this.#workplace.path('source'));
  }

  /** Returns the code of the error, if it fails. */
  async backUp(): Promise<string | undefined> {
    this.#runs += 1;
    const bytes = seededBytes(FILE_BYTES, String(this.#runs));
    writeFileSync(this.#workplace.path('source', 'file'), bytes);
    const { stdout } = await this.#workplace.run('backup', 'documents', '--json');
    const answer = JSON.parse(stdout) as { readonly restore_point: string; readonly error?: { readonly code: string } };
    if (answer.error) return answer.error.code;
    this.#hashes.set(answer.restore_point, createHash('sha256').update(bytes).digest('hex'));
    return undefined;
  }

  async backUpUntilFull(): Promise<void> {
    let failed: string | undefined;
    do {
      failed = await this.backUp();
      expect(this.#runs).toBeLessThan(MEGABYTES);
    } while (failed === undefined);
    expect(failed).toBe('destination_full');
    const again = await this.#workplace.run('backup', 'documents');
    expect([again.status, again.stderr]).toEqual([1, expect.stringContaining('has no space left')]);
    expect(again.stderr).toContain('holdfast free');
    expect((await this.#workplace.run('status')).stdout).toContain('is full. Free what nobody needs');
  }

  async removeOldest(): Promise<void> {
    const [oldest] = this.#times();
    await this.#workplace.json(['points', 'remove', 'documents', oldest!, '--yes']);
    this.#hashes.delete(oldest!);
  }

  /** Of a year the first and the last restore point stay. */
  async applyPolicy(): Promise<void> {
    await this.#workplace.json(['retention', 'set', 'documents', '--yearly', '1']);
    await this.#workplace.json(['retention', 'apply', 'documents', '--yes']);
    for (const time of this.#times().slice(1, -1)) this.#hashes.delete(time);
  }

  /** @param bytes what is freed at least, or set aside for the next time */
  async expectFreed(bytes: number): Promise<void> {
    const before = await this.#server.used();
    const plan = await this.#workplace.json<Freed>(['free', '--dry-run']);
    expect(await this.#server.used()).toBe(before);
    const freed = await this.#workplace.json<Freed>(['free', '--yes']);
    expect(freed).toMatchObject({ freed_bytes: plan.now_bytes, reserve_bytes: plan.reserve_bytes, later: [] });
    expect(freed).toMatchObject({ stopped_by: null, sole_writer: true });
    expect(freed.freed_bytes + freed.reserve_bytes).toBeGreaterThan(0.99 * bytes);
    expect(Math.abs(before - (await this.#server.used()) - freed.freed_bytes)).toBeLessThan(TOLERANCE);
  }

  async expectAllRestore(): Promise<void> {
    const listed = await this.#workplace.json<{ points: readonly { restore_point: string }[] }>([
      'points',
      'documents',
    ]);
    expect(listed.points.map((point) => point.restore_point).toSorted()).toEqual(this.#times());
    for (const [time, hash] of this.#hashes) {
      const target = this.#workplace.path(`target ${time.replaceAll(':', '-')}`);
      await this.#workplace.json(['restore', 'documents', '--at', time, '--to', target]);
      const bytes = readFileSync(join(target, 'source', 'file'));
      expect([time, createHash('sha256').update(bytes).digest('hex')]).toEqual([time, hash]);
    }
    expect(await this.#workplace.json(['check', '--read-data'])).toMatchObject({ findings: [], losses: [] });
  }

  /** Of the restore points that are there, the oldest first. */
  #times(): string[] {
    return [...this.#hashes.keys()].toSorted();
  }
}
