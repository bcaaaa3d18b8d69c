/**
 * `npm run build`: bundles the program's few hundred modules into a few dozen in `dist/`, which halves its start time, and
 * builds the service's web page and the desktop app. `bin/holdfast` uses the bundle as long as no source is newer; see
 * docs/decisions/0015-bundle.md. With `--optional`, a failed build is not an error: the program runs from its sources.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { OutputChunk, rolldown as bundler } from 'rolldown';
import { buildApp, isAppCurrent } from './build/app.ts';
import { buildPortalPage } from './build/portal-page.ts';
import { bringTextsUpToDate } from './texts/up-to-date.ts';

type Bundler = typeof bundler;

const root = dirname(import.meta.dirname);
const dist = join(root, 'dist');
/** Contains the name of the newest bundle's folder; its time is just before the first source was read. */
const current = join(dist, 'current');

/** Entry points of programs and threads. */
const ENTRIES = {
  main: 'src/cli/main.ts',
  worker: 'src/workers/worker.ts',
  'parity-thread': 'src/repository/parity/parity-thread.ts',
  'password-thread': 'src/service/auth/passwords/password-thread.ts',
  'structure-thread': 'src/service/database/sqlite/structure-thread.ts',
  'agent-host': 'src/agent/host/main.ts',
  'run-thread': 'src/agent/host/runs/run-thread.ts',
  'mount-thread': 'src/agent/host/mounts/mount-thread.ts',
  'estimate-thread': 'src/agent/host/sets/estimate-thread.ts',
  'fill-thread': 'src/agent/host/history/fill-thread.ts',
  'history-thread': 'src/agent/host/history/history-thread.ts',
  'restore-index-thread': 'src/agent/host/browse/restore-index-thread.ts',
  'keychain-process': 'src/agent/key-store/keychain-process.ts',
} as const;
/** Entry points for users and the desktop app, which start the others from the same folder. */
const STARTED = new Set<string>(['main', 'agent-host']);
/** Packages that load a binary from their own folder. */
const NATIVE = ['better-sqlite3', 'koffi', '@napi-rs/keyring'];
/** Native parts of ssh2, which are never compiled; it works without them. */
const LEFT_OUT = ['cpu-features', /sshcrypto\.node$/];

// Tests set another value, which would mix React's development and production builds.
process.env['NODE_ENV'] = 'production';

try {
  await build();
} catch (error) {
  if (!process.argv.includes('--optional')) throw error;
  console.error(`There is no new bundle, so holdfast runs its sources and starts more slowly: ${String(error)}`);
}
try {
  await buildPortalPage(join(dist, 'portal'));
} catch (error) {
  if (!process.argv.includes('--optional')) throw error;
  console.error(`There is no new web page, so the service shows none: ${String(error)}`);
}
try {
  const app = join(dist, 'app');
  if (!isAppCurrent(app)) await buildApp(app);
} catch (error) {
  if (!process.argv.includes('--optional')) throw error;
  console.error(`There is no new desktop app, so npm start builds it: ${String(error)}`);
}

async function build(): Promise<void> {
  await bringTextsUpToDate();
  const { rolldown } = await import('rolldown');
  mkdirSync(dist, { recursive: true });
  const stamp = join(dist, `stamp-${process.pid}`);
  try {
    await buildSince(stamp, rolldown);
  } finally {
    rmSync(stamp, { force: true });
  }
}

/** @param stamp a file to create before the first source is read */
async function buildSince(stamp: string, rolldown: Bundler): Promise<void> {
  writeDurably(stamp, '');
  const { mtime: started } = statSync(stamp);
  const bundled = await rolldown({
    cwd: root,
    input: { ...ENTRIES },
    external: [...NATIVE, ...LEFT_OUT],
    plugins: [{ name: 'lazy-libraries', transform: (code, id) => withLazyLibraries(code, id) }],
    platform: 'node',
    checks: { ineffectiveDynamicImport: false },
  });
  const { output } = await bundled.generate({
    // Importing a module of Node as ESM evaluates all its exports, including lazy parts.
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
  });
  const files = withThreads(output.filter((part) => part.type === 'chunk'));
  const hash = createHash('sha256');
  for (const [name, code] of files) hash.update(`${name}\n${code}\n`);
  const name = hash.digest('hex').slice(0, 16);
  const before = existsSync(current) ? readFileSync(current, 'utf8').trim() : undefined;
  writeBundle(name, files);
  writeDurably(stamp, `${name}\n`);
  utimesSync(stamp, started, started);
  renameSync(stamp, current);
  // A running program may still have to load parts of the previous bundle.
  for (const other of readdirSync(dist)) {
    if (/^[\da-f]{16}$/.test(other) && other !== name && other !== before)
      rmSync(join(dist, other), { recursive: true });
  }
}

/**
 * A module that loads a library late needs a `require` of its own to run from its source. The bundler follows only the one that a
 * CommonJS module has anyway.
 */
function withLazyLibraries(code: string, id: string): { readonly code: string; readonly map: null } | null {
  if (!id.startsWith(join(root, 'src'))) return null;
  const own = /^const require = createRequire\(import\.meta\.url\);$/m;
  return own.test(code) ? { code: code.replace(own, ''), map: null } : null;
}

/** Rewrites the URLs that threads are started from, which the bundler does not follow. */
function withThreads(chunks: readonly OutputChunk[]): ReadonlyMap<string, string> {
  const started = new Set<string>();
  const files = new Map<string, string>();
  for (const { fileName, code } of chunks) {
    const replaced = code.replace(/new URL\("\.\/([\w-]+)\.ts"/g, (_text, name: string) => {
      started.add(name);
      return `new URL("./${name}.cjs"`;
    });
    files.set(fileName, replaced);
  }
  const threads = Object.keys(ENTRIES).filter((name) => !STARTED.has(name));
  if ([...started].sort().join() !== threads.sort().join()) {
    throw new Error(`threads are ${threads.join(', ')}, but what starts is ${[...started].join(', ')}`);
  }
  return files;
}

/** Writes the bundle so that it appears complete or not at all. */
function writeBundle(name: string, files: ReadonlyMap<string, string>): void {
  const folder = join(dist, name);
  if (existsSync(folder)) return;
  const temporary = join(dist, `bundle-${process.pid}`);
  rmSync(temporary, { recursive: true, force: true });
  mkdirSync(temporary);
  for (const [file, code] of files) writeDurably(join(temporary, file), code);
  renameSync(temporary, folder);
}

/** Flushes the file: a program left empty by a power failure would do nothing and succeed. */
function writeDurably(file: string, text: string): void {
  writeFileSync(file, text);
  const descriptor = openSync(file, 'r+');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
