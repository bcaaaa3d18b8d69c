import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

const ROOT = dirname(dirname(dirname(dirname(import.meta.dirname))));
/** What `git clone` and `npm ci` make of the checkout, as far as texts and the command line need it. */
const PARTS = ['bin', 'src', 'scripts', 'package.json', 'package-lock.json', 'tsconfig.json'];
const COMPILED = ['src/strings/compiled', 'src/portal/strings/compiled'];
const MADE = [...COMPILED, 'dist'];
const GERMAN = 'src/strings/catalogues/de/home.po';

let clone: string;
let untouched: string;
/** What the untouched catalogues are compiled to, with its stamp. */
let kept: string;

beforeAll(() => {
  clone = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-texts-')));
  for (const part of PARTS) {
    cpSync(join(ROOT, part), join(clone, part), {
      recursive: true,
      filter: (path) => !COMPILED.some((folder) => path === join(ROOT, folder)),
    });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
  untouched = readFileSync(join(clone, GERMAN), 'utf8');
  kept = mkdtempSync(join(tmpdir(), 'holdfast-compiled-texts-'));
  expect(bring()).toEqual({ status: 0, output: '' });
  for (const folder of MADE)
    cpSync(join(clone, folder), join(kept, folder), { recursive: true, preserveTimestamps: true });
});

afterAll(() => {
  for (const folder of [clone, kept]) rmSync(folder, { recursive: true });
});

beforeEach(() => {
  for (const folder of MADE) rmSync(join(clone, folder), { recursive: true, force: true });
  writeFileSync(join(clone, GERMAN), untouched);
});

function run(...words: readonly string[]): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: clone, encoding: 'utf8' });
  return { status, output: `${stdout}${stderr}` };
}

const bring = (): ReturnType<typeof run> => run('scripts/texts/up-to-date.ts');

/** Has the untouched catalogues compiled. */
function compiledBefore(): void {
  for (const folder of MADE)
    cpSync(join(kept, folder), join(clone, folder), { recursive: true, preserveTimestamps: true });
}

/** The compiled modules with their contents. */
function compiled(): ReadonlyMap<string, string> {
  const files = globSync('src/{portal/,}strings/compiled/**', { cwd: clone, withFileTypes: true });
  const paths = files.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(paths.toSorted().map((path) => [path.slice(clone.length + 1), readFileSync(path, 'utf8')]));
}

/** The inodes and times of everything that a bundle looks at. */
const states = (): readonly string[] =>
  [...compiled().keys(), ...COMPILED].map((path) => {
    const { ino, ctimeNs } = statSync(join(clone, path), { bigint: true });
    return `${path} ${ino} ${ctimeNs}`;
  });

/** Changes a German sentence to another one of the same length. */
function edit(): string {
  const other = /msgstr "([^"{}\\\\]{12,})"/.exec(untouched)![1]!;
  const changed = `${other.slice(0, -4)}ZZZZ`;
  writeFileSync(join(clone, GERMAN), untouched.replace(`msgstr "${other}"`, `msgstr "${changed}"`));
  return changed;
}

describe('the texts of a clean clone', () => {
  test('are compiled to modules that can be imported', () => {
    expect(bring()).toEqual({ status: 0, output: '' });
    expect(
      run(
        '-e',
        `import('./src/strings/strings.ts').then(({ languageOf }) => console.log(languageOf('de', []).strings.common.cancel))`,
      ),
    ).toEqual({
      status: 0,
      output: 'Abbrechen\n',
    });
    expect(existsSync(join(clone, 'src/portal/strings/compiled/portal-ar.ts'))).toBe(true);
  });

  test.each([
    [
      'bin/holdfast',
      () =>
        spawnSync(join(clone, 'bin/holdfast'), ['status', '--home', join(clone, 'none')], {
          encoding: 'utf8',
          env: { ...process.env, HOLDFAST_DEBUG: '1' },
        }),
    ],
    [
      'an npm script',
      () =>
        spawnSync(process.execPath, ['scripts/run.mjs', 'scripts/docs.ts', 'nothing'], {
          cwd: clone,
          encoding: 'utf8',
        }),
    ],
  ])('are compiled by %s', (_program, start) => {
    const { stderr } = start();
    expect(stderr).toMatch(/is not set up|build, check, serve or pictures/);
    expect(compiled().size).toBeGreaterThan(100);
  });
});

describe('texts', () => {
  test('are left alone when nothing has changed', () => {
    compiledBefore();
    const before = states();
    expect(bring()).toEqual({ status: 0, output: '' });
    expect(states()).toEqual(before);
  });

  test('are compiled again after a catalogue was edited, and only the module of that text', () => {
    compiledBefore();
    const before = compiled();
    const changed = edit();
    expect(bring()).toEqual({ status: 0, output: '' });
    const after = compiled();
    const differing = [...after.keys()].filter((path) => after.get(path) !== before.get(path));
    expect(differing).toEqual(['src/strings/compiled/de/home.ts']);
    expect(after.get(differing[0]!)).toContain(changed);
  });

  test('are compiled again where a module is missing, cut off, or of a text that is gone', () => {
    compiledBefore();
    const whole = compiled();
    rmSync(join(clone, 'src/strings/compiled/fr/home.ts'));
    writeFileSync(join(clone, 'src/strings/compiled/ja/home.ts'), '// cut');
    writeFileSync(join(clone, 'src/strings/compiled/ja/former.ts'), '// of no text');
    bring();
    expect(compiled()).toEqual(whole);
  });

  test.each([
    [
      'a message',
      (text: string) => text.replace(/msgstr "[^"{}]{12,}"/, 'msgstr "{set"'),
      /de, home\.\S+: not valid ICU MessageFormat/,
    ],
    [
      'an entry',
      (text: string) => `${text}\nmsgid "a text without a key"\nmsgstr ""\n`,
      /de\/home\.po: “a text without a key” has no msgctxt/,
    ],
  ])('stay as they were when %s of a catalogue cannot be read, and the failure names it', (_what, damaged, problem) => {
    compiledBefore();
    const before = compiled();
    writeFileSync(join(clone, GERMAN), damaged(untouched));
    const { status, output } = bring();
    expect(status).toBe(1);
    expect(output).toMatch(problem);
    expect(output).toContain('npm run texts -- check');
    expect(compiled()).toEqual(before);
    writeFileSync(join(clone, GERMAN), untouched);
    expect(bring().status).toBe(0);
  });

  test('are whole when several programs start at once', async () => {
    compiledBefore();
    const whole = compiled();
    for (const folder of MADE) rmSync(join(clone, folder), { recursive: true });
    const programs = Array.from({ length: 4 }, () =>
      spawn(
        process.execPath,
        [
          '-e',
          `import('./scripts/texts/up-to-date.ts').then(({ bringTextsUpToDate }) => bringTextsUpToDate()).then(() => import('./src/strings/strings.ts'))`,
        ],
        { cwd: clone, stdio: 'inherit' },
      ),
    );
    const ends = await Promise.all(programs.map(async (program) => (await once(program, 'exit')) as [number | null]));
    expect(ends.map(([code]) => code)).toEqual([0, 0, 0, 0]);
    expect(compiled()).toEqual(whole);
    const before = states();
    bring();
    expect(states()).toEqual(before);
  });
});
