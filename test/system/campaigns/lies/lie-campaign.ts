import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isHoldfastError } from '../../../../src/base/errors/errors.ts';
import { listRestorePoints } from '../../../../src/read/list.ts';
import type { RestoreReport } from '../../../../src/restore/types.ts';
import { requestRetention } from '../../../../src/remote/client/retention-calls.ts';
import { RUN_RETRY_POLICY } from '../../../../src/remote/http/retrier.ts';
import { retentionPolicy } from '../../../../src/protocol/retention.ts';
import type { WorkerPool } from '../../../../src/workers/pool.ts';
import { CopyWorld, SET, type Place } from '../../copy/copy-world.ts';
import { differences } from '../../../helpers/differences.ts';
import { impatientClock } from '../../../helpers/impatient-clock.ts';
import { Random } from '../../../helpers/random.ts';
import { knowTimes, LIES, type Lie } from './lies.ts';
import { LyingHttp } from './lying-http.ts';

const FILES = 5;
/** Of the same size, so that their chunks can be exchanged. */
const BYTES = 300;

export interface LieCampaignResult {
  readonly lies: number;
  /** Lies after which a run failed, or named something. */
  readonly noticed: number;
  readonly failures: readonly string[];
}

export interface LieCampaignOptions {
  readonly seed: number;
  /** The share of the lies that are told: 1 for all, 10 for a tenth. */
  readonly every: number;
  /** Lies whose name contains it. */
  readonly only?: string | undefined;
  readonly onFailure?: (failure: string) => void;
}

/**
 * Has a service lie in one way at a time, with its extensions and without. No wrong byte is restored without a word, no existing file is
 * replaced by one, no request with a token goes elsewhere, and every lie that can be noticed is. The next run without a lie is complete.
 */
export async function runLieCampaign(pool: WorkerPool, options: LieCampaignOptions): Promise<LieCampaignResult> {
  const { seed, every, only = '' } = options;
  const random = new Random(seed);
  const all = [true, false]
    .flatMap((isPlain) => LIES.map((lie) => ({ lie, isPlain })))
    .filter(({ lie, isPlain }) => !(isPlain && lie.isOfExtension));
  const chosen = random
    .shuffled(all.filter(({ lie }) => lie.name.includes(only)))
    .slice(0, Math.ceil(all.length / every));
  const failures: string[] = [];
  let noticed = 0;
  for (const { lie, isPlain } of chosen) {
    await using world = new LieWorld(pool, random);
    const result = await world.tell(lie, isPlain);
    if (result.isNoticed) noticed += 1;
    for (const failure of result.failures) {
      const named = `${lie.during}, ${lie.name}${isPlain ? '' : ', with extensions'}: ${failure}`;
      failures.push(named);
      options.onFailure?.(named);
    }
  }
  return { lies: chosen.length, noticed, failures };
}

class LieWorld implements AsyncDisposable {
  readonly #world: CopyWorld;
  readonly #random: Random;
  readonly #failures: string[] = [];
  #http: LyingHttp | undefined;
  #isNoticed = false;

  constructor(pool: WorkerPool, random: Random) {
    this.#world = new CopyWorld(pool);
    this.#random = random;
  }

  async tell(
    lie: Lie,
    isPlain: boolean,
  ): Promise<{ readonly isNoticed: boolean; readonly failures: readonly string[] }> {
    const place = await this.#world.service('service', {
      clock: impatientClock,
      policy: RUN_RETRY_POLICY,
      wrap: (inner) => (this.#http = new LyingHttp(inner)),
    });
    const http = this.#http!;
    http.isPlain = isPlain;
    const times: string[] = [];
    for (let run = 0; run < 3; run += 1) {
      this.#change();
      times.push((await this.#world.backup(place)).restorePoint!);
    }
    await this.#world.backup(place, { name: 'other' });
    knowTimes({ oldest: times[0]!, newest: times.at(-1)! });
    if (lie.during === 'backup') await this.#backUp(lie, place);
    else if (lie.during === 'listing') await this.#list(lie, place, times);
    else if (lie.during === 'retention') await this.#retain(lie, place, times);
    else await this.#restore(lie, place);
    await this.#beHonest(place);
    if (http.elsewhere.some((headers) => 'authorization' in headers)) this.#failures.push('a token was sent elsewhere');
    const didNotNotice = lie.isNoticeable && http.wasAsked && !this.#isNoticed;
    if (didNotNotice) this.#failures.push('nobody noticed');
    return { isNoticed: this.#isNoticed, failures: this.#failures };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#world[Symbol.asyncDispose]();
  }

  async #restore(lie: Lie, place: Place): Promise<void> {
    const target = join(this.#world.folder, 'target');
    const restored = join(target, 'source');
    mkdirSync(restored, { recursive: true });
    writeFileSync(join(restored, 'file 0'), 'what was here');
    writeFileSync(join(restored, 'mine'), 'not of any backup');
    const report = await this.#during(lie, () =>
      this.#world.restore(place, undefined, { target, conflict: 'overwrite' }),
    );
    this.#judge(restored, report?.report);
    rmSync(target, { recursive: true });
  }

  #judge(restored: string, report: RestoreReport | undefined): void {
    const { source } = this.#world;
    const named = new Set([...(report?.failures ?? []), ...(report?.warnings ?? [])].map(({ path }) => path));
    if (named.size > 0) this.#isNoticed = true;
    for (const name of readdirSync(restored)) {
      const bytes = readFileSync(join(restored, name));
      const isRight = existsSync(join(source, name)) && bytes.equals(readFileSync(join(source, name)));
      const isOld = name === 'mine' || (name === 'file 0' && bytes.toString() === 'what was here');
      // An older restore point is genuine, and has to be named as one.
      if (!isRight && !isOld && !this.#isNoticed) this.#failures.push(`${name} is wrong`);
      if (name === 'mine' && bytes.toString() !== 'not of any backup')
        this.#failures.push('a file of the target is gone');
    }
    if (!existsSync(join(restored, 'mine'))) this.#failures.push('a file of the target is gone');
    for (const name of report ? readdirSync(source) : []) {
      const isRight =
        existsSync(join(restored, name)) && readFileSync(join(restored, name)).equals(readFileSync(join(source, name)));
      if (!isRight && !this.#isNoticed) this.#failures.push(`${name} is missing or wrong, and nothing is named`);
    }
    if (existsSync(join(this.#world.folder, 'outside'))) this.#failures.push('a file outside of the target');
  }

  async #backUp(lie: Lie, place: Place): Promise<void> {
    this.#change();
    const report = await this.#during(lie, () => this.#world.backup(place));
    if (report && report.warnings.length > 0) this.#isNoticed = true;
  }

  /** Restore points stay in the order of their times. */
  async #list(lie: Lie, place: Place, times: readonly string[]): Promise<void> {
    const { service, catalog, deviceId } = place;
    const listed = await this.#during(lie, async () => {
      await service.devices();
      await service.backupSets(deviceId);
      return await listRestorePoints({ deviceId, backupSet: SET }, { service, catalog });
    });
    if ((service.answerWarnings?.() ?? []).length > 0) {
      this.#isNoticed = true;
      return;
    }
    const found = listed?.map(({ restore_point: time }) => time).toReversed();
    if (found && !isDeepStrictEqual(found, times)) this.#failures.push(`listed ${found.join()}`);
  }

  /** What a preview shows is what the service has, in the order of the times. */
  async #retain(lie: Lie, place: Place, times: readonly string[]): Promise<void> {
    const { deviceId: device_id } = place;
    const calls = place.calls!;
    const policy = retentionPolicy.parse({ daily: 1 });
    const shown = await this.#during(lie, () =>
      requestRetention(calls, { action: 'preview', device_id, backup_set: SET, policy }),
    );
    const found = shown?.state.points.map(({ restore_point: time }) => time).toReversed();
    if (found && !isDeepStrictEqual(found, times)) this.#failures.push(`previewed ${found.join()}`);
  }

  /** Without lies the next backup is complete, and everything comes back. */
  async #beHonest(place: Place): Promise<void> {
    this.#change();
    try {
      await this.#world.backup(place);
      const { target, report } = await this.#world.restore(place);
      const found = differences(this.#world.source, target);
      if (found !== '') this.#failures.push(`the next restore: ${found}`);
      if (report.failures.length > 0) this.#failures.push(`the next restore: ${JSON.stringify(report.failures)}`);
    } catch (error) {
      this.#failures.push(`the next run without a lie: ${String(error)}`);
    }
  }

  async #during<Result>(lie: Lie, work: () => Promise<Result>): Promise<Result | undefined> {
    const http = this.#http!;
    http.begin(lie.tell);
    try {
      return await work();
    } catch (error) {
      this.#isNoticed = true;
      if (!isHoldfastError(error) || error.code === 'internal') this.#failures.push(`threw ${String(error)}`);
      return undefined;
    } finally {
      http.begin(undefined);
    }
  }

  #change(): void {
    const { source } = this.#world;
    for (let file = 0; file < FILES; file += 1) writeFileSync(join(source, `file ${file}`), this.#random.bytes(BYTES));
  }
}
