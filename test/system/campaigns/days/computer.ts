import { mkdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../../src/base/clock.ts';
import type { BackupReport } from '../../../../src/archive/backup/types.ts';
import { Catalog } from '../../../../src/catalog/catalog.ts';
import { listRestorePoints } from '../../../../src/read/list.ts';
import { runRestore } from '../../../../src/restore/restore.ts';
import { readTreeFooter } from '../../../../src/read/source/tree.ts';
import type { RestoreReport } from '../../../../src/restore/types.ts';
import type { WorkerPool } from '../../../../src/workers/pool.ts';
import type { RestorePoint } from '../../../../src/protocol/extensions.ts';
import { backUpTo } from '../../../helpers/backup.ts';
import { bindFolder, CAN_MOUNT, mountDisk, unmount, unmountAll } from '../../../helpers/mount.ts';
import type { Days } from './days-campaign.ts';
import { ENVELOPE, KEYS, type Access, type Credentials, type SharedPlace } from './places.ts';

export const SET = 'documents';
/** Name of the folder in the source at which a disk is mounted that comes and goes, where this process may mount. */
export const DISK = 'disk';
const DESTINATION = 'sole';

interface Home {
  readonly catalog: Catalog;
  readonly access: Access;
}

interface ComputerOptions {
  readonly folder: string;
  readonly pool: WorkerPool;
  readonly days: Days;
}

/** A computer with a home and a folder to back up. */
export class Computer implements AsyncDisposable {
  readonly source: string;
  /** Milliseconds by which its clock is wrong. */
  clockError = 0;
  /** Whether it jumped since the last backup. */
  hasClockJumped = false;
  readonly #place: SharedPlace;
  readonly #options: ComputerOptions;
  #credentials: Credentials;
  readonly #clock: Clock;
  #home: Home | undefined;
  #hasDisk = false;

  private constructor(place: SharedPlace, credentials: Credentials, options: ComputerOptions) {
    this.#place = place;
    this.#credentials = credentials;
    this.#options = options;
    this.source = join(options.folder, 'source');
    const { days } = options;
    this.#clock = { now: () => days.now + this.clockError, sleep: () => Promise.resolve() };
  }

  static async open(place: SharedPlace, options: ComputerOptions): Promise<Computer> {
    mkdirSync(options.folder);
    const computer = new Computer(place, await place.register(), options);
    mkdirSync(computer.source);
    if (CAN_MOUNT) {
      mkdirSync(computer.#disk);
      mountDisk(computer.#disk);
      computer.connectDisk();
    }
    return computer;
  }

  /** Whether its disk is in its source. */
  get hasDisk(): boolean {
    return this.#hasDisk;
  }

  connectDisk(): void {
    mkdirSync(this.#mountPoint, { recursive: true });
    bindFolder(this.#disk, this.#mountPoint);
    this.#hasDisk = true;
  }

  /** @param keepsFolder whether the folder on which it was mounted stays */
  disconnectDisk(keepsFolder: boolean): void {
    unmount(this.#mountPoint);
    if (!keepsFolder) rmdirSync(this.#mountPoint);
    this.#hasDisk = false;
  }

  get deviceId(): string {
    return this.#credentials.deviceId;
  }

  async backup(): Promise<BackupReport> {
    const dependencies = await this.#dependencies();
    const previousTree = () => readTreeFooter({ deviceId: this.deviceId, backupSet: SET, at: 'latest' }, dependencies);
    const options = { excludes: [], presets: [], oneFileSystem: false, privateNames: false };
    const request = {
      set: { name: SET, roots: [this.source], ...options },
      deviceId: this.deviceId,
      keyEnvelope: ENVELOPE,
    };
    return await backUpTo(request, { ...dependencies, previousTree });
  }

  async restore(deviceId: string, at: number, to: string): Promise<RestoreReport> {
    const source = { deviceId, backupSet: SET, at };
    return await runRestore(
      { set: source.backupSet, at: source.at, source, paths: [], to, sourceRoots: [] },
      await this.#dependencies(),
    );
  }

  async points(): Promise<readonly RestorePoint[]> {
    return await listRestorePoints({ deviceId: this.deviceId, backupSet: SET }, await this.#dependencies());
  }

  /** Its disk broke: the next one continues its device, and knows nothing of it. */
  async loseHome(): Promise<void> {
    await this[Symbol.asyncDispose]();
    rmSync(this.#homeFolder, { recursive: true, force: true });
    this.#credentials = this.#place.continued(this.#credentials);
  }

  /** Switches the computer off for ever. */
  async end(): Promise<void> {
    await this[Symbol.asyncDispose]();
    if (CAN_MOUNT) unmountAll(this.#options.folder);
  }

  /** Ends its process. */
  async [Symbol.asyncDispose](): Promise<void> {
    const home = this.#home;
    this.#home = undefined;
    home?.catalog.close();
    await home?.access[Symbol.asyncDispose]();
  }

  get #disk(): string {
    return join(this.#options.folder, 'disk');
  }

  get #mountPoint(): string {
    return join(this.source, DISK);
  }

  get #homeFolder(): string {
    return join(this.#options.folder, 'home');
  }

  async #dependencies() {
    this.#home ??= await this.#openHome();
    const { access, catalog } = this.#home;
    const { service, uploader, downloader } = access;
    const scratch = this.#homeFolder;
    const { pool } = this.#options;
    const shared = { catalog: catalog.at(DESTINATION), pool, keys: KEYS, clock: this.#clock, scratch };
    return { service, uploader, downloader, ...shared };
  }

  async #openHome(): Promise<Home> {
    mkdirSync(this.#homeFolder, { recursive: true });
    const access = await this.#place.connect(this.#credentials, this.#homeFolder, this.#clock);
    return { access, catalog: new Catalog(join(this.#homeFolder, 'catalog.sqlite')) };
  }
}
