import { AsyncLocalStorage } from 'node:async_hooks';
import fc from 'fast-check';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { openStores } from '../../../../src/service/open-stores.ts';
import { clearRemoved } from '../../../../src/service/retention/clear-removed.ts';
import { collectChunks, GRACE } from '../../../../src/service/retention/collect-chunks.ts';
import { createService } from '../../../../src/service/service.ts';
import type { Service } from '../../../../src/service/service.ts';
import { postgresDatabase } from '../../../helpers/postgres/postgres.ts';
import {
  BASE,
  chunk,
  file,
  manifestEntry,
  STATS,
  temporaryDirectory,
  TestClock,
} from '../../../unit/service/harness.ts';
import type { TestFile } from '../../../unit/service/harness.ts';
import { orThorough } from '../../../helpers/thorough.ts';

const SETS = ['docs', 'photos'] as const;

/** One backup: its chunks, some of which are offered before the manifest, and whether it is aborted. */
interface Backup {
  readonly set: (typeof SETS)[number];
  readonly contents: readonly string[];
  readonly early: readonly string[] | undefined;
  readonly isAborted: boolean;
}
/** The work of the admin and of housekeeping that runs meanwhile, repeatedly. */
const UPKEEP = ['remove', 'clear', 'collect', 'wait', 'collect'] as const;
type Upkeep = (typeof UPKEEP)[number];

/** Few contents, so that the next backup often contains chunks that a removal leaves unreferenced. */
const contents = fc.uniqueArray(fc.constantFrom('a', 'bb', 'ccc'), { minLength: 1, maxLength: 2 });
const backups: fc.Arbitrary<Backup> = fc.record({
  set: fc.constantFrom(...SETS),
  contents,
  early: fc.option(contents, { nil: undefined }),
  isAborted: fc.constantFrom(false, false, false, false, true),
});
/** The actor that continues, and for how many calls: one is often paused at a bad moment while another does very much. */
const turns = fc.array(
  fc.tuple(fc.nat(2), fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 150 }))),
  {
    minLength: 20,
    maxLength: 60,
  },
);

test.each([
  ['SQLite', orThorough(8, 20)],
  // Its queries take time, and another connection may run in between.
  ['PostgreSQL', orThorough(3, 8)],
] as const)(
  'no restore point misses a chunk whatever runs beside backups, and nothing is left over in the end: %s',
  { timeout: 240_000 },
  (database, numRuns) =>
    fc.assert(
      fc.asyncProperty(
        turns,
        fc.array(backups, { minLength: 2, maxLength: 6 }),
        fc.array(backups, { maxLength: 3 }),
        async (schedule, first, second) => {
          const table = new Turns(schedule);
          const fixture = await InterleavingFixture.open(
            () => table.wait(),
            database === 'PostgreSQL' ? await postgresDatabase() : undefined,
          );
          const back = async (runs: readonly Backup[]) => {
            for (const run of runs) await fixture.backUp(run);
          };
          const backing = { isOver: false };
          const clients = Promise.all([table.play(1, () => back(first)), table.play(2, () => back(second))]);
          const upkeep = table.play(0, async () => {
            while (!backing.isOver) for (const work of UPKEEP) await fixture.upkeep(work);
          });
          await clients.finally(() => {
            backing.isOver = true;
          });
          await upkeep;
          fixture.gate = async () => undefined;
          await fixture.expectWhole();
          await fixture.expectNothingLeft();
          await fixture.close();
        },
      ),
      { numRuns },
    ),
);

/** Lets one of several actors at a time continue for some calls, as scheduled. */
class Turns {
  readonly #schedule: readonly (readonly [actor: number, calls: number])[];
  readonly #actor = new AsyncLocalStorage<number>();
  readonly #waiting = new Map<number, (() => void)[]>();
  readonly #playing = new Set<number>();
  #next = 0;
  #current = -1;
  #left = 0;
  #moves = 0;

  constructor(schedule: readonly (readonly [number, number])[]) {
    this.#schedule = schedule;
  }

  async play(actor: number, work: () => Promise<void>): Promise<void> {
    this.#playing.add(actor);
    try {
      await this.#actor.run(actor, work);
    } finally {
      this.#playing.delete(actor);
    }
  }

  /** Waits until the caller's actor may make its next call. */
  async wait(): Promise<void> {
    const actor = this.#actor.getStore();
    if (actor === undefined || !this.#playing.has(actor)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.set(actor, [...(this.#waiting.get(actor) ?? []), resolve]);
    // The scheduled actor may be waiting for another one inside the service: if nothing moves, the next one continues.
    let seen = this.#moves;
    for (let idle = 0; idle < 500 && this.#isWaiting(actor, resolve); idle += 1) {
      this.#resume();
      await new Promise(setImmediate);
      if (seen !== this.#moves) idle = 0;
      seen = this.#moves;
    }
    if (this.#isWaiting(actor, resolve)) this.#release(actor);
    await promise;
  }

  #isWaiting(actor: number, resolve: () => void): boolean {
    return this.#waiting.get(actor)?.includes(resolve) === true;
  }

  #resume(): void {
    if (this.#left === 0 || !this.#playing.has(this.#current)) {
      const [actor, calls] = this.#schedule[this.#next % this.#schedule.length]!;
      this.#next += 1;
      this.#current = actor;
      this.#left = calls;
    }
    if ((this.#waiting.get(this.#current)?.length ?? 0) === 0) return;
    this.#left -= 1;
    this.#release(this.#current);
  }

  #release(actor: number): void {
    this.#moves += 1;
    this.#waiting.get(actor)?.shift()?.();
  }
}

class InterleavingFixture {
  gate: (call: string) => Promise<unknown>;
  readonly #service: Service;
  /** The collector's clock; sign-ins and URLs use one that stands still. */
  readonly #clock = new TestClock();
  readonly #device: string;
  readonly #token: string;
  readonly #parts: Parameters<typeof collectChunks>[0];
  readonly #runs: { readonly set: string; readonly point: string; readonly contents: readonly string[] }[] = [];

  private constructor(service: Service, device: string, token: string, gate: InterleavingFixture['gate']) {
    this.#service = service;
    this.#device = device;
    this.#token = token;
    this.gate = gate;
    const { metadata, objects } = service.context;
    const through = <Store extends object>(store: Store): Store => gated(store, (call) => this.gate(call));
    this.#parts = {
      retention: through(metadata.retention),
      collection: through(metadata.collection),
      objects: through(objects),
      clock: this.#clock,
    };
  }

  static async open(gate: InterleavingFixture['gate'], database: string | undefined): Promise<InterleavingFixture> {
    const clock = new TestClock();
    const stores = await openStores(await temporaryDirectory(), { create: true, database });
    const { metadata, objects } = stores;
    const account = await metadata.accounts.createAccount(clock.now());
    const before: { gate: InterleavingFixture['gate'] } = { gate: async () => undefined };
    const through = <Store extends object>(store: Store): Store => gated(store, (call) => before.gate(call));
    const service = await createService({
      ...stores,
      metadata: {
        ...metadata,
        sessions: through(metadata.sessions),
        trees: through(metadata.trees),
        chunks: through(metadata.chunks),
      },
      objects: through(objects),
      clock,
      log: pino({ level: 'silent' }),
      publicUrl: BASE,
    });
    const { registerDevice } = await import('../../../../src/service/devices/devices.ts');
    const request = { name: 'n', os: 'o', agent_version: '1' };
    const { device } = await registerDevice(service.context, account.id, request);
    const token = await service.tokens.issue({ kind: 'device', sub: device.id, account: account.id }, clock.now());
    const fixture = new InterleavingFixture(service, device.id, token, gate);
    before.gate = (call) => fixture.gate(call);
    return fixture;
  }

  close(): Promise<void> {
    return this.#service.close();
  }

  async backUp({ set, contents: texts, early, isAborted }: Backup): Promise<void> {
    const head = { device_id: this.#device, backup_set: set };
    const opened = early ? await this.#post('backup/open', head) : undefined;
    const id = opened?.['session_id'] as string | undefined;
    for (const text of early ?? []) await this.#put(id!, text);
    const files = texts.map((text) => file(`/${text}`, [text]));
    const first = { ...head, ...(id === undefined ? {} : { session_id: id }), files: files.map(manifestEntry) };
    const init = await this.#post('backup/init', first);
    const session = init['session_id'] as string;
    const byHash = new Map(files.map((one) => [one.chunks[0]!.hash, one]));
    for (const { hash } of init['chunks_needed'] as { hash: string }[]) {
      await this.#put(session, byHash.get(hash)!.path.slice(1));
    }
    if (isAborted) {
      await this.#post('backup/abort', { session_id: session });
      return;
    }
    // Everything that was reported as stored is stored, so nothing is missing now.
    const run = await this.#post('backup/complete', { session_id: session, stats: STATS });
    this.#runs.push({ set, point: run['restore_point'] as string, contents: texts });
    await this.#expectTree(set, run['restore_point'] as string, files);
  }

  async upkeep(work: Upkeep): Promise<void> {
    const { metadata } = this.#service.context;
    const { retention } = metadata;
    const signal = new AbortController().signal;
    const [account] = await retention.accounts();
    await this.gate(work);
    switch (work) {
      case 'wait':
        this.#clock.advance(GRACE);
        return;
      case 'clear':
        return clearRemoved(this.#parts, signal);
      case 'collect':
        // As if the last search was a week ago.
        await this.#parts.collection.collected(account!.id, 0);
        while (await metadata.sessions.sweep());
        await collectChunks(this.#parts, account!, signal);
        return;
      case 'remove':
        for (const setNumber of await retention.setsOf(account!.id)) {
          await this.#parts.retention.remove({ accountId: account!.id, setNumber }, this.#clock.now(), ({ points }) =>
            points
              .slice(0, -1)
              .filter(({ inUse }) => !inUse)
              .map(({ session }) => session),
          );
        }
    }
  }

  /** Expects that every listed restore point equals its backup, with every blob. */
  async expectWhole(): Promise<void> {
    for (const { set, point, contents: texts } of await this.#listed()) {
      await this.#expectTree(
        set,
        point,
        texts.map((text) => file(`/${text}`, [text])),
      );
    }
  }

  /** Expects, after everything has ended, that the account uses exactly what its restore points need. */
  async expectNothingLeft(): Promise<void> {
    for (let time = 0; time < 3; time += 1) {
      for (const kind of ['clear', 'collect', 'wait'] as const) await this.upkeep(kind);
    }
    await this.expectWhole();
    const left = new Set((await this.#listed()).flatMap((run) => run.contents));
    const bytes = [...left].reduce((sum, text) => sum + text.length + 28, 0);
    const { metadata } = this.#service.context;
    const { retention } = metadata;
    const [account] = await retention.accounts();
    expect((await metadata.accounts.findAccount(account!.id))!.storageUsed).toBe(bytes);
  }

  async #listed() {
    const listed = new Set<string>();
    for (const set of SETS) {
      const query = new URLSearchParams({ device_id: this.#device, backup_set: set });
      const response = await this.#call('GET', `/rest/v1/restore_points?${query.toString()}`);
      if (response.status === 404) continue;
      const { restore_points: points } = (await response.json()) as { restore_points: { restore_point: string }[] };
      for (const { restore_point: point } of points) listed.add(`${set} ${point}`);
    }
    return this.#runs.filter(({ set, point }) => listed.has(`${set} ${point}`));
  }

  async #expectTree(set: string, point: string, files: readonly TestFile[]): Promise<void> {
    const { sessions, trees, accounts, chunks } = this.#service.context.metadata;
    const { number } = (await sessions.findSet(this.#device, set))!;
    const found = await sessions.restorePointAt(number, Date.parse(point));
    // It may have been removed meanwhile.
    if (found?.restorePoint !== Date.parse(point)) return;
    const versions = await trees.range({ setNumber: number, sequence: found.sequence, after: '', limit: 100 });
    const still = await sessions.restorePointAt(number, Date.parse(point));
    if (still?.sequence !== found.sequence) return;
    expect(versions).toHaveLength(files.length);
    const [account] = await this.#service.context.metadata.retention.accounts();
    const { id: accountId, number: accountNumber } = (await accounts.findAccount(account!.id))!;
    for (const { chunks: list } of files) {
      const { hash, blob } = list[0]!;
      const [row] = await chunks.find(accountNumber, [Buffer.from(hash.slice(7), 'hex')]);
      if ((await sessions.restorePointAt(number, Date.parse(point)))?.sequence !== found.sequence) return;
      expect(row?.size).toBe(blob.length - 28);
      const key = { accountId, chunkId: row!.id, digest: hash.slice(7), size: blob.length };
      const [bytes] = await this.#service.context.objects.get([key]);
      expect(bytes && Buffer.compare(bytes, blob)).toBe(0);
    }
  }

  async #put(session: string, text: string): Promise<void> {
    const { hash, blob } = chunk(text);
    const request = { session_id: session, chunk_hash: hash, chunk_size: blob.length };
    const presign = await this.#call('POST', '/functions/v1/backup/presign', request);
    if (presign.status === 409) return;
    expect(presign.status).toBe(200);
    const { upload_url: url } = (await presign.json()) as { upload_url: string };
    const put = await this.#service.fetch(new Request(url, { method: 'PUT', body: new Uint8Array(blob) }));
    expect([200, 412]).toContain(put.status);
  }

  async #post(path: string, body: object): Promise<Record<string, unknown>> {
    const response = await this.#call('POST', `/functions/v1/${path}`, body);
    const text = await response.text();
    expect({ path, status: response.status, text: response.status === 200 ? '' : text }).toEqual({
      path,
      status: 200,
      text: '',
    });
    return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  }

  async #call(method: string, path: string, body?: object): Promise<Response> {
    const headers = { authorization: `Bearer ${this.#token}` };
    const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
    return this.#service.fetch(new Request(BASE + path, init));
  }
}

/** Wraps a store so that every call first waits at the gate. */
function gated<Store extends object>(store: Store, gate: (call: string) => Promise<unknown>): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return async (...parameters: unknown[]) => {
        await gate(String(name));
        return (await Reflect.apply(member, target, parameters)) as unknown;
      };
    },
    ownKeys: (target) => Reflect.ownKeys(target),
    has: (target, name) => Reflect.has(target, name),
    // Spreading a store reads its members through `get`.
    getOwnPropertyDescriptor: (target, name) => Reflect.getOwnPropertyDescriptor(target, name),
  });
}
