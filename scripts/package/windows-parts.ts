import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unpackPinned } from '../pinned-package.ts';
import { has, run } from './run.ts';

/** The native modules that npm installs on Windows alone. Those of better-sqlite3 are in one package for all systems. */
const NATIVE = ['@koromix/koffi-win32-x64', '@napi-rs/keyring-win32-x64-msvc'];

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version: string; readonly integrity: string }>>;
}

/** Puts the native modules for Windows on x64 into a folder, as the lock pins them. Returns it. @param parts a folder for a build */
export async function modulesForWindows(root: string, parts: string): Promise<string> {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;
  const modules = join(parts, 'windows-modules');
  for (const name of NATIVE) {
    const { version, integrity } = packages[`node_modules/${name}`]!;
    const temporary = mkdtempSync(join(parts, 'module-'));
    const files = await unpackPinned({ name, version, integrity }, temporary);
    mkdirSync(join(modules, name), { recursive: true });
    cpSync(files, join(modules, name), { recursive: true });
    rmSync(temporary, { recursive: true });
  }
  return modules;
}

/** Writes electron-builder's settings for Windows: it takes the system that it runs on for that of the package. @param base those of all systems */
export function settingsForWindows(base: string, parts: string): string {
  const file = join(parts, 'electron-builder-windows.yml');
  writeFileSync(file, readFileSync(base, 'utf8').replaceAll('${platform}', 'win32'));
  return file;
}

/** Returns the variables by which electron-builder builds an installer of Windows on another system. @throws Error if a program is missing */
export function variablesForWindows(
  isForTests: boolean,
  environment: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  // It starts the installer once, which writes the program that removes the app.
  if (!has('wine')) throw new Error('wine is missing');
  const packer = environment['ELECTRON_BUILDER_7ZIP_PATH'] ?? (has('7za') ? run('which', ['7za']).trim() : undefined);
  return {
    USE_SYSTEM_WINE: 'true',
    ...(packer !== undefined && { ELECTRON_BUILDER_7ZIP_PATH: packer }),
    ...(isForTests && { ELECTRON_BUILDER_COMPRESSION_LEVEL: '0' }),
  };
}
