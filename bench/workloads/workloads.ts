import { homeMix, largeHomeMix } from '../data-sets/home-mix.ts';
import { insert, insertedFile, undoInsert } from '../data-sets/inserted-file.ts';
import { editFiles, largeFiles, linkFiles } from '../data-sets/large-files.ts';
import { millionFiles, ONE_OF_MILLION } from '../data-sets/million-files.ts';
import { smallFiles } from '../data-sets/small-files.ts';
import { borg, borgLz4, borgZstd } from '../tools/borg.ts';
import { holdfast, holdfastDefault, holdfastMax } from '../tools/holdfast.ts';
import { holdfastHttp, holdfastLink, LINK } from '../tools/holdfast-service.ts';
import { restic, resticAuto, resticMax } from '../tools/restic.ts';
import type { Step, Workload } from './workload.ts';

const compared = { tools: [holdfast, restic, borg], baseline: 'restic' } as const;
const overHttp = { tools: [holdfast, holdfastHttp], baseline: 'holdfast' } as const;

const first = (id: string, title: string): Step => ({
  kind: 'backup',
  id,
  title: `first backup of ${title}`,
  needed: true,
});
const unchanged = (id: string, title: string): Step => ({ kind: 'backup', id, title: `nothing changed in ${title}` });
const restored = (id: string, title: string): Step => ({ kind: 'restore', id, title: `restore of ${title}` });

/** Workloads on the same data are adjacent, so that it is built once. */
export const WORKLOADS: readonly Workload[] = [
  {
    name: 'large',
    data: largeFiles,
    ...compared,
    steps: [
      first('large', '64 large files'),
      unchanged('unchanged-large', '64 large files'),
      restored('restore-large', '64 large files'),
      {
        kind: 'backup',
        id: 'edit',
        title: '1 % changed in each of 64 large files',
        change: { apply: editFiles, undo: editFiles },
      },
    ],
  },
  {
    name: 'http-large',
    data: largeFiles,
    ...overHttp,
    steps: [
      first('http-large', '64 large files'),
      unchanged('http-unchanged-large', '64 large files'),
      restored('http-restore-large', '64 large files'),
    ],
  },
  {
    name: 'small',
    data: smallFiles,
    ...compared,
    inMemory: true,
    steps: [
      first('small', 'small files'),
      unchanged('unchanged-small', 'small files'),
      restored('restore-small', 'small files'),
    ],
  },
  {
    name: 'http-small',
    data: smallFiles,
    ...overHttp,
    inMemory: true,
    steps: [
      first('http-small', 'small files'),
      unchanged('http-unchanged-small', 'small files'),
      restored('http-restore-small', 'small files'),
    ],
  },
  {
    name: 'compression',
    data: homeMix,
    tools: [holdfast, holdfastDefault, holdfastMax, resticAuto, resticMax, borgLz4, borgZstd],
    baseline: 'restic-auto',
    inMemory: true,
    steps: [first('compression', 'a home with compression'), restored('restore-compressed', 'a home with compression')],
  },
  {
    name: 'large-home',
    data: largeHomeMix,
    tools: [holdfastDefault, resticAuto],
    baseline: 'restic-auto',
    inMemory: true,
    steps: [
      first('large-home', 'a larger home with compression'),
      restored('restore-large-home', 'a larger home with compression'),
    ],
  },
  {
    name: 'insert',
    data: insertedFile,
    ...compared,
    steps: [
      first('insert-first', 'one huge file'),
      { kind: 'backup', id: 'insert', title: '1 KiB put in front of it', change: { apply: insert, undo: undoInsert } },
    ],
  },
  {
    name: 'million',
    data: millionFiles,
    ...compared,
    steps: [
      first('million', 'tiny files'),
      unchanged('unchanged-million', 'tiny files'),
      { kind: 'list', id: 'browse-root', title: 'the top folder listed', folder: '' },
      { kind: 'list', id: 'browse-folder', title: 'a folder of a thousand listed', folder: ONE_OF_MILLION },
      restored('restore-million', 'tiny files'),
    ],
  },
  {
    name: 'latency',
    data: linkFiles,
    tools: [holdfastLink],
    linkBytesPerSecond: LINK.bytesPerSecond,
    steps: [first('latency', 'files over 40 ms and 100 Mbit/s')],
  },
];

/** The available names and their steps. */
export const NAMES: Readonly<Record<string, readonly string[]>> = {
  large: ['large'],
  small: ['small'],
  edit: ['edit'],
  insert: ['insert'],
  unchanged: ['unchanged-large', 'unchanged-small'],
  'unchanged-small': ['unchanged-small'],
  'restore-large': ['restore-large'],
  'restore-small': ['restore-small'],
  million: ['million', 'unchanged-million', 'browse-root', 'browse-folder', 'restore-million'],
  http: stepsOf('http-large', 'http-small'),
  latency: ['latency'],
  compression: ['compression', 'restore-compressed'],
  'large-home': ['large-home', 'restore-large-home'],
};

function stepsOf(...workloads: readonly string[]): readonly string[] {
  return WORKLOADS.filter(({ name }) => workloads.includes(name)).flatMap(({ steps }) => steps.map(({ id }) => id));
}
