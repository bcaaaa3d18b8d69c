/** Asks a history of files, in a process of its own: bench/history.ts starts it. */
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { homeAt } from '../src/agent/home/home.ts';
import { HistoryAnswers } from '../src/agent/operations/history/history-answers.ts';
import { Random } from '../test/helpers/random.ts';
import { SourceHistory } from './data-sets/restore-point-history.ts';
import { printTable } from './report/console-rows.ts';

interface Asked {
  readonly home: string;
  readonly device: string;
  readonly set: string;
  readonly root: string;
  readonly seed: number;
  readonly points: number;
  readonly files: number;
  /** Times that each question is asked. */
  readonly queries: number;
  readonly start: number;
  readonly interval: number;
}

const PAGE = 200;

const asked = JSON.parse(process.argv[2]!) as Asked;
const atStart = process.memoryUsage.rss();
const random = new Random(asked.seed);
const source = new SourceHistory(asked);
using answers = new HistoryAnswers(homeAt(asked.home));
const reference = { set: asked.set, device: asked.device };
const pathOf = (): string => join(asked.root, source.file(random.below(asked.files)).path);
const timeOf = (): number => asked.start + random.below(asked.points) * asked.interval + 1000;
const digits = (count: number): string => String(random.below(10 ** count)).padStart(count, '0');
const find = (pattern: string, filters: { readonly isDeletedOnly?: boolean } = {}): unknown =>
  answers.find({ ...reference, ...filters, pattern }, { count: PAGE });
const questions: Readonly<Record<string, () => unknown>> = {
  'a folder at any time': () => answers.folder(reference, { path: dirname(pathOf()), time: timeOf(), count: PAGE }),
  'the top folder at any time': () => answers.folder(reference, { path: asked.root, time: timeOf(), count: PAGE }),
  'versions of a file': () => answers.versions(reference, pathOf()),
  'changes of an hour': () => {
    const to = asked.start + (1 + random.below(asked.points - 1)) * asked.interval + 1000;
    return answers.changes(reference, { from: to - asked.interval, to, count: PAGE });
  },
  'search: a rare part of names': () => find(`e-${digits(7)}`),
  'search: three digits': () => find(digits(3)),
  'search: two digits': () => find(digits(2)),
  'search: a part of every name': () => find('file'),
  'search: nothing has it': () => find(`x${digits(5)}`),
  'search: two letters that nothing has': () => find('zq'),
  'search: a pattern': () => find(`*${digits(4)}.txt`),
  'search: a path': () => find(`folder-${digits(3)}*/file-*9.txt`),
  'search: deleted only': () => find('file', { isDeletedOnly: true }),
};
const rows = Object.entries(questions).map(([name, question]) => {
  const times: number[] = [];
  const cpuTimes: number[] = [];
  for (let count = 0; count < asked.queries; count += 1) {
    const cpu = process.cpuUsage();
    const began = performance.now();
    question();
    times.push(performance.now() - began);
    const { user, system } = process.cpuUsage(cpu);
    cpuTimes.push((user + system) / 1000);
  }
  const shares = [0.5, 0.99, 1].map((share) => at(times, share));
  return [name].concat(shares, at(cpuTimes, 0.5), at(cpuTimes, 0.99));
});
printTable(['', 'p50', 'p99', 'max', 'CPU p50', 'CPU p99'], rows);
console.log(
  `\nMemory of the process that asks: ${megabytes(process.memoryUsage.rss())}; of a process that only starts Node: ${megabytes(atStart)}.`,
);

function at(times: readonly number[], share: number): string {
  const sorted = times.toSorted((a, b) => a - b);
  return `${sorted[Math.floor((sorted.length - 1) * share)]!.toFixed(1)} ms`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
