import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the sizes of the packages, and of the parts of the unpacked program, as text for people. */
export function sizeTable(out: string, unpacked: string | undefined): string {
  const packages = readdirSync(out, { withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(deb|rpm|gz|AppImage|exe|dmg|zip)$/.test(entry.name))
    .map(({ name }) => [name, statSync(join(out, name)).size] as const);
  return [...packages, ...(unpacked === undefined ? [] : partsOf(unpacked))]
    .map(([name, bytes]) => `${(bytes / 1e6).toFixed(1).padStart(8)} MB  ${name}`)
    .join('\n');
}

function partsOf(unpacked: string): readonly (readonly [string, number])[] {
  const at = (...path: readonly string[]): number => bytesOf(join(unpacked, ...path));
  const all = at();
  const [program, archive, native] = [at('holdfast-app'), at('resources/app.asar'), at('resources/app.asar.unpacked')];
  const [texts, licences] = [at('locales'), at('LICENSES.chromium.html')];
  return [
    ['unpacked', all],
    ['  Chromium and Node in one program', program],
    ['  texts of Chromium', texts],
    ['  licences of Chromium', licences],
    ['  Holdfast (app.asar)', archive],
    ['  native modules', native],
    ['  other files of Electron', all - program - archive - native - texts - licences],
  ];
}

function bytesOf(path: string): number {
  const status = statSync(path, { throwIfNoEntry: false });
  if (!status) return 0;
  if (!status.isDirectory()) return status.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0);
}
