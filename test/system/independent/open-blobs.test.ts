import { execFile, execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hexDigestOf } from '../../../src/protocol/chunk-hash.ts';
import type { RestoreFileEntry } from '../../../src/protocol/restore.ts';
import { newMasterKey } from '../../../src/format/crypto/keys.ts';
import { phraseOf } from '../../../src/format/crypto/recovery-phrase.ts';
import { fileSystemPath } from '../../../src/os/filesystem/names/entry-path.ts';
import { encodeRecord } from '../../../src/format/tree/record-line.ts';
import type { TreeFooter } from '../../../src/format/tree/record.ts';
import { SAMPLE_ENTRIES } from '../../unit/format/sample-set.ts';
import { sealSet, type SampleEntry, type SealedSet } from '../../unit/format/seal-set.ts';

const SCRIPT = path.join(import.meta.dirname, 'open_blobs.py');
const WORDS = path.join(import.meta.dirname, '../../../node_modules/@scure/bip39/wordlists/english.js');
/** Debian's packages are for Debian's own Python. */
const PYTHON = '/usr/bin/python3';

const footer = {
  created: 1_767_225_600_000,
  roots: ['/home/anna'],
  warnings: [],
  deviceId: 'device-1',
  backupSet: 'laptop',
  privateNames: false,
  sequence: 1,
  previousTree: undefined,
} satisfies TreeFooter;

/** The reason why the program cannot run here; `undefined` if it can. */
function missing(): string | undefined {
  try {
    execFileSync(PYTHON, ['-c', 'from cryptography.hazmat.primitives.ciphers.aead import AESSIV'], { stdio: 'ignore' });
    execFileSync('/bin/sh', ['-c', `${PYTHON} -c "import zstandard" || command -v zstd`], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'python3-cryptography and python3-zstandard (or zstd) are needed';
  }
}

/** The sealed chunks of a set's tree. */
function treeBlobs({ files, blobs }: SealedSet): [string, Buffer][] {
  return files.at(-1)!.chunks.map((hash) => [hexDigestOf(hash), blobs.get(hexDigestOf(hash))!]);
}

describe.skipIf(missing() !== undefined)('an independent program', () => {
  let folder: string;
  const master = newMasterKey();

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'holdfast-independent-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  async function store(sealed: SealedSet, phrase = phraseOf(master)): Promise<void> {
    await mkdir(path.join(folder, 'blobs'), { recursive: true });
    await writeFile(path.join(folder, 'phrase'), `${phrase}\n`);
    await writeFile(path.join(folder, 'manifest.json'), JSON.stringify({ files: sealed.files }));
    for (const [digest, blob] of sealed.blobs) await writeFile(path.join(folder, 'blobs', digest), blob);
  }

  function run(more: Readonly<Record<string, string>> = {}): Promise<{ stdout: string }> {
    const inputs = { words: WORDS, phrase: 'phrase', blobs: 'blobs', manifest: 'manifest.json', to: 'out', ...more };
    const options = Object.entries(inputs).flatMap(([name, value]) => [`--${name}`, value]);
    return promisify(execFile)(PYTHON, [SCRIPT, ...options], { cwd: folder, maxBuffer: 2 ** 26 });
  }

  test.each([false, true])('rebuilds the files and reads the tree (private names: %s)', async (privateNames) => {
    const sealed = await sealSet(master, SAMPLE_ENTRIES, { ...footer, privateNames });
    await store(sealed);
    const { stdout } = await run();
    const lines = stdout.trimEnd().split('\n');
    expect(JSON.parse(lines.pop()!)).toMatchObject({ footer: { set: 'laptop' }, tree_hash: sealed.treeHash });
    expect(lines).toEqual(sealed.records.map(encodeRecord));
    const rebuilt: string[] = [];
    for (const { record, content } of SAMPLE_ENTRIES) {
      if (!content) continue;
      const target = Buffer.concat([Buffer.from(path.join(folder, 'out')), Buffer.from(fileSystemPath(record.path))]);
      if ((await readFile(target)).equals(content)) rebuilt.push(record.path);
    }
    expect(rebuilt).toEqual(SAMPLE_ENTRIES.flatMap(({ record, content }) => (content ? [record.path] : [])));
    if (privateNames) {
      const shown = JSON.stringify(sealed.files);
      for (const name of ['home', 'anna', 'Photos', 'notes']) expect(shown).not.toContain(name);
    }
  });

  test('rebuilds everything from the tree when the manifest lists no files', async () => {
    const sealed = await sealSet(master, SAMPLE_ENTRIES, footer);
    await store({ ...sealed, files: sealed.files.slice(-1) });
    await run();
    for (const { record, content } of SAMPLE_ENTRIES) {
      if (!content) continue;
      const target = Buffer.concat([Buffer.from(path.join(folder, 'out')), Buffer.from(fileSystemPath(record.path))]);
      expect((await readFile(target)).equals(content)).toBe(true);
    }
  });

  test('reads a tree of many chunks and a record across several of them', async () => {
    const big = { 'user.big': Buffer.alloc(1_700_000, 'attribute ') };
    const many = Array.from({ length: 8000 }, (_, index) => {
      const { record, content } = SAMPLE_ENTRIES[6] as Required<SampleEntry>;
      const xattrs = index === 4000 ? big : undefined;
      return { record: { ...record, path: `/home/anna/${String(index).padStart(5, '0')}`, xattrs }, content };
    });
    const sealed = await sealSet(master, many, footer);
    const tree = sealed.files.at(-1)!;
    expect(tree.chunks.length).toBeGreaterThan(6);
    // A manifest may list the footer's chunk only.
    const short = { ...tree, chunks: tree.chunks.slice(-1) };
    await store({ ...sealed, files: [...sealed.files.slice(0, -1), short] });
    const lines = (await run()).stdout.trimEnd().split('\n');
    expect(lines.slice(0, -1)).toEqual(sealed.records.map(encodeRecord));
  });

  describe('the frozen sample, whose key was changed between its sets', () => {
    const sample = path.join(import.meta.dirname, '../../fixtures/format-1');
    const inputs = { blobs: path.join(sample, 'blobs'), newest: path.join(sample, 'manifest-private.json') };

    test.each(['manifest.json', 'manifest-private.json'])('is read with the newest phrase (%s)', async (manifest) => {
      const phrase = path.join(sample, 'phrase');
      await run({ ...inputs, phrase, manifest: path.join(sample, manifest) });
      for (const { record, content } of SAMPLE_ENTRIES) {
        if (!content) continue;
        const target = Buffer.concat([Buffer.from(path.join(folder, 'out')), Buffer.from(fileSystemPath(record.path))]);
        expect((await readFile(target)).equals(content)).toBe(true);
      }
    });

    test('opens only what was stored before with the first phrase', async () => {
      const phrase = path.join(sample, 'first-phrase');
      const manifest = path.join(sample, 'manifest.json');
      await run({ blobs: inputs.blobs, newest: manifest, phrase, manifest });
      const later = { blobs: inputs.blobs, newest: manifest, phrase, manifest: inputs.newest };
      await expect(run(later)).rejects.toMatchObject({ stderr: expect.stringMatching(/tag does not fit/) as unknown });
    });
  });

  const refusals: readonly (readonly [string, RegExp, () => Promise<void>])[] = [
    [
      'the phrase of another account',
      /tag|another account/,
      async () => {
        await store(await sealSet(master, SAMPLE_ENTRIES, footer), phraseOf(newMasterKey()));
      },
    ],
    [
      'a blob under another name',
      /tag does not fit/,
      async () => {
        await store(await sealSet(master, SAMPLE_ENTRIES, footer));
        const blobs = path.join(folder, 'blobs');
        const [first, second] = (await readdir(blobs)).toSorted() as [string, string];
        await writeFile(path.join(blobs, first), await readFile(path.join(blobs, second)));
      },
    ],
    [
      'a manifest with a file that the tree does not have',
      /a file that the tree does not have/,
      async () => {
        const sealed = await sealSet(master, SAMPLE_ENTRIES, footer);
        await store({ ...sealed, files: [...sealed.files, { ...sealed.files[0]!, path: '/home/anna/more' }] });
      },
    ],
    [
      'a manifest with the chunks of another file',
      /differs from the tree/,
      async () => {
        const sealed = await sealSet(master, SAMPLE_ENTRIES, footer);
        const [first, second, ...others] = sealed.files as [RestoreFileEntry, RestoreFileEntry, ...RestoreFileEntry[]];
        await store({ ...sealed, files: [{ ...first, chunks: second.chunks }, second, ...others] });
      },
    ],
    [
      'a tree that was made with another key',
      /MAC does not fit|tag does not fit/,
      async () => {
        const sealed = await sealSet(master, SAMPLE_ENTRIES, footer);
        const other = await sealSet(newMasterKey(), SAMPLE_ENTRIES, footer);
        await store({
          ...sealed,
          files: [...sealed.files.slice(0, -1), other.files.at(-1)!],
          blobs: new Map([...other.blobs, ...sealed.blobs, ...treeBlobs(other)]),
        });
      },
    ],
  ];
  test.each(refusals)('refuses %s', async (_, reason, prepare) => {
    await prepare();
    await expect(run()).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(reason) as unknown });
  });
});
