import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { licenceTexts } from '../licence-texts.ts';
import { LIBRARIES } from '../../src/renderer/features/settings/about/libraries.ts';

interface Library {
  readonly name: string;
  readonly version: string;
  readonly licence: string | undefined;
  readonly folder: string;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Electron's own notices are beside its program. pdf.js draws by this canvas in Node only. */
const LEFT_OUT = new Set(['electron', '@napi-rs/canvas']);

/** Returns the notices of all libraries in the app: those that the window lists, and what they depend on. */
export function noticesText(root: string): string {
  return licenceTexts(
    librariesOf(root),
    'Holdfast contains these libraries. Those of Electron and Chromium are in LICENSE.electron.txt and LICENSES.chromium.html.',
  );
}

/** Follows the dependencies as Node resolves them. */
function librariesOf(root: string): readonly Library[] {
  const found = new Map<string, Library>();
  const waiting = LIBRARIES.map(({ name }) => ({ name, from: root }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const folder = LEFT_OUT.has(next.name) ? undefined : folderOf(next.name, next.from);
    if (folder === undefined) continue;
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
    const { version, license: licence, dependencies, optionalDependencies } = manifest;
    const key = `${next.name} ${version}`;
    if (found.has(key)) continue;
    found.set(key, { name: next.name, version, licence, folder });
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) waiting.push({ name, from: folder });
  }
  return [...found.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, library]) => library);
}

/** Returns `undefined` for an optional dependency that is not installed here. */
function folderOf(name: string, from: string): string | undefined {
  const folder = join(from, 'node_modules', name);
  if (existsSync(join(folder, 'package.json'))) return folder;
  return dirname(from) === from ? undefined : folderOf(name, dirname(from));
}
