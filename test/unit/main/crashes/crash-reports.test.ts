import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { HoldfastError } from '../../../../src/base/errors/errors.ts';
import { crashReport } from '../../../../src/ipc/contract/crashes.ts';
import { AgentErrors } from '../../../../src/main/crashes/agent-errors.ts';
import { CrashReports, type Crash } from '../../../../src/main/crashes/crash-reports.ts';
import { redactedLines } from '../../../../src/main/crashes/redacted-error.ts';

/** The checkout. */
const PROGRAM = join(import.meta.dirname, '../../../..');
/** A program with any file and any word. */
const ANY = { has: () => true, mentions: () => true };

let folder: string;
let now = 0;
let reports: CrashReports;

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'holdfast-crashes-')), 'crash-reports');
  now = Date.UTC(2026, 10, 23, 12);
  reports = new CrashReports({ folder, program: PROGRAM, version: '0.1.0', now: () => now });
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

/** Things of a person that must not be in any report. */
const CANARIES = [
  'Divorce papers',
  'canary-phrase',
  'anna',
  'AKIACANARY',
  'backup.example.org',
  'My photos',
  'hunter2',
  'Annabel',
  'Bücher',
  '10.11.12.13',
];

/** What the agent and Electron write when something fails. */
const OUTPUTS: readonly (readonly [what: string, output: string])[] = [
  [
    'a missing file',
    `Error: ENOENT: no such file, open '/home/anna/Divorce papers.odt'\n    at openSync (node:fs:561:3)`,
  ],
  [
    'an error with properties',
    inspect(Object.assign(new Error('AKIACANARY'), { code: 'EACCES', path: '/home/anna/Bücher', key: 'hunter2' })),
  ],
  ['an error of ours', inspect(new HoldfastError('set_unknown', { set: 'My photos', known: ['Divorce papers'] }))],
  [
    'an error with a cause',
    inspect(new Error('canary-phrase', { cause: new TypeError('https://backup.example.org/hunter2') })),
  ],
  ['several errors', inspect(new AggregateError([new Error('anna'), new RangeError('10.11.12.13')], 'My photos'))],
  [
    'frames in folders of a person',
    [
      'TypeError: x',
      '    at run (/home/anna/src/My photos/hunter2.js:1:2)',
      '    at eval (file:///home/anna/dist/AKIACANARY.txt:3:4)',
      '    at canary-phrase (<anonymous>)',
    ].join('\n'),
  ],
  [
    'a message of several lines',
    'Error: first\nDivorce papers: canary-phrase\nanna\n  hunter2Error: My photos\n    at x (src/a.ts:1:1)',
  ],
  [
    'a message with lines that look like a stack',
    [
      'Error: a name of three lines',
      'TypeError: anna is not a function',
      "code: 'AKIACANARY',",
      '    at Annabel (/home/anna/src/main/main.ts:1:1)',
      '    at hunter2 (/home/anna/src/hunter2/plan.ts:1:1)',
      '    at anna (node:hunter2/x:1:1)',
      'TypeError: hunter2 is not a function',
      '    at x (src/main/main.ts:1:1)',
      "  code: 'AKIACANARY',",
      '    at Annabel (src/../../anna/src/main.ts:1:1)',
    ].join('\n'),
  ],
  ['a code of somebody else', 'Error [AKIACANARY]: x'],
  ['a name that looks like a class', 'Divorce: anna\nAnnabelError: hunter2\nAnnabel\nhunter2'],
];

describe('a report', () => {
  test.each(OUTPUTS)('of %s contains nothing of a person', (_what, output) => {
    reports.add({ part: 'agent', reason: 'My photos/hunter2', output });
    const [report] = reports.list();
    for (const canary of CANARIES) expect(report!.text).not.toContain(canary);
    expect(report!.text).toContain('agent, unknown');
  });

  test('says which error it was, and where', () => {
    const output = [
      `TypeError: Cannot read properties of undefined (reading 'map')`,
      '    at Scanner.step (/opt/My photos/holdfast/src/archive/scan/scanner.ts:120:7)',
      String.raw`    at async C:\Users\anna\holdfast\dist\3f2a\agent-host.cjs:1:22042`,
      '    at new Promise (<anonymous>)',
      '    at request (file:///home/anna/app/node_modules/@scope/undici/lib/api.js:9:1)',
      '    at process.processTicksAndRejections (node:internal/process/task_queues:105:5) {',
      `  code: 'ECONNRESET',`,
      '}',
    ].join('\n');
    expect(redactedLines(output, ANY)).toEqual([
      `TypeError Cannot read properties of undefined (reading 'map')`,
      '  at Scanner.step src/archive/scan/scanner.ts:120:7',
      '  at async dist/3f2a/agent-host.cjs:1:22042',
      '  at request node_modules/@scope/undici/lib/api.js:9:1',
      '  at node:internal',
      '  code ECONNRESET',
    ]);
    expect(redactedLines(`Error [ERR_X]: open '/home/anna'`, ANY)).toEqual(['Error [ERR_X] (message left out)']);
  });

  test('names files and functions of the program, and words of the engine that it contains', () => {
    const output = [
      `TypeError: Cannot read properties of undefined (reading 'redactedLines')`,
      `    at redactedLines (file://${PROGRAM}/src/main/crashes/redacted-error.ts:42:1)`,
      `    at Foreign.made (file://${PROGRAM}/src/main/crashes/redacted-error.ts:42:1)`,
      `    at gone (file://${PROGRAM}/src/main/crashes/never-there.ts:42:1)`,
    ].join('\n');
    reports.add({ part: 'program', reason: 'uncaught', output });
    expect(reports.list()[0]!.text.split('\n').slice(4, -1)).toEqual([
      `TypeError Cannot read properties of undefined (reading 'redactedLines')`,
      '  at redactedLines src/main/crashes/redacted-error.ts:42:1',
      '  at src/main/crashes/redacted-error.ts:42:1',
      '  at (elsewhere)',
    ]);
  });

  test('is bounded in size and in number, the newest first', () => {
    const endless = Array.from({ length: 5_000 }, (_, line) => `    at main (src/main/main.ts:${line}:1)`).join('\n');
    for (let count = 0; count < 30; count += 1) {
      now += 3_600_000;
      reports.add({ part: 'window', reason: 'crashed', exitCode: count, output: endless });
    }
    const kept = reports.list();
    expect(kept).toHaveLength(20);
    expect(kept[0]!.text).toContain('window, crashed, exit code 29');
    expect(kept.at(-1)!.text).toContain('exit code 10');
    expect(Math.max(...kept.map(({ text }) => text.length))).toBeLessThanOrEqual(16 * 1024 + 1);
    expect(readdirSync(folder)).toHaveLength(20);
  });

  test('is not made more than five times an hour of the same part', () => {
    for (let count = 0; count < 50; count += 1) reports.add({ part: 'agent', reason: 'ended' });
    reports.add({ part: 'window', reason: 'oom' });
    expect(reports.list()).toHaveLength(6);
  });

  test('is deleted by its id, which is no path', () => {
    reports.add({ part: 'agent', reason: 'ended' });
    const [report] = reports.list();
    expect(crashReport.shape.id.safeParse('../settings').success).toBe(false);
    reports.delete(report!.id);
    expect(reports.list()).toEqual([]);
  });

  test('that is damaged or foreign is left out', () => {
    reports.add({ part: 'agent', reason: 'ended' });
    writeFileSync(join(folder, '1795435200000-00000000.json'), '{"id":');
    const other = { id: '1795435200000-00000002', at: 1, part: 'agent', text: '' };
    writeFileSync(join(folder, '1795435200000-00000001.json'), JSON.stringify(other));
    writeFileSync(join(folder, 'notes.txt'), '');
    expect(reports.list()).toHaveLength(1);
  });

  test('that cannot be written fails nothing', () => {
    const file = join(folder, '..', 'file');
    writeFileSync(file, '');
    const there = new CrashReports({ folder: join(file, 'x'), program: PROGRAM, version: '1', now: Date.now });
    there.add({ part: 'agent', reason: 'ended' });
    expect(there.list()).toEqual([]);
  });
});

describe('the errors of the agent', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('become one report each, with the lines that arrive after its end', () => {
    const made: Crash[] = [];
    const errors = new AgentErrors((crash) => made.push(crash));
    errors.wrote('TypeError: x\n');
    errors.ended(139);
    errors.wrote('    at f (src/a.ts:1:1)\n');
    vi.runAllTimers();
    const output = 'TypeError: x\n    at f (src/a.ts:1:1)\n';
    expect(made).toEqual([{ part: 'agent', reason: 'ended', exitCode: 139, output }]);
    errors.wrote('Error: y\n    at g (src/b.ts:1:1)\n');
    vi.runAllTimers();
    expect(made[1]).toMatchObject({ reason: 'error', output: expect.stringMatching(/^Error: y/) });
    errors.wrote('a warning of a library\n');
    vi.runAllTimers();
    expect(made).toHaveLength(2);
  });
});
