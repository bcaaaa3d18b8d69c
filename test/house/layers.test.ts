import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/**
 * Tests that the linter enforces the import directions of docs/architecture.md. Violations are planted, each in its own
 * file, in an empty project with this one's configuration. Each has to be reported, and nothing else.
 */
const repository = dirname(dirname(import.meta.dirname));

const forbiddenImports: readonly (readonly [folder: string, imported: string])[] = [
  ['src/protocol', 'node:fs'],
  ['src/protocol', 'zodiac'],
  ['src/protocol', 'undici'],
  ['src/protocol', '../base/errors.ts'],
  ['src/protocol', '../engine/scan.ts'],
  ['src/engine', '../service/server.ts'],
  ['src/engine', '../agent/agent.ts'],
  ['src/engine/scan', '../../service/server.ts'],
  ['src/engine/scan', '../../agent/agent.ts'],
  ['src/engine/scan', '../../cli/main.ts'],
  ['src/engine/scan', 'electron'],
  ['src/engine/scan', 'hono'],
  ['src/base', '../protocol/path.ts'],
  ['src/base/calls', '../../ipc/state.ts'],
  ['src/base', 'electron'],
  ['src/s3', '../engine/scan.ts'],
  ['src/s3', '../service/server.ts'],
  ['src/s3', '../repository/storage/storage.ts'],
  ['src/base', '../s3/bucket.ts'],
  ['src/engine/scan', '../../s3/bucket.ts'],
  ['src/engine/scan', '../../repository/storage/storage.ts'],
  ['src/repository', '../service/server.ts'],
  ['src/repository/storage', '../../agent/agent.ts'],
  ['src/repository/storage', 'hono'],
  ['src/service', '../repository/storage/storage.ts'],
  ['src/service', '../engine/scan.ts'],
  ['src/service/backup', '../../engine/scan.ts'],
  ['src/service/backup', '../../agent/agent.ts'],
  ['src/service/backup', '../../cli/main.ts'],
  ['src/agent', '../cli/main.ts'],
  ['src/agent/keys', '../../cli/main.ts'],
  ['src/agent/keys', '../../service/server.ts'],
  ['src/agent/keys', 'electron'],
  ['src/cli', '../service/server.ts'],
  ['src/cli/commands', '../../service/server.ts'],
  ['src/cli/commands', '../../repository/storage/storage.ts'],
  ['src/cli/commands', '../../engine/backup/run.ts'],
  ['src/cli/commands', '../../protocol/path.ts'],
  ['src/portal/features', '../../service/server.ts'],
  ['src/portal/features', '../../agent/agent.ts'],
  ['src/portal/features', '../../renderer/features/home.ts'],
  ['src/portal/features', 'node:fs'],
  ['src/ui', '../portal/portal.ts'],
  ['src/ui', '../protocol/path.ts'],
  ['src/ui/tables', '../../ipc/state.ts'],
  ['src/ipc', '../engine/scan.ts'],
];

const allowedImports: readonly (readonly [folder: string, imported: string])[] = [
  ['src/protocol', 'zod'],
  ['src/protocol', 'zod/mini'],
  ['src/protocol', './path.ts'],
  ['src/engine/scan', '../../protocol/path.ts'],
  ['src/engine/scan', '../../base/errors.ts'],
  ['src/s3', '../base/errors.ts'],
  ['src/repository/storage', '../../base/errors.ts'],
  ['src/repository/storage', '../../protocol/path.ts'],
  ['src/repository/storage', '../../engine/scan.ts'],
  ['src/repository/storage', '../../s3/bucket.ts'],
  ['src/service/objects', '../../s3/bucket.ts'],
  ['src/agent/keys', '../../repository/storage/storage.ts'],
  ['src/service/backup', '../../base/errors.ts'],
  ['src/base/calls', '../errors.ts'],
  ['src/ipc', '../base/errors.ts'],
  ['src/cli/commands', '../../service/administration/plans.ts'],
  ['src/ui/tables', '../icon.ts'],
  ['src/service/backup', '../../protocol/path.ts'],
  ['src/service/backup', 'hono'],
  ['src/agent/keys', '../../engine/scan.ts'],
  ['src/agent/keys', '../../protocol/path.ts'],
  ['src/cli/commands', '../../agent/agent.ts'],
  ['src/portal/features', '../../protocol/path.ts'],
  ['src/portal/features', '../../ui/icon.ts'],
  ['src/portal/features', 'react'],
  ['src/ui', './icon.ts'],
  ['src/ui', 'react-aria-components'],
];

const globalsOfPlatforms = ['process.pid', 'Buffer.alloc(1)', 'setTimeout(String, 1)', 'fetch', 'window', 'require'];

const project = mkdtempSync(join(tmpdir(), 'holdfast-layers-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

let linted: readonly { readonly code: string; readonly filename: string }[];
let typeErrors: string;

beforeAll(() => {
  const configuration = [
    'package.json',
    '.oxlintrc.json',
    'tsconfig.json',
    'tsconfig.shared.json',
    'tsconfig.protocol.json',
    'types',
  ];
  for (const name of configuration) cpSync(join(repository, name), join(project, name), { recursive: true });
  symlinkSync(join(repository, 'node_modules'), join(project, 'node_modules'));

  for (const [folder, imported] of [...forbiddenImports, ...allowedImports]) {
    plant(
      fileOf(folder, imported),
      `import { planted } from '${imported}';\n\nexport const value: unknown = planted;\n`,
    );
  }
  plant(typeImport, `import type { Planted } from '../../engine/errors.ts';\n\nexport type Value = Planted;\n`);
  // Only `src` is linted: from its parent oxlint would follow the link into node_modules.
  linted = (JSON.parse(run('oxlint', '--format=json', 'src')) as { diagnostics: typeof linted }).diagnostics;

  rmSync(join(project, 'src'), { recursive: true });
  for (const expression of globalsOfPlatforms) {
    plant(fileOf('src/protocol', expression), `export const value: unknown = ${expression};\n`);
  }
  plant(
    'src/protocol/text.ts',
    `export const value = new TextDecoder('utf-8', { fatal: true }).decode(new TextEncoder().encode('a'));\n`,
  );
  typeErrors = run('tsc', '-p', 'tsconfig.protocol.json', '--incremental', 'false');
});

const typeImport = 'src/cli/commands/type-import.ts';

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

function isRefused(file: string): boolean {
  return linted.some(({ filename, code }) => filename === file && code === 'eslint(no-restricted-imports)');
}

describe('import directions', () => {
  test.each(forbiddenImports)('%s may not import %s', (folder, imported) => {
    expect(isRefused(fileOf(folder, imported))).toBe(true);
  });

  test.each(allowedImports)('%s may import %s', (folder, imported) => {
    expect(isRefused(fileOf(folder, imported))).toBe(false);
  });

  test('the CLI may use types of the engine', () => {
    expect(isRefused(typeImport)).toBe(false);
  });
});

describe('globals of a platform', () => {
  test.each(globalsOfPlatforms)('protocol has no %s', (expression) => {
    expect(typeErrors).toContain(`${fileOf('src/protocol', expression)}(1,31): error TS`);
  });

  test('protocol has TextEncoder and TextDecoder', () => {
    expect(typeErrors).not.toContain('src/protocol/text.ts');
  });
});
