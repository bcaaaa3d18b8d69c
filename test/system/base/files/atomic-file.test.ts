import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  ASYNC_CALLS,
  removeUnfinishedSync,
  SYNC_CALLS,
  writeFileAtomically,
  writeFileAtomicallySync,
} from '../../../../src/base/files/atomic-file.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-atomic-'));
  file = join(folder, 'state.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const noSpace = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });

/** Records the calls of a write in order; temporary files are called `temporary`, and the one named `failing` throws. */
class Recorder {
  readonly log: string[] = [];
  readonly #failing: string | undefined;
  readonly #open = new Map<number, string>();

  constructor(failing?: string) {
    this.#failing = failing;
  }

  readonly sync: typeof SYNC_CALLS = {
    ...SYNC_CALLS,
    openSync: (path, flags, mode) => {
      const descriptor = SYNC_CALLS.openSync(path, flags, mode);
      this.#open.set(descriptor, nameOf(String(path)));
      return descriptor;
    },
    writeFileSync: (target, data) => {
      this.#note(`write ${this.#open.get(Number(target))}`);
      SYNC_CALLS.writeFileSync(target, data);
    },
    fsyncSync: (descriptor) => {
      this.#note(`fsync ${this.#open.get(descriptor)}`);
      SYNC_CALLS.fsyncSync(descriptor);
    },
    renameSync: (from, to) => {
      this.#note(`rename ${nameOf(String(from))} ${nameOf(String(to))}`);
      SYNC_CALLS.renameSync(from, to);
    },
  };

  readonly async: typeof ASYNC_CALLS = {
    ...ASYNC_CALLS,
    open: async (path, flags, mode) => {
      const handle = await ASYNC_CALLS.open(path, flags, mode);
      const name = nameOf(String(path));
      const write = handle.writeFile.bind(handle);
      const sync = handle.sync.bind(handle);
      handle.writeFile = async (data) => {
        this.#note(`write ${name}`);
        await write(data);
      };
      handle.sync = async () => {
        this.#note(`fsync ${name}`);
        await sync();
      };
      return handle;
    },
    rename: async (from, to) => {
      this.#note(`rename ${nameOf(String(from))} ${nameOf(String(to))}`);
      await ASYNC_CALLS.rename(from, to);
    },
  };

  #note(call: string): void {
    this.log.push(call);
    if (this.#failing !== undefined && call.startsWith(this.#failing)) throw noSpace;
  }
}

function nameOf(path: string): string {
  if (path === folder) return 'folder';
  return path.endsWith('.new') ? 'temporary' : basename(path);
}

const variants = [
  [
    'writeFileAtomicallySync',
    async (content: string, recorder: Recorder) => writeFileAtomicallySync(file, content, recorder.sync),
  ],
  ['writeFileAtomically', (content: string, recorder: Recorder) => writeFileAtomically(file, content, recorder.async)],
] as const;

describe.each(variants)('%s', (_name, write) => {
  test.skipIf(process.platform === 'win32')('flushes the file before the rename and the folder after it', async () => {
    const recorder = new Recorder();
    await write('new', recorder);
    expect(recorder.log).toEqual(['write temporary', 'fsync temporary', 'rename temporary state.json', 'fsync folder']);
  });

  test('replaces the content and leaves no temporary file', async () => {
    writeFileSync(file, 'old and longer');
    await write('new', new Recorder());
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(readdirSync(folder)).toEqual(['state.json']);
  });

  test('replaces a file that another program has open for a moment, which Windows refuses', async () => {
    writeFileSync(file, 'old');
    const script = `
      const descriptor = require('node:fs').openSync(process.argv[1]);
      process.stdout.write('open');
      setTimeout(() => process.exit(), 300);`;
    const reader = spawn(process.execPath, ['-e', script, file], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(reader.stdout, 'data');
    await write('new', new Recorder());
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(readdirSync(folder)).toEqual(['state.json']);
    reader.kill();
  });

  test.skipIf(process.platform === 'win32')('makes a file that only its owner can read', async () => {
    await write('new', new Recorder());
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test.each(['write', 'fsync temporary', 'rename'])('keeps the old content when %s fails', async (failing) => {
    writeFileSync(file, 'old');
    await expect(write('new', new Recorder(failing))).rejects.toBe(noSpace);
    expect(readFileSync(file, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['state.json']);
  });
});

describe('removeUnfinishedSync', () => {
  test('removes temporary files of dead processes only', () => {
    const ours = `keys.json.${process.pid}.new`;
    for (const name of ['keys.json', 'keys.json.4194304.new', ours]) writeFileSync(join(folder, name), '');
    removeUnfinishedSync(folder);
    expect(readdirSync(folder).sort()).toEqual(['keys.json', ours].sort());
  });

  test('does nothing when the folder does not exist', () => {
    expect(() => removeUnfinishedSync(join(folder, 'missing'))).not.toThrow();
  });
});
