import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sizeTables } from '../../../../scripts/package/sizes.ts';

const MB = 1_000_000;

describe('the sizes of packages', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-sizes-test-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function archive(name: string, files: Readonly<Record<string, number | Buffer>>): void {
    const tree = join(folder, 'tree');
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(tree, path)), { recursive: true });
      writeFileSync(join(tree, path), typeof content === 'number' ? Buffer.alloc(content) : content);
    }
    execFileSync('tar', ['--create', '--auto-compress', '--file', join(folder, name), '--directory', folder, 'tree']);
    rmSync(tree, { recursive: true });
  }

  /** An archive of Electron with files of these sizes, the second of which is beside it. */
  function asar(window: number, native: number): Buffer {
    const list = JSON.stringify({
      files: {
        dist: { files: { app: { files: { window: { files: { 'index.js': { size: window, offset: '0' } } } } } } },
        'x.node': { size: native, unpacked: true },
      },
    });
    const head = Buffer.alloc(16);
    head.writeUInt32LE(8 + list.length, 4);
    head.writeUInt32LE(list.length, 12);
    return Buffer.concat([head, Buffer.from(list), Buffer.alloc(window)]);
  }

  test('of the app count each file once, inside its archive, too', () => {
    archive('Holdfast-1.2.3-x64.tar.gz', {
      'holdfast-app': 5 * MB,
      'libGLESv2.so': MB,
      'LICENSES.chromium.html': 2 * MB,
      'locales/de.pak': MB,
      'resources/app.asar': asar(3 * MB, 4 * MB),
      'resources/app.asar.unpacked/x.node': 4 * MB,
    });
    const tables = sizeTables(folder);
    expect(tables.match(/^\| .+ \| [1-9]\d*\.\d \|$/gm)).toEqual([
      '| Chromium and Node in one program | 5.0 |',
      '| graphics and media of Chromium | 1.0 |',
      '| licences of Chromium | 2.0 |',
      '| texts of Chromium, in the languages of the app | 1.0 |',
      '| native modules | 4.0 |',
      '| Holdfast: window | 3.0 |',
      '| all | 16.0 |',
    ]);
  });

  test('of the command line are told apart from those of the app, and other packages only have one', () => {
    archive('holdfast-1.2.3-linux-x64.tar.xz', {
      'lib/holdfast/bin/node': 3 * MB,
      'lib/holdfast/dist/portal/index.html': MB,
      'lib/holdfast/dist/program/cli.cjs': 2 * MB,
      'share/man/man1/holdfast.1.gz': MB,
    });
    writeFileSync(join(folder, 'holdfast-cli_1.2.3_amd64.deb'), Buffer.alloc(7 * MB));
    writeFileSync(join(folder, 'SHA256SUMS'), Buffer.alloc(MB));
    expect(sizeTables(folder).match(/^\| .+ \| [1-9]\d*\.\d \|$/gm)).toEqual([
      '| holdfast-cli_1.2.3_amd64.deb | 7.0 |',
      '| Node | 3.0 |',
      '| Holdfast: portal | 1.0 |',
      '| Holdfast: agent, command line, service | 2.0 |',
      '| manual, completions, documents | 1.0 |',
      '| all | 7.0 |',
    ]);
  });
});
