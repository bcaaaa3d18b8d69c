import type { Estimate, LocalEntry } from '../../../src/ipc/contract/sets.ts';
import type { SetForm } from '../../../src/model/set.ts';
import type { AppState, SetState } from '../../../src/ipc/state.ts';
import { DOCUMENTS, NOW, PROTECTED, RUNNING } from './states.ts';
import type { Answers } from './window-page.ts';

const HOME = '/home/anna';
const HOUR = 3_600_000;

export const FORM: SetForm = {
  name: 'Documents',
  roots: [`${HOME}/Documents`],
  excludes: ['*.iso', '/Archive/'],
  presets: ['linux', 'developer'],
  oneFileSystem: true,
  privateNames: false,
  schedule: 'hourly',
  conditions: { batteryAtLeast: 30 },
  limits: {},
  verification: { everyDays: 30, samplePercent: 5 },
  pings: { success: 'https://hc-ping.com/0b1c' },
};

export const PRESETS = [
  { name: 'linux', patterns: ['~/.cache/', '~/.local/share/Trash/', 'lost+found/ (EACCES)'], isDefault: true },
  { name: 'browsers', patterns: ['~/.cache/chromium/', '~/.mozilla/firefox/*/cache2/'], isDefault: true },
  { name: 'developer', patterns: ['node_modules/ (package.json)', '__pycache__/', '*.pyc (*.py)'], isDefault: false },
];

/** Folders on this computer, by path; a number is a file's size. */
const DISK: Readonly<Record<string, Readonly<Record<string, number | 'folder'>>>> = {
  '/': { etc: 'folder', home: 'folder', srv: 'folder' },
  [HOME]: {
    '.cache': 'folder',
    '.config': 'folder',
    Documents: 'folder',
    Music: 'folder',
    Pictures: 'folder',
    projects: 'folder',
    'todo.txt': 812,
  },
  [`${HOME}/Documents`]: { Archive: 'folder', Invoices: 'folder', Thesis: 'folder', 'tax return.pdf': 1_204_511 },
  [`${HOME}/Documents/Invoices`]: {},
  [`${HOME}/Pictures`]: Object.fromEntries(
    Array.from({ length: 5_000 }, (_, index) => [`IMG_${String(index).padStart(4, '0')}.jpg`, 3_400_000 + index]),
  ),
};

function entriesOf(folder: string): LocalEntry[] {
  return Object.entries(DISK[folder] ?? {}).map(([name, what]) => ({
    path: folder === '/' ? `/${name}` : `${folder}/${name}`,
    name,
    kind: what === 'folder' ? 'folder' : 'file',
    bytes: what === 'folder' ? undefined : what,
    isHidden: name.startsWith('.'),
    isReadable: name !== 'etc',
    presets: name === '.cache' ? ['linux'] : undefined,
  }));
}

const TOP: LocalEntry[] = [
  { path: HOME, name: 'anna', kind: 'folder', isHidden: false, isReadable: true },
  { path: '/', name: '/', kind: 'folder', isHidden: false, isReadable: true },
];

/** Figures that depend on the request, so that tests can check it. */
export function estimateOf(input: {
  roots: readonly string[];
  excludes: readonly string[];
  presets: readonly string[];
}): Estimate {
  return {
    done: true,
    files: 1_000 * input.roots.length,
    bytes: 2_500_000_000 * input.roots.length,
    rules: [
      ...input.presets.map((name, index) => ({
        rule: `preset:${name}`,
        files: 40 + index,
        bytes: 310_000_000,
        examples: [`${HOME}/Documents/app/node_modules`, `${HOME}/Documents/.cache`],
      })),
      ...input.excludes
        .filter((pattern) => pattern.startsWith('*'))
        .map((rule) => ({ rule, files: 2, bytes: 4_700_000_000, examples: [`${HOME}/Documents/debian.iso`] })),
    ],
    unreadable: [],
  };
}

/** Answers of an agent with the disk above; `more` overrides them. */
export function setsAnswers(more: Answers = {}): Answers {
  return {
    'sets.presets': () => ({ presets: PRESETS }),
    'sets.suggestions': () => ({
      folders: [
        { path: `${HOME}/Documents`, kind: 'documents' },
        { path: `${HOME}/Pictures`, kind: 'pictures' },
        { path: `${HOME}/projects`, kind: 'projects' },
      ],
    }),
    'sets.folder': ({ path }) => ({
      entries: path === undefined ? TOP : entriesOf(path),
      isTruncated: path === `${HOME}/Pictures`,
    }),
    'sets.left-out': () => ({ folders: [{ path: `${HOME}/.cache`, presets: ['linux'] }] }),
    'sets.estimate': (input) => estimateOf(input),
    'sets.estimate.stop': () => ({}),
    'sets.get': ({ set }) => ({ form: { ...FORM, name: set }, command: `holdfast set add ${set}` }),
    'sets.hooks': () => ({
      commands: { before: { line: 'pg_dump -Fc app' }, after: { line: '["/bin/true"]', timeoutSeconds: 30 } },
      results: {
        before: { startedAt: NOW - HOUR, seconds: 3, end: 'exited', exitCode: 7, output: 'no such database\n' },
        success: { at: NOW - HOUR, isDelivered: true, attempts: 1, status: 200 },
        fail: { at: NOW - 2 * HOUR, isDelivered: false, attempts: 3 },
      },
    }),
    'sets.command': ({ form, policy }) => ({
      command: `holdfast set add '${form.name}' ${form.roots.join(' ')} --schedule '${form.schedule}'`,
      ...(policy ? { retention: `holdfast retention set --daily ${policy.daily} '${form.name}'` } : {}),
    }),
    'sets.add': () => ({ passedOver: [] }),
    'sets.save': () => ({ passedOver: [] }),
    'sets.remove': () => ({}),
    'sets.retention': () => ({ policy: { keepAllDays: 7, daily: 30, monthly: 12 } }),
    'sets.retention.save': () => ({}),
    'sets.retention.preview': () => ({
      kept: 38,
      dropped: Array.from({ length: 12 }, (_, index) => {
        const at = new Date(NOW - (40 + index) * 24 * HOUR).toISOString();
        // As after a clock that was ahead.
        return { restorePoint: at.replace('20', '21'), madeAt: at };
      }),
      freedBytes: 3_100_000_000,
      freedAt: new Date(NOW + 24 * HOUR).toISOString(),
    }),
    'runs.backup': () => ({ run: 31 }),
    'runs.verify': () => ({ run: 32 }),
    'runs.stop': () => ({}),
    'shell.choose-folder': () => ({ path: '/srv/data' }),
    'shell.copy': () => ({}),
    ...more,
  };
}

const PHOTOS: SetState = {
  name: 'Photos',
  roots: [`${HOME}/Pictures`, '/media/anna/Camera/DCIM', `${HOME}/Videos`, `${HOME}/projects/book/figures`],
  schedule: 'on change after 10 minutes',
  decision: { kind: 'waiting', since: NOW - HOUR, reason: { kind: 'battery', percent: 31, atLeast: 50 } },
  lastBackup: {
    id: 11,
    kind: 'backup',
    outcome: 'interrupted',
    startedAt: NOW - 3 * HOUR,
    endedAt: NOW - 2 * HOUR,
    warnings: 0,
  },
  lastPoint: { at: NOW - 50 * HOUR, files: 41_020, bytes: 318_000_000_000 },
  isResumable: true,
};

const NEW_SET: SetState = {
  name: 'Projects',
  roots: [`${HOME}/projects`],
  schedule: 'manual',
  decision: { kind: 'manual' },
  isResumable: false,
};

/** Three sets: one backed up, one that waits, one never backed up. */
export const THREE: AppState = { ...PROTECTED, sets: [DOCUMENTS, PHOTOS, NEW_SET] };

/** The same sets while the first one runs. */
export const THREE_RUNNING: AppState = {
  ...THREE,
  health: 'running',
  sets: [{ ...DOCUMENTS, decision: { kind: 'running', since: NOW - 95_000, trigger: 'schedule' } }, PHOTOS, NEW_SET],
  runs: [RUNNING],
};
