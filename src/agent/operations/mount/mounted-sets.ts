import { HoldfastError } from '../../../base/errors/errors.ts';
import { listRestorePoints } from '../../../read/list.ts';
import { ContentReader } from '../../../mount/content-reader.ts';
import type { MountedChild, MountedFolder } from '../../../mount/mounted-folder.ts';
import { MountedPoint, type PointCaches } from '../../../mount/mounted-point.ts';
import { formatTimestamp } from '../../../protocol/timestamp.ts';
import { partsAt, type AgentParts } from '../../context/agent-parts.ts';
import type { SetReference } from '../../context/set-source.ts';
import { chooseDestination, newestKnown } from '../restore/choose-destination.ts';
import { MINUTE } from '../../../model/units.ts';
import { openReading, type ReadingContext } from '../restore/reading-context.ts';

/** For how long a list of restore points is not asked for again. */
const LIST_MS = 5000;
/** For how long the destination of a set is not chosen again. */
const CHOICE_MS = MINUTE;
/** Sets that are opened; each keeps its destination open. */
const MOST_SETS = 64;

/** A set with its restore points, and what they are read with. */
interface OpenSet {
  readonly reading: ReadingContext;
  readonly reader: ContentReader;
}

/** The sets of a mount. Each is opened when its folder is first listed, and closed at the end. */
export class MountedSets implements AsyncDisposable {
  readonly #parts: AgentParts;
  readonly #caches: PointCaches;
  readonly #signal: AbortSignal;
  readonly #opened = new AsyncDisposableStack();
  readonly #sets = new Map<string, MountedSet>();

  /** @param signal ends all requests */
  constructor(parts: AgentParts, caches: PointCaches, signal: AbortSignal) {
    this.#parts = parts;
    this.#caches = caches;
    this.#signal = signal;
  }

  /** @param parts those of the destination that it is read from; the same for the same key */
  set(key: string, reference: SetReference, parts: AgentParts = this.#parts): MountedSet {
    const known = this.#sets.get(key);
    if (known) return known;
    if (this.#sets.size >= MOST_SETS) throw new HoldfastError('system_failed', { problem: 'files', system: 'EMFILE' });
    const open = async (destination = parts.destination): Promise<OpenSet> => {
      const from = partsAt(parts, destination);
      const reading = await openReading(from, { ...reference, at: 'latest' }, this.#signal);
      this.#opened.use(reading);
      const { downloader, keys } = reading;
      return { reading, reader: new ContentReader({ downloader, keys, clock: parts.clock }, this.#signal) };
    };
    const made = new MountedSet({ key, reference, open, caches: this.#caches, parts, signal: this.#signal });
    this.#sets.set(key, made);
    return made;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.disposeAsync();
  }
}

interface SetOptions {
  readonly key: string;
  readonly reference: SetReference;
  /** Opens it at a destination; by default at the one that was named, or the nearest with the newest restore point. */
  readonly open: (destination?: string) => Promise<OpenSet>;
  readonly caches: PointCaches;
  readonly parts: AgentParts;
  readonly signal: AbortSignal;
}

/** The folder of a set: a folder for each restore point, and a link to the newest. */
export class MountedSet implements MountedFolder {
  readonly #options: SetOptions;
  #set: Promise<OpenSet> | undefined;
  #listed: Promise<readonly MountedChild[]> | undefined;
  #listedAt = 0;
  /** Those that it was read from, by destination. What was found in them stays in use. */
  readonly #opened = new Map<string, OpenSet>();
  #newest = 0;
  #chosenAt = -Infinity;

  constructor(options: SetOptions) {
    this.#options = options;
  }

  list(): Promise<readonly MountedChild[]> {
    const { clock } = this.#options.parts;
    if (this.#listed && Math.abs(clock.now() - this.#listedAt) < LIST_MS) return this.#listed;
    const before = this.#listed;
    this.#listedAt = clock.now();
    // What was listed before stays in use while the destination is away.
    this.#listed = this.#list().catch((error: unknown) => {
      this.#listed = undefined;
      if (before) return before;
      throw error;
    });
    return this.#listed;
  }

  async #list(): Promise<readonly MountedChild[]> {
    const { key, caches, parts, signal } = this.#options;
    await this.#followNewest();
    const { reading, reader } = await this.#openOnce();
    const { access, catalog, keys, source, downloader, settings } = reading;
    const { service } = access;
    const points = await listRestorePoints(source, { service, catalog }, signal).catch((error: unknown) => {
      throw access.explain(error);
    });
    const times = [...new Set(points.map((point) => Date.parse(point.restore_point)))];
    const folders = times.map((time): MountedChild => {
      // A copy at another destination has another tree.
      const pointKey = `${key}/${settings.id}/${time}`;
      const deps = { service, downloader, catalog, keys, clock: parts.clock };
      const tree = new MountedPoint(pointKey, { ...source, at: time }, deps, caches, signal);
      return {
        name: formatTimestamp(time),
        modifiedNs: BigInt(time) * 1_000_000n,
        content: { kind: 'point', key: pointKey, point: { tree, reader } },
      };
    });
    this.#newest = times[0] ?? 0;
    const [newest] = folders;
    if (!newest) return [];
    const latest: MountedChild = {
      name: 'latest',
      modifiedNs: newest.modifiedNs,
      content: { kind: 'link', target: newest.name },
    };
    return [latest, ...folders];
  }

  /** Goes on with another destination once that has a newer restore point: a backup may reach only one of several. */
  async #followNewest(): Promise<void> {
    const { parts, reference, open, signal } = this.#options;
    if (!this.#set || parts.destination !== undefined || newestKnown(parts, reference) <= this.#newest) return;
    if (Math.abs(parts.clock.now() - this.#chosenAt) < CHOICE_MS) return;
    this.#chosenAt = parts.clock.now();
    const { entry } = await chooseDestination(parts, { ...reference, at: 'latest' }, signal);
    const opened = this.#opened.get(entry.id) ?? (await open(entry.id));
    this.#opened.set(entry.id, opened);
    this.#set = Promise.resolve(opened);
  }

  #openOnce(): Promise<OpenSet> {
    this.#set ??= this.#openFirst().catch((error: unknown) => {
      this.#set = undefined;
      throw error;
    });
    return this.#set;
  }

  async #openFirst(): Promise<OpenSet> {
    const opened = await this.#options.open();
    this.#opened.set(opened.reading.settings.id, opened);
    return opened;
  }
}
