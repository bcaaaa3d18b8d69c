import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { VERSION } from '../../../src/base/version.ts';

const root = dirname(dirname(dirname(import.meta.dirname)));

const PARTS = ['bin', 'src', 'scripts', 'package.json', 'package-lock.json', 'tsconfig.json'];

/** What git does not have. */
const COMPILED = new Set(['src/strings/compiled', 'src/portal/strings/compiled'].map((folder) => join(root, folder)));

/** A copy of the checkout as it is cloned, so that its sources can be edited. */
let copy: string;
/** What the first start made of the unedited copy. */
let built: string;
/** The first starts, one for debugging before the other: what they printed, and whether there was a bundle afterwards. */
let firstStarts: readonly (readonly [output: string, hasBundle: boolean])[];

beforeAll(() => {
  copy = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-bundle-')));
  for (const part of PARTS) {
    cpSync(join(root, part), join(copy, part), { recursive: true, filter: (path) => !COMPILED.has(path) });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  built = join(copy, 'built');
  firstStarts = [{ HOLDFAST_DEBUG: '1' }, {}].map((environment) => [program(environment), hasBundle()]);
  renameSync(join(copy, 'dist'), built);
});

afterAll(() => rmSync(copy, { recursive: true }));

function build(): void {
  execFileSync(process.execPath, [join(copy, 'scripts/build.ts')]);
}

function program(environment: NodeJS.ProcessEnv = {}): string {
  const env = { PATH: process.env['PATH'], HOME: copy, ...environment };
  return execFileSync(join(copy, 'bin/holdfast'), ['--version'], { encoding: 'utf8', env }).trim();
}

function bundled(file: string): string {
  return join(copy, 'dist', readFileSync(join(copy, 'dist/current'), 'utf8').trim(), file);
}

function hasBundle(): boolean {
  return existsSync(join(copy, 'dist/current')) && existsSync(bundled('main.cjs'));
}

/** Waits until the clock of the file system is later than the time of a file that was just written. */
function passTick(written: string): void {
  const probe = join(copy, 'probe');
  do writeFileSync(probe, '');
  while (statSync(probe).mtimeMs <= statSync(written).mtimeMs);
}

describe('bin/holdfast', () => {
  beforeEach(() => {
    const dist = join(copy, 'dist');
    rmSync(dist, { recursive: true, force: true });
    cpSync(built, dist, { recursive: true });
    // As if it were built now: the previous test edited a source and restored its text.
    writeFileSync(join(dist, 'current'), readFileSync(join(built, 'current')));
    passTick(join(dist, 'current'));
    // Shows which of the two ran.
    appendFileSync(bundled('main.cjs'), "\nprocess.stdout.write('from the bundle ');");
  });

  test('runs the bundle', () => {
    expect(program()).toContain('from the bundle');
    expect(program()).toContain(VERSION);
  });

  test('builds the bundle at the first start', () => {
    expect(firstStarts).toEqual([
      [VERSION, false],
      [VERSION, true],
    ]);
  });

  test('runs the sources once one was edited, even when its time is in the past', () => {
    const file = join(copy, 'src/base/version.ts');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(/'\d[^']*'/, "'0.1.0-edited'"));
    utimesSync(file, 0, 0);
    try {
      expect(program()).toBe('0.1.0-edited');
      build();
      expect(program()).toBe('0.1.0-edited');
    } finally {
      writeFileSync(file, text);
    }
  });

  test('runs the sources after one was renamed', () => {
    const file = join(copy, 'src/cli/failure-sentences.ts');
    renameSync(file, `${file}.away`);
    renameSync(`${file}.away`, file);
    expect(program()).toBe(VERSION);
  });

  test('runs the sources when the bundle is damaged or debugging is requested', () => {
    expect(program({ HOLDFAST_DEBUG: '1' })).toBe(VERSION);
    truncateSync(bundled('main.cjs'));
    expect(program()).toBe(VERSION);
  });

  test('fails when it is truncated', () => {
    const file = join(copy, 'src/cli/program.ts');
    const text = readFileSync(file, 'utf8');
    const never = 'await new Promise(() => undefined);';
    writeFileSync(file, text.replace('const result', `${never}\n  const result`));
    try {
      expect(spawnSync(join(copy, 'bin/holdfast'), ['--version']).status).not.toBe(0);
      build();
      expect(spawnSync(join(copy, 'bin/holdfast'), ['--version']).status).not.toBe(0);
    } finally {
      writeFileSync(file, text);
    }
  });
});
