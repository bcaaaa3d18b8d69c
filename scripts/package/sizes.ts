import { lstatSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { Asar } from './asar.ts';
import { run } from './run.ts';

/** A file of an unpacked program, by its path in it. Those in the archive of the app are below `app.asar/`. */
interface ProgramFile {
  readonly path: string;
  readonly bytes: number;
}

type Part = readonly [name: string, path: RegExp];

const NATIVE: Part = ['native modules', /\.node$/];
const NOTICES: Part = ['licences of libraries', /(?:LICEN[CS]E|THIRD-PARTY)[^/]*$/i];
/** The first that fits counts. */
const PARTS: readonly { readonly program: RegExp; readonly parts: readonly Part[] }[] = [
  {
    program: /^holdfast-app$/,
    parts: [
      ['Chromium and Node in one program', /^holdfast-app$/],
      ['graphics and media of Chromium', /^(?:lib|vk_)[^/]*$/],
      ['licences of Chromium', /^LICENSES\.chromium\.html$/],
      ['data of Chromium', /^[^/]*\.(?:dat|pak|bin)$/],
      ['texts of Chromium, in the languages of the app', /^locales\//],
      NATIVE,
      NOTICES,
      ['Holdfast: window', /^app\.asar\/dist\/app\/window\//],
      ['Holdfast: documents that are shown before a restore', /^app\.asar\/dist\/app\/document\//],
      ['Holdfast: main process', /^app\.asar\/dist\/app\//],
      ['Holdfast: agent, command line, service', /^app\.asar\/dist\//],
    ],
  },
  {
    program: /^lib\/holdfast\/bin\/node$/,
    parts: [
      ['Node', /^lib\/holdfast\/bin\/node$/],
      NATIVE,
      NOTICES,
      ['Holdfast: portal', /^lib\/holdfast\/dist\/portal\//],
      ['Holdfast: agent, command line, service', /^lib\/holdfast\/dist\//],
      ['manual, completions, documents', /^share\//],
    ],
  },
];

/**
 * Returns the sizes of the packages in a folder, and of what the archives among them contain, as tables in Markdown. Megabytes have a million bytes.
 */
export function sizeTables(folder: string): string {
  const names = readdirSync(folder).filter((name) => /\.(?:deb|rpm|tar\.gz|tar\.xz|AppImage|exe|dmg|zip)$/.test(name));
  const packages = names.map((name) => [name, statSync(join(folder, name)).size] as const);
  const tables = [table('Package', packages)];
  for (const name of names.filter((one) => one.includes('.tar.'))) tables.push(contentsOf(join(folder, name), name));
  return tables.join('\n\n');
}

function contentsOf(archive: string, name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-sizes-'));
  try {
    run('tar', ['--extract', '--file', archive, '--directory', folder, '--strip-components=1']);
    const files = filesBelow(folder);
    const { parts = [] } = PARTS.find(({ program }) => files.some(({ path }) => program.test(path))) ?? {};
    const sums = new Map<string, number>([...parts.map(([part]) => [part, 0] as const), ['other', 0]]);
    for (const { path, bytes } of files) {
      const part = parts.find(([, pattern]) => pattern.test(path))?.[0] ?? 'other';
      sums.set(part, sums.get(part)! + bytes);
    }
    const all = files.reduce((sum, { bytes }) => sum + bytes, 0);
    return table(`In ${name}, unpacked`, [...sums, ['all', all]]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function filesBelow(folder: string): readonly ProgramFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .flatMap((file) =>
      file.endsWith('.asar') ? asarFiles(file) : [{ path: relative(folder, file), bytes: lstatSync(file).size }],
    );
}

function asarFiles(file: string): readonly ProgramFile[] {
  const archive = new Asar(file);
  const packed = archive.files.filter(({ start }) => start !== undefined);
  return [
    ...packed.map(({ path, size }) => ({ path: `app.asar/${path}`, bytes: size })),
    { path: 'list of the archive', bytes: archive.listBytes },
  ];
}

function table(title: string, rows: readonly (readonly [string, number])[]): string {
  const lines = rows.map(([name, bytes]) => `| ${name} | ${(bytes / 1e6).toFixed(1)} |`);
  return [`| ${title} | MB |`, '|---|--:|', ...lines].join('\n');
}
