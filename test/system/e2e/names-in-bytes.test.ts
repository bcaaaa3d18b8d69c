import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { programEnvironment } from '../../helpers/warm-program/run-program.ts';
import { CAN_MOUNT, unmountAll } from '../../helpers/mount.ts';
import { Workplace, type BackupAnswer } from './workplace.ts';

/** Names that are no UTF-8. */
const FILE = Buffer.from('f\xfcr.txt', 'latin1');
const FOLDER = Buffer.from('n\xe4s', 'latin1');

let place: Workplace;
beforeEach(async () => {
  place = new Workplace();
  mkdirSync(place.path('source'));
  writeFileSync(inSource(FILE), 'content');
  mkdirSync(inSource(FOLDER));
  writeFileSync(Buffer.concat([inSource(FOLDER), Buffer.from('/'), FILE]), 'inside');
  await place.setUp();
  await place.addSet('documents', place.path('source'));
});
afterEach(() => {
  unmountAll(place.folder);
  place[Symbol.dispose]();
});

function inSource(name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${place.path('source')}/`), name]);
}

/** Returns the paths in a folder as `ls` shows them: in JSON, and to a person. */
async function shown(folder: string): Promise<readonly string[]> {
  const { entries } = await place.json<{ readonly entries: readonly { readonly path: string }[] }>([
    'ls',
    'documents',
    folder,
  ]);
  const { stdout } = await place.run('ls', 'documents', folder);
  for (const { path } of entries) expect(stdout).toContain(path.slice(path.lastIndexOf('/') + 1));
  return entries.map(({ path }) => path);
}

describe.skipIf(process.platform !== 'linux')('a name that is not UTF-8', () => {
  test('is the one that a shell names, and not its sibling with replacement characters', async () => {
    writeFileSync(place.path('source', 'f\uFFFDr.txt'), 'another');
    await place.json(['backup', 'documents']);
    const [to, elsewhere] = [place.path('restored'), place.path('elsewhere')];
    // Node starts programs with text only.
    const script = 'path=$(printf "$3/f\\374r.txt"); exec "$1" restore documents --path "$path" --to "$2"';
    const program = join(import.meta.dirname, '../../../bin/holdfast');
    const env = programEnvironment(place.home, place.folder);
    execFileSync('sh', ['-c', script, 'sh', program, to, place.path('source')], { env, stdio: 'ignore' });
    expect(execFileSync('sh', ['-c', 'cat "$1"/*', 'sh', to], { encoding: 'utf8' })).toBe('content');

    // A target of such a name would be a folder of another one.
    const odd = 'exec "$1" restore documents --to "$(printf "$2\\374")" 2>&1';
    const refused = spawnSync('sh', ['-c', odd, 'sh', program, elsewhere], { env, encoding: 'utf8' });
    expect(refused).toMatchObject({
      status: 2,
      stdout: expect.stringContaining('is not a folder or file of this computer'),
    });
  });

  test('is taken by each command as ls shows it', async () => {
    await place.run('backup', 'documents');
    const paths = await shown(place.path('source'));
    const file = paths.find((path) => path.endsWith(FILE.toString('base64url')))!;
    const folder = paths.find((path) => path.endsWith(FOLDER.toString('base64url')))!;
    expect(paths).toHaveLength(2);
    const [inside] = await shown(folder);

    for (const path of [file, folder, inside!]) {
      for (const command of [
        ['versions', 'documents', path],
        ['ls', 'documents', path],
      ]) {
        expect({ command, status: (await place.run(...command)).status }).toEqual({ command, status: 0 });
      }
      const to = place.path(`restored ${path.length}`);
      expect((await place.run('restore', 'documents', '--path', path, '--to', to)).status).toBe(0);
      const restored = execFileSync('find', [to]);
      expect(restored.includes(path === folder ? FOLDER : FILE)).toBe(true);
    }
    await place.run('backup', 'documents');
    const found = await place.run('find', 'documents', 'r.txt', '--json');
    expect(found.stdout).toContain(file);
    for (const path of [file, folder]) {
      rmSync(inSource(FILE), { force: true });
      rmSync(inSource(FOLDER), { recursive: true, force: true });
      expect((await place.run('restore', 'documents', '--path', path, '--in-place')).status).toBe(0);
      expect([existsSync(inSource(FILE)), existsSync(inSource(FOLDER))]).toEqual([path === file, path === folder]);
    }
    expect(readFileSync(Buffer.concat([inSource(FOLDER), Buffer.from('/'), FILE]), 'utf8')).toBe('inside');
    const nested = Buffer.concat([inSource(FOLDER), Buffer.from('/'), FILE]);
    writeFileSync(nested, 'newer');
    const words = ['restore', 'documents', '--path', inside!, '--in-place', '--conflict', 'overwrite'];
    const { kept_in: keptIn } = await place.json<{ readonly kept_in: readonly string[] }>(words);
    expect(keptIn).toEqual([expect.stringContaining(`${folder}/Before restore `)]);
    expect(readFileSync(nested, 'utf8')).toBe('inside');
    await place.json(['undo']);
    expect(readFileSync(nested, 'utf8')).toBe('newer');
  });

  test.skipIf(!CAN_MOUNT)('of a disk that is gone is given up, or may be absent, as the warning shows it', async () => {
    const disk = Buffer.concat([inSource(FOLDER), Buffer.from('/disk')]);
    mkdirSync(disk);
    mkdirSync(place.path('elsewhere'));
    writeFileSync(place.path('elsewhere', 'file'), 'text');
    // Names in bytes are no arguments for a program that is started from here.
    const inFolder = (command: string): void => {
      execFileSync('sh', ['-c', `cd "$1"/n?s && ${command}`, 'sh', place.path('source'), place.path('elsewhere')]);
    };
    inFolder('mount -t tmpfs none disk && cp "$2/file" disk/');
    await place.run('backup', 'documents');
    inFolder('umount disk');
    const { warnings } = await place.json<BackupAnswer>(['backup', 'documents'], 3);
    const path = warnings[0]!.path;
    expect(warnings).toEqual([{ path, reason: 'folder-not-mounted' }]);
    expect(path).toContain(FOLDER.toString('base64url'));

    // What may be absent is said no more, and its last version stays.
    await place.json(['set', 'remove', 'documents']);
    await place.json(['set', 'add', 'documents', place.path('source'), '--exclude', '!*', '--optional', path]);
    expect(await place.json<BackupAnswer>(['backup', 'documents'])).toMatchObject({ warnings: [] });
    expect((await place.run('ls', 'documents', path)).stdout).toContain('file');
    expect(await place.json<BackupAnswer>(['backup', 'documents', '--accept', path])).toMatchObject({ warnings: [] });
    expect((await place.run('ls', 'documents', path)).stdout).not.toContain('/file');
  });
});
