import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = dirname(dirname(dirname(dirname(import.meta.dirname))));
const src = join(root, 'src');

/** Folders with more files than this have a head. */
const MOST_WITHOUT_HEAD = 5;
/** `clock.ts`, `../context.ts`, `write/pipeline.ts`: a name with an extension, and nothing else. */
const NAMED_FILE = /`((?:\.{1,2}\/|[\w-]+\/)*[\w-]+(?:\.[\w-]+)*\.(?:tsx?|mjs|c|css|po|sh))`/g;
const FENCE = /^```[^]*?^```$/gm;

const folders = [src, ...foldersIn(src)];
/** From the root of the repository. */
const files = folders.flatMap((folder) => filesIn(folder).map((name) => relative(root, join(folder, name))));
/** By each way to name them from within `src`. */
const known = new Set(files.flatMap((file) => endsOf(file)));
const heads = folders.map((folder) => join(folder, 'README.md')).filter((file) => existsSync(file));

function foldersIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.split('/').includes('compiled'));
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
}

/** `src/a/b.ts`, `a/b.ts`, `b.ts`. */
function endsOf(file: string): readonly string[] {
  const names = file.split('/');
  return names.map((_, index) => names.slice(index).join('/'));
}

function namesIn(text: string): readonly string[] {
  return [...text.replaceAll(FENCE, '').matchAll(NAMED_FILE)].map(([, name]) => name!);
}

/** A path relative to the head, or a name of a file below its folder; with a folder also a path of the repository or the end of one in `src`. */
function doesExist(name: string, head: string): boolean {
  const folder = dirname(head);
  if (existsSync(join(folder, name)) || existsSync(join(root, name))) return true;
  if (name.includes('/')) return known.has(name);
  const below = `${relative(root, folder)}/`;
  return files.some((file) => file.startsWith(below) && basename(file) === name);
}

/** What is wrong with the head of a folder that needs one. */
function problemsOf(folder: string): readonly string[] {
  const head = join(folder, 'README.md');
  if (!existsSync(head)) return ['no README.md'];
  const text = readFileSync(head, 'utf8');
  const problems: string[] = [];
  if (!/^# \S/.test(text)) problems.push('begins without a heading');
  const isDoorNamed = text
    .split(/\n{2,}/)
    .some((part) => /\bdoors?\b/i.test(part) && namesIn(part).some((name) => doesExist(name, head)));
  if (!isDoorNamed) problems.push('names no file as its door');
  return problems;
}

describe('the heads of folders', () => {
  test('are there, and name a door, where a folder has more than a few files', () => {
    const problems = folders
      .filter((folder) => filesIn(folder).filter((name) => /\.tsx?$/.test(name)).length > MOST_WITHOUT_HEAD)
      .flatMap((folder) => problemsOf(folder).map((problem) => `${relative(root, folder)}: ${problem}`));
    expect(problems).toEqual([]);
  });

  test('are read for the names of files', () => {
    const text =
      'Door: `a.ts`, `../b-c.test.ts`, `d/e.tsx`.\n\n```\n`f.ts`\n```\n\n`Class` in `folder/`, `g.ts` there, `h()`, i.ts';
    expect(namesIn(text)).toEqual(['a.ts', '../b-c.test.ts', 'd/e.tsx', 'g.ts']);
  });

  test.each([
    ['clock.ts', true],
    ['./clock.ts', true],
    ['../agent/agent.ts', true],
    ['src/agent/agent.ts', true],
    ['agent/agent.ts', true],
    ['call-client.ts', true],
    ['agent.ts', false],
    ['clocks.ts', false],
    ['../clock.ts', false],
    ['agents/agent.ts', false],
  ])('in the head of src/base, `%s` is a file: %s', (name, isFile) => {
    expect(doesExist(name, join(src, 'base/README.md'))).toBe(isFile);
  });

  test('name files that exist', () => {
    const named = heads.flatMap((head) => namesIn(readFileSync(head, 'utf8')).map((name) => ({ head, name })));
    expect(named.length).toBeGreaterThan(500);
    const missing = named
      .filter(({ head, name }) => !doesExist(name, head))
      .map(({ head, name }) => `${relative(root, head)}: ${name}`);
    expect(missing).toEqual([]);
  });
});
