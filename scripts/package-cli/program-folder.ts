import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { licenceTexts } from '../licence-texts.ts';
import { installedLibraries } from './libraries.ts';
import type { Target } from './target.ts';
import type { PackageTree } from './tree.ts';

/** What a native module needs when it runs: no sources, and the binaries of one computer. */
function nativeFiles({ arch }: Target): Readonly<Record<string, readonly string[]>> {
  return {
    'better-sqlite3': [
      'package.json',
      'lib/binding.js',
      'lib/database.js',
      'lib/index.js',
      'lib/sqlite-error.js',
      'lib/util.js',
      'lib/methods',
      `prebuilds/linux-${arch}.node`,
    ],
    koffi: ['package.json', 'index.cjs', 'src/koffi/index.cjs', 'src/koffi/src/static.cjs'],
    [`@koromix/koffi-linux-${arch}`]: ['package.json', 'index.js', `linux_${arch}`],
    '@napi-rs/keyring': ['package.json', 'index.js'],
    [`@napi-rs/keyring-linux-${arch}-gnu`]: ['package.json', `keyring.linux-${arch}-gnu.node`],
  };
}

export interface ProgramSources {
  /** A checkout whose bundle and portal are built. */
  readonly root: string;
  /** The folder with its packages, for the target. */
  readonly modules: string;
  readonly version: string;
  readonly target: Target;
}

/** Puts Node, the bundle, the portal and the native modules into a folder of the tree; `bin/holdfast` in it starts the program. */
export function addProgram(
  tree: PackageTree,
  folder: string,
  { root, modules, version, target }: ProgramSources,
): void {
  const bundle = readFileSync(join(root, 'dist/current'), 'utf8').trim();
  const at = (path: string): string => join(folder, path);
  tree.copy(join(import.meta.dirname, 'launcher.sh'), at('bin/holdfast'), 0o755);
  tree.copy(join(modules, `node-linux-${target.arch}/bin/node`), at('bin/node'), 0o755);
  tree.copyFolder(join(root, 'dist', bundle), at('dist/program'));
  tree.copyFolder(join(root, 'dist/portal'), at('dist/portal'));
  // Marks the program's folder, and keeps Node from looking for another file of this name above it.
  tree.write(at('package.json'), `${JSON.stringify({ name: 'holdfast', version, private: true }, undefined, 2)}\n`);
  for (const [name, files] of Object.entries(nativeFiles(target))) {
    for (const file of files) {
      const source = join(modules, name, file);
      if (!existsSync(source))
        throw new Error(`${name} has no ${file}: scripts/package-cli/program-folder.ts lists its files`);
      const to = at(join('node_modules', name, file));
      if (/\.\w+$/.test(file)) tree.copy(source, to);
      else tree.copyFolder(source, to);
    }
  }
  tree.copy(join(root, 'LICENSE'), at('LICENSE'));
  const libraries = installedLibraries(root, target).map(({ name, version: installed, licence, path }) => ({
    name,
    version: installed,
    licence,
    folder: join(modules, '..', path),
  }));
  tree.write(at('THIRD-PARTY-LICENCES.txt'), licenceTexts(libraries));
}
