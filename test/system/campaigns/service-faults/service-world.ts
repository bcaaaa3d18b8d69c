import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { openAccount, registerDevice } from '../../../bench/load/account.ts';
import { LoadClient, type LoadDevice } from '../../../bench/load/client.ts';
import { ServiceProcess } from '../../../bench/load/service-process.ts';
import { startPostgres, type PostgresServer } from '../../../helpers/postgres/server.ts';
import { RadosGateway, type S3Address } from '../../../helpers/s3/rados-gateway.ts';
import { SmallDisk } from '../../../helpers/small-disk.ts';

/** Enough for PostgreSQL's software, and an hour of its data. */
const DISK_SIZE = '600m';

const PROCESSES = 2;

/** One service in two processes, with a PostgreSQL and an object store of its own that can be broken. */
export class ServiceWorld implements AsyncDisposable {
  readonly processes: readonly ServiceProcess[];
  readonly devices: readonly LoadDevice[];
  readonly client: LoadClient;
  readonly postgres: PostgresServer;
  readonly store: RadosGateway;
  readonly address: S3Address;
  /** The disk with the data of PostgreSQL; `undefined` if there is none. */
  readonly disk: SmallDisk | undefined;
  readonly #folder: string;
  readonly #log: number;

  private constructor(parts: Pick<ServiceWorld, 'processes' | 'devices' | 'client' | keyof Stores>, place: Place) {
    this.processes = parts.processes;
    this.devices = parts.devices;
    this.client = parts.client;
    this.postgres = parts.postgres;
    this.store = parts.store;
    this.address = parts.address;
    this.disk = parts.disk;
    this.#folder = place.folder;
    this.#log = place.log;
  }

  /** @param hasDisk puts the data of PostgreSQL on a disk of its own, if this user may mount one */
  static async start(devices: number, hasDisk: boolean): Promise<ServiceWorld> {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-faults-'));
    // PostgreSQL runs as another user.
    chmodSync(folder, 0o755);
    const place = { folder, log: openSync(join(folder, 'log'), 'a') };
    const stores = await startStores(folder, hasDisk);
    const { accessKeyId, secretAccessKey, endpoint, region } = stores.address;
    const environment = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
    const config = {
      database: stores.postgres.url,
      objects: `s3://${await newBucket(stores.address)}`,
      objectsEndpoint: endpoint,
      objectsRegion: region,
    };
    const processes: ServiceProcess[] = [];
    for (let index = 0; index < PROCESSES; index += 1) {
      const own = join(folder, String(index));
      mkdirSync(join(own, 'data'), { recursive: true });
      processes.push(await ServiceProcess.start(own, config, { log: place.log, environment }));
    }
    const client = new LoadClient(processes.map(({ url }) => url));
    const token = await openAccount(client, join(folder, '0'), config.database);
    const registered: LoadDevice[] = [];
    for (let index = 0; index < devices; index += 1) {
      registered.push(await registerDevice(client, token, `device ${index}`));
    }
    return new ServiceWorld({ processes, devices: registered, client, ...stores }, place);
  }

  /** The processes that run. */
  get alive(): number {
    return this.processes.filter(({ isRunning }) => isRunning).length;
  }

  /** The variables of a process that is started again. */
  get environment(): Readonly<Record<string, string>> {
    const { accessKeyId, secretAccessKey } = this.address;
    return { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
  }

  /** What the processes have logged. */
  get log(): string {
    return readFileSync(join(this.#folder, 'log'), 'utf8');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
    await Promise.all(this.processes.filter(({ isRunning }) => isRunning).map((service) => service.kill('SIGKILL')));
    await this.postgres.stop();
    await this.store.stop();
    this.disk?.[Symbol.dispose]();
    closeSync(this.#log);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

interface Place {
  readonly folder: string;
  readonly log: number;
}

interface Stores {
  readonly postgres: PostgresServer;
  readonly store: RadosGateway;
  readonly address: S3Address;
  readonly disk: SmallDisk | undefined;
}

async function startStores(folder: string, hasDisk: boolean): Promise<Stores> {
  const disk = !hasDisk ? undefined : SmallDisk.mount(join(folder, 'disk'), DISK_SIZE);
  // Its daemons run as another user, who has to be able to enter the folder.
  const store = new RadosGateway(join(tmpdir(), `holdfast-faults-s3-${randomBytes(8).toString('hex')}`));
  try {
    const [postgres, address] = await Promise.all([startPostgres(disk?.folder), store.start()]);
    return { postgres, store, address, disk };
  } catch (error) {
    disk?.[Symbol.dispose]();
    throw error;
  }
}

async function newBucket({ endpoint, region, accessKeyId, secretAccessKey }: S3Address): Promise<string> {
  const bucket = 'faults';
  const credentials = { accessKeyId, secretAccessKey };
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
  return bucket;
}
