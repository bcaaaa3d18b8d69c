/**
 * Runs test files of the repository in one process, in Node for Windows:
 *
 *     node worker.ts LIST RESULTS [TESTS]
 *
 * LIST has one path per line, relative to the checkout, and TESTS is a regular expression for their names. RESULTS gets one line of JSON
 * when a file starts, one when a test starts, and one with its tests when it has ended. The process that starts this one reads it: it
 * names the file and the test in which a worker hangs or dies.
 *
 * Vitest itself starts a server, a pool of processes and a file watcher around the files. Under Wine that does not end: the pool
 * waits for messages that its workers have sent. What is needed here are its collector and its assertions.
 */
import { appendFileSync, readFileSync, readdirSync } from 'node:fs';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import util, { stripVTControlCharacters } from 'node:util';
import type { TestResult, WorkerLine } from './results.ts';

interface Task {
  readonly type: 'suite' | 'test';
  readonly name: string;
  readonly mode: string;
  readonly suite?: Task;
  readonly tasks?: readonly Task[];
  readonly result?: { readonly state: string; readonly errors?: readonly Problem[] };
}

interface Problem {
  readonly message?: string;
  readonly stack?: string;
  readonly diff?: string;
}

interface Runner {
  importFile(file: string): Promise<unknown>;
  /** Runs the last argument; the others describe it for a trace. */
  trace(...parts: readonly unknown[]): unknown;
  onBeforeRunTask(test: Task): Promise<void>;
}

type StartTests = (files: readonly string[], runner: Runner) => Promise<readonly Task[]>;

const root = dirname(dirname(import.meta.dirname));
const [list, results, pattern] = process.argv.slice(2) as [string, string, string?];

/** What test files import in place of modules of Node; the program itself gets those of Node. */
const FOR_TESTS: Readonly<Record<string, string>> = {
  'node:path': new URL('slashed-path.ts', import.meta.url).href,
  'node:os': new URL('slashed-os.ts', import.meta.url).href,
  'node:fs': new URL('slashed-fs.ts', import.meta.url).href,
};
const tests = new URL('../../test/', import.meta.url).href;
/** Replaces functions of the module that the program has: those of a copy would make no difference. */
const REPLACING = new URL('helpers/replaced-fs.ts', tests).href;
registerHooks({
  resolve(specifier, context, nextResolve) {
    const { parentURL } = context;
    const isTest = parentURL?.startsWith(tests) === true && parentURL !== REPLACING;
    const replacement = isTest ? FOR_TESTS[specifier] : undefined;
    return replacement === undefined ? nextResolve(specifier, context) : { url: replacement, shortCircuit: true };
  },
});

/** What vitest passes to a worker, as far as it is read while files run. */
const config = {
  root,
  name: 'windows',
  isolate: false,
  allowOnly: false,
  passWithNoTests: true,
  testTimeout: 300_000,
  hookTimeout: 300_000,
  retry: 0,
  repeats: 0,
  maxConcurrency: 5,
  ...(pattern === undefined ? {} : { testNamePattern: new RegExp(pattern) }),
  strictTags: false,
  tags: [],
  sequence: { shuffle: false, concurrent: false, hooks: 'stack', seed: 1 },
  expect: { poll: { timeout: 60_000 } },
  fakeTimers: {
    loopLimit: 10_000,
    shouldClearNativeTimers: true,
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate', 'Date'],
  },
  snapshotOptions: { updateSnapshot: 'none', expand: false } as Record<string, unknown>,
  experimental: { viteModuleRunner: false, importDurations: { limit: 0 }, traceTimeline: false },
  benchmark: {},
};
Object.defineProperty(globalThis, '__vitest_worker__', {
  value: {
    config,
    ctx: { pool: 'forks', projectName: 'windows' },
    environment: { name: 'node', viteEnvironment: 'ssr' },
    metaEnv: process.env,
    providedContext: {},
    durations: { environment: 0, prepare: 0, fetch: 0 },
    rpc: new Proxy({}, { get: () => () => Promise.resolve() }),
    onCancel: () => () => undefined,
    onCleanup: () => undefined,
  },
});
Object.defineProperty(globalThis, '__vitest_required__', {
  value: { util, timers, timersPromises, syncBuiltinESMExports },
});

const { expect, TestRunner, vi } = await import('vitest');
const { VitestSnapshotEnvironment } = await import('vitest/runtime');
config.snapshotOptions['snapshotEnvironment'] = new VitestSnapshotEnvironment();
// The program states paths as Windows does, and the tests make theirs with slashes.
expect.addEqualityTesters([
  (one, other) => (isAbsolute(one) && isAbsolute(other) ? slashed(one) === slashed(other) : undefined),
]);
// Tests that replace timers must not replace those of the limits of time.
((await partOf(/^source-map\..*\.js$/, 'setSafeTimers')) as () => void)();
const startTests = (await partOf(/^run\..*\.js$/, 'startTests')) as StartTests;
const runner = new TestRunner(config as never) as unknown as Runner;
runner.importFile = async (file) => (await import(pathToFileURL(file).href)) as unknown;
runner.trace = (...parts) => (parts.at(-1) as () => unknown)();
const beforeTest = runner.onBeforeRunTask.bind(runner);
runner.onBeforeRunTask = async (test) => {
  write({ kind: 'running', test: nameOf(test) });
  await beforeTest(test);
};

// Vitest's limits of time do not keep a process. Without this one, a test that waits for nothing would end it, and no result would name it.
setInterval(() => undefined, 60_000);
/** What nobody has caught since a file began, as an error of a program that could not be started. */
const uncaught: Problem[] = [];
process.on('uncaughtException', (error) => void uncaught.push(error));
for (const name of readFileSync(list, 'utf8').split('\n').filter(Boolean)) {
  write({ kind: 'started', file: name });
  const started = performance.now();
  const [file] = await startTests([join(root, name)], runner);
  vi.restoreAllMocks();
  vi.useRealTimers();
  const problem = file?.result?.errors?.[0];
  const outcomes = testsOf(file?.tasks ?? [], []);
  if (problem) outcomes.push({ name: '(file)', state: 'failed', error: textOf(problem) });
  for (const error of uncaught.splice(0)) outcomes.push({ name: '(uncaught)', state: 'failed', error: textOf(error) });
  write({ kind: 'ended', file: name, seconds: Math.round(performance.now() - started) / 1000, tests: outcomes });
}
// Servers and threads that a file has left behind would keep the process.
process.exit(0);

function isAbsolute(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Z]:[\\/]/i.test(value);
}

function slashed(path: string): string {
  return path.replaceAll('\\', '/');
}

function write(line: WorkerLine): void {
  appendFileSync(results, `${JSON.stringify(line)}\n`);
}

function nameOf({ name, suite }: Task): string {
  return suite === undefined ? name : `${nameOf(suite)} > ${name}`;
}

function testsOf(tasks: readonly Task[], names: readonly string[]): TestResult[] {
  return tasks.flatMap((task): TestResult[] => {
    const path = [...names, task.name];
    const name = path.join(' > ');
    const error = task.result?.errors?.[0];
    const own = task.type === 'suite' && error ? [{ name, state: 'failed', error: textOf(error) } as const] : [];
    if (task.type === 'suite') return [...testsOf(task.tasks ?? [], path), ...own];
    const state = task.result?.state;
    if (state === 'pass') return [{ name, state: 'passed' }];
    if (state === 'fail') return [{ name, state: 'failed', error: error ? textOf(error) : '' }];
    return [{ name, state: 'skipped' }];
  });
}

function textOf({ message = '', stack = '', diff = '' }: Problem): string {
  return `${stack.includes(message) ? stack : `${message}\n${stack}`}\n${stripVTControlCharacters(diff)}`;
}

/** Vitest exports its parts only to itself, under shortened names. */
async function partOf(chunks: RegExp, name: string): Promise<unknown> {
  const folder = join(root, 'node_modules/vitest/dist/chunks');
  for (const chunk of readdirSync(folder).filter((file) => chunks.test(file))) {
    const exported = (await import(pathToFileURL(join(folder, chunk)).href)) as Record<string, unknown>;
    const found = Object.values(exported).find((value) => typeof value === 'function' && value.name === name);
    if (found !== undefined) return found;
  }
  throw new Error(`this version of vitest has ${name} elsewhere`);
}
