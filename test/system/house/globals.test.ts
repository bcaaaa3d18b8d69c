import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/**
 * Tests that the tsconfig of the protocol gives it no globals of a platform. Violations are planted, each in its own file, in an empty project
 * with this one's configuration. Each has to be reported, and nothing else.
 */
const repository = dirname(dirname(dirname(import.meta.dirname)));

const globalsOfPlatforms = ['process.pid', 'Buffer.alloc(1)', 'setTimeout(String, 1)', 'fetch', 'window', 'require'];

const project = mkdtempSync(join(tmpdir(), 'holdfast-layers-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

let typeErrors: string;

beforeAll(() => {
  const configuration = ['package.json', 'tsconfig.json', 'src/protocol/tsconfig.json', 'types'];
  for (const name of configuration) cpSync(join(repository, name), join(project, name), { recursive: true });
  symlinkSync(join(repository, 'node_modules'), join(project, 'node_modules'));

  for (const expression of globalsOfPlatforms) {
    plant(fileOf('src/protocol', expression), `export const value: unknown = ${expression};\n`);
  }
  plant(
    'src/protocol/text.ts',
    `export const value = new TextDecoder('utf-8', { fatal: true }).decode(new TextEncoder().encode('a'));\n`,
  );
  typeErrors = run('tsc', '-p', 'src/protocol');
});

function fileOf(folder: string, planted: string): string {
  return `${folder}/planted-${Buffer.from(planted).toString('hex')}.ts`;
}

function plant(file: string, source: string): void {
  mkdirSync(dirname(join(project, file)), { recursive: true });
  writeFileSync(join(project, file), source);
}

/** Runs one of the project's tools in the planted project and returns its output, whatever its exit code. */
function run(tool: string, ...args: readonly string[]): string {
  const { stdout, error } = spawnSync(join(repository, 'node_modules/.bin', tool), args, {
    cwd: project,
    encoding: 'utf8',
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  if (error) throw error;
  return stdout;
}

describe('globals of a platform', () => {
  test.each(globalsOfPlatforms)('protocol has no %s', (expression) => {
    expect(typeErrors).toContain(`${fileOf('src/protocol', expression)}(1,31): error TS`);
  });

  test('protocol has TextEncoder and TextDecoder', () => {
    expect(typeErrors).not.toContain('src/protocol/text.ts');
  });
});
