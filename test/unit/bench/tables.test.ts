import { expect, test } from 'vitest';
import { consoleTable } from '../../../bench/report/console-table.ts';
import { markdownTable, replaceTable } from '../../../bench/report/markdown-table.ts';
import type { Measurement, Results, Sample } from '../../../bench/report/results.ts';

const sample = (seconds: number): Sample => ({
  seconds,
  cpuSeconds: 2 * seconds,
  peakBytes: 250e6,
  storedBytes: 4.3e9,
});

const large: Measurement = {
  id: 'large',
  title: 'first backup of 64 large files',
  files: 64,
  bytes: 4_294_967_296,
  baseline: 'restic',
  programs: [
    { name: 'holdfast', label: 'Holdfast', samples: [sample(6), sample(99), sample(5)] },
    { name: 'restic', label: 'restic', samples: [sample(13), sample(12), sample(14)] },
  ],
};

const latency: Measurement = {
  id: 'latency',
  title: 'files over a link',
  files: 40,
  bytes: 400e6,
  linkBytesPerSecond: 12_500_000,
  programs: [
    {
      name: 'holdfast-link',
      label: 'Holdfast over the link',
      samples: [{ ...sample(40), linkBusyRate: 12e6, service: { cpuSeconds: 1.5, peakBytes: 100e6 } }],
    },
  ],
};

const machine = { processor: 'Some CPU', cores: 2, memoryBytes: 24e9, kernel: '6.1', fileSystem: 'ext2/ext3' };

function results(commit: string, measurements: readonly Measurement[]): Results {
  const versions = { restic: 'restic 0.14.0', node: 'v24.0.0' };
  return {
    startedAt: '2026-11-21T10:00:00.000Z',
    commit,
    changed: false,
    scale: 1,
    rounds: 3,
    machine,
    versions,
    measurements,
  };
}

function cellsOf(line: string | undefined): readonly string[] {
  return (line ?? '')
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

test('shows medians, and the speed relative to the baseline', () => {
  const lines = consoleTable([large]).split('\n');
  expect(lines[0]).toBe('large: first backup of 64 large files (64 files, 4.3 GB)');
  expect(lines[2]?.trim().split(/\s{2,}/)).toEqual([
    'Holdfast',
    '6.00 s',
    '12.0 s',
    '250 MB',
    '4.3 GB',
    '2.17 ×',
    '2.17 ×',
  ]);
  expect(lines[3]?.trim().split(/\s{2,}/)).toEqual([
    'restic',
    '13.0 s',
    '26.0 s',
    '250 MB',
    '4.3 GB',
    '1.00 ×',
    '1.00 ×',
  ]);
});

test('shows a service in another process separately, and the utilisation of a link', () => {
  const line = consoleTable([latency]).split('\n')[2];
  expect(line?.trim().split(/\s{2,}/)).toEqual([
    'Holdfast over the link',
    '40.0 s',
    '80.0 s + 1.50 s',
    '250 MB + 100 MB',
    '4.3 GB',
    'link 80 % (96 %)',
    '–',
  ]);
});

test('includes the CPU time of a service in another process in the ratio', () => {
  const overHttp = {
    ...large,
    baseline: 'holdfast',
    programs: [
      { name: 'holdfast', label: 'Holdfast', samples: [sample(5)] },
      {
        name: 'holdfast-http',
        label: 'Holdfast over HTTP',
        samples: [{ ...sample(4), service: { cpuSeconds: 2, peakBytes: 100e6 } }],
      },
    ],
  } as const;
  expect(consoleTable([overHttp]).split('\n')[3]).toMatch(/ 1\.25 × +1\.00 ×$/);
});

test('shows no ratio without a run of the baseline', () => {
  const alone = { ...large, programs: large.programs.slice(0, 1) };
  expect(consoleTable([alone]).split('\n')[2]).toMatch(/–$/);
});

test('shows the newest result of each kind and its machine in the document', () => {
  const slower = { ...large, programs: [{ ...large.programs[0]!, samples: [sample(9)] }] };
  const runs = [results('aaa', [slower, latency]), results('bbb', [large])];
  const lines = markdownTable(runs, ['large', 'unchanged-large', 'latency']).split('\n');
  expect(lines.filter((line) => line.startsWith('|')).map((line) => cellsOf(line).slice(0, 3))).toEqual([
    ['Work', 'Program', 'wall'],
    ['---', '---', '---:'],
    ['large: first backup of 64 large files (64 files, 4.3 GB)', 'Holdfast', '6.00 s'],
    ['', 'restic', '13.0 s'],
    ['latency: files over a link (40 files, 400 MB)', 'Holdfast over the link', '40.0 s'],
  ]);
  expect(lines.slice(-2)).toEqual([
    '- latency: 2026-11-21, commit aaa; Some CPU, 2 cores, 24.0 GB, Linux 6.1, ext2/ext3; restic 0.14.0, v24.0.0; medians of 3',
    '- large: 2026-11-21, commit bbb; Some CPU, 2 cores, 24.0 GB, Linux 6.1, ext2/ext3; restic 0.14.0, v24.0.0; medians of 3',
  ]);
});

test('replaces only the previous table', () => {
  const document = 'a\n<!-- results: written by bench/table.ts -->\nold\n<!-- end of results -->\nb\n';
  const once = replaceTable(document, 'new');
  expect(once).toBe('a\n<!-- results: written by bench/table.ts -->\nnew\n<!-- end of results -->\nb\n');
  expect(replaceTable(once, 'new')).toBe(once);
  expect(() => replaceTable('nothing here', 'new')).toThrow('has no lines');
});
