import { existsSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { historyHandlers } from '../../../../../src/agent/host/history/history-handlers.ts';
import { HistoryFill, type HistoryFillParts } from '../../../../../src/agent/host/history/history-fill.ts';
import type { RunListener } from '../../../../../src/agent/host/runs/run-queue.ts';
import type { EndedRun } from '../../../../../src/agent/host/runs/run-request.ts';
import type { Call } from '../../../../../src/base/calls/contract.ts';
import { historyMethods } from '../../../../../src/ipc/contract/restore/history.ts';
import { HandlerFixture } from '../../../../unit/agent/host/handler-fixture.ts';
import { keepThreads } from '../../../../helpers/kept-threads.ts';

keepThreads();

let fixture: HandlerFixture;
let ask: Call<typeof historyMethods>;
let points: string[];

beforeEach(async () => {
  fixture = new HandlerFixture();
  ask = fixture.ask(historyMethods, historyHandlers(fixture.host()));
  const { agent } = fixture;
  await agent.setup({ destination: { kind: 'folder', directory: fixture.path('destination') } });
  fixture.write('source/letter.odt', 'one');
  fixture.write('source/gone.txt', 'x');
  await agent.addSet({
    form: {
      name: 'documents',
      roots: [fixture.path('source')],
      excludes: ['!*'],
      oneFileSystem: false,
      privateNames: false,
    },
  });
  points = [];
  await backUp();
  rmSync(fixture.path('source/gone.txt'));
  fixture.write('source/letter.odt', 'two, longer');
  await backUp();
});
afterEach(() => fixture.close());

async function backUp(): Promise<void> {
  points.push((await fixture.agent.backup({ set: 'documents' }, {})).restorePoint!);
}

describe('questions about the history', () => {
  test('find files with their versions', async () => {
    const { matches, next, completeness } = await ask('history.find', { pattern: 'letter', count: 10 });
    expect(next).toBeUndefined();
    expect(completeness).toMatchObject({ known: 2, total: 2, damaged: [] });
    expect(matches).toMatchObject([
      {
        path: fixture.path('source/letter.odt'),
        set: 'documents',
        spans: [{ from: points[0], to: points[1] }],
        versions: [
          { from: points[0], to: points[0], size: 3 },
          { from: points[1], to: points[1], size: 11 },
        ],
        isDeleted: false,
      },
    ]);
    const deleted = await ask('history.find', { set: 'documents', pattern: '', isDeletedOnly: true, count: 10 });
    expect(deleted.matches.map(({ path }) => path)).toEqual([fixture.path('source/gone.txt')]);
    expect((await ask('history.find', { set: 'others', pattern: '', count: 10 })).matches).toEqual([]);
    expect((await ask('history.find', { destination: 'ffffffff', pattern: '', count: 10 })).matches).toEqual([]);
    expect((await ask('history.find', { device: 'another', pattern: '', count: 10 })).matches).toEqual([]);
  });

  test('list what a run changed by folders, with counts and sizes', async () => {
    const at = { set: 'documents', first: 0, count: 10 };
    const top = await ask('history.changed-folder', { ...at, to: points[1]!, folder: '' });
    const sums = { added: 0, changed: 1, removed: 1, bytesBefore: 4, bytesAfter: 11 };
    expect(top).toMatchObject({ from: points[0], to: points[1], total: 1, sums, isCut: false });
    const source = fixture.path('source');
    expect(top.entries).toEqual([{ path: source, name: source, isFolder: true, state: 'within', sums }]);
    const below = await ask('history.changed-folder', { ...at, to: points[1]!, folder: source });
    expect(below.entries.map(({ name, state }) => [name, state])).toEqual([
      ['gone.txt', 'removed'],
      ['letter.odt', 'changed'],
    ]);
    const second = await ask('history.changed-folder', { ...at, to: points[1]!, folder: source, first: 1 });
    expect(second.entries.map(({ name }) => name)).toEqual(['letter.odt']);
    const first = await ask('history.changed-folder', { ...at, to: points[0]!, folder: '' });
    expect(first).toMatchObject({ to: points[0], total: 0 });
    expect(first.from).toBeUndefined();
    await expect(ask('history.changed-folder', { ...at, to: '2001-01-01', folder: '' })).rejects.toMatchObject({
      code: 'no_restore_point',
    });
  });

  test('list versions, a folder at a time, and changes', async () => {
    const path = fixture.path('source/letter.odt');
    const { versions } = await ask('history.versions', { set: 'documents', path });
    expect(versions.map(({ size }) => size)).toEqual([3, 11]);
    const folder = { set: 'documents', path: fixture.path('source'), count: 10 };
    const first = await ask('history.folder', { ...folder, time: points[0]! });
    expect(first).toMatchObject({ restorePoint: points[0], entries: [{ size: 1 }, { path, size: 3 }] });
    const latest = await ask('history.folder', { ...folder, time: 'latest' });
    expect(latest).toMatchObject({ restorePoint: points[1], entries: [{ path, size: 11 }] });
    const { changes, from, to } = await ask('history.changes', { set: 'documents', to: 'latest', count: 10 });
    expect([from, to]).toEqual(points);
    expect(changes).toMatchObject([
      { path: fixture.path('source') },
      { path: fixture.path('source/gone.txt') },
      { path },
    ]);
    await expect(ask('history.folder', { ...folder, time: '2001-01-01' })).rejects.toMatchObject({
      code: 'no_restore_point',
    });
  });

  test('are answered without a history', async () => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(fixture.home.historyFile + suffix, { force: true });
    const { matches, completeness } = await ask('history.find', { pattern: 'letter', count: 10 });
    expect({ matches, completeness }).toEqual({
      matches: [],
      completeness: { known: 0, total: 0, isListed: false, damaged: [] },
    });
    expect(existsSync(fixture.home.historyFile)).toBe(false);
  });
});

/** What filling goes by: runs that begin and end, and destinations that come back. */
class Surroundings {
  busySet: string | undefined;
  readonly listeners: RunListener[] = [];
  readonly found: ((id: string) => void)[] = [];
  readonly settings = { loadIfIntact: () => fixture.agent.settings() };
  readonly runs: HistoryFillParts['runs'];
  readonly destination = { onFound: (listener: (id: string) => void) => void this.found.push(listener) };

  constructor() {
    const busySet = (): string | undefined => this.busySet;
    this.runs = {
      get busySet() {
        return busySet();
      },
      subscribe: (listener) => void this.listeners.push(listener),
    };
  }
}

describe('filling in the background', () => {
  test('adds what the destination has', async () => {
    rmSync(fixture.home.historyFile);
    const { home, environment } = fixture.parts;
    const ended = Promise.withResolvers<number>();
    const timers = {
      after: (milliseconds: number) => {
        ended.resolve(milliseconds);
        return () => undefined;
      },
    };
    const { settings, runs, destination } = new Surroundings();
    const fill = new HistoryFill({ home, environment, timers, settings, runs, destination });
    fill.begin();
    expect(await ended.promise).toBe(6 * 3_600_000);
    await fill.close();
    const { matches, completeness } = await ask('history.find', { pattern: '', count: 10 });
    expect(matches.length).toBe(3);
    expect(completeness).toEqual({ known: 2, total: 2, isListed: true, damaged: [] });
  });

  test('stops before a run, and begins again only when it may', async () => {
    const { home, environment } = fixture.parts;
    const due: (() => void)[] = [];
    const timers = {
      after: (_milliseconds: number, run: () => void) => {
        due.push(run);
        return () => void due.splice(due.indexOf(run), 1);
      },
    };
    let began = 0;
    const host = new Surroundings();
    const fill = new HistoryFill({
      home,
      environment,
      timers,
      settings: host.settings,
      runs: host.runs,
      destination: host.destination,
      fill: (signal) => {
        began += 1;
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('stopped')));
        });
      },
    });
    fill.begin();
    fill.begin();
    expect(began).toBe(1);
    const [run] = host.listeners;
    await run!.prepare!();
    expect(due).toEqual([]);
    host.busySet = 'documents';
    fill.wake();
    due[0]!();
    expect(began).toBe(1);
    host.busySet = undefined;
    run!.ended!({} as EndedRun);
    due.at(-1)!();
    expect(began).toBe(2);
    await fill.stop();
    host.found[0]!('disk');
    due.at(-1)!();
    expect(began).toBe(3);
    await fill.close();
    fill.wake();
    fill.begin();
    expect(began).toBe(3);
  });
});
