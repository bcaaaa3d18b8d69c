import { closeSync, linkSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NativeFileSystem } from '../../../../../src/os/filesystem/native.ts';
import { readXattrsSync } from '../../../../../src/os/filesystem/xattrs.ts';
import { restoreAttributes, setFileMetadata } from '../../../../../src/restore/write/metadata.ts';
import type { Metadata } from '../../../../../src/restore/record/planned-entry.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-system-attributes-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The calls of a Mac for one file with these attributes, each with its own name as its value. */
function macWith(names: readonly string[]): NativeFileSystem {
  const copy = (text: string, into: Uint8Array): number => Buffer.from(text).copy(into);
  return {
    listXattrs: (_path, list) => copy(names.map((name) => `${name}\0`).join(''), list),
    getXattr: (_path, name, value) => copy(Buffer.from(name).toString().split('\0')[0]!, value),
  } as Partial<NativeFileSystem> as NativeFileSystem;
}

const OF_THE_SYSTEM = ['com.apple.provenance', 'com.apple.macl', 'com.apple.rootless', 'com.apple.system.Security'];

describe('attributes that only macOS sets', () => {
  test('are not read, unlike all others', () => {
    const others = ['com.apple.FinderInfo', 'com.apple.metadata:_kMDItemUserTags', 'com.apple.provenance.of.mine', 'x'];
    expect(Object.keys(readXattrsSync('/file', macWith([...OF_THE_SYSTEM, ...others])) ?? {})).toEqual(others);
    expect(readXattrsSync('/file', macWith(OF_THE_SYSTEM))).toBeUndefined();
  });

  test.each(OF_THE_SYSTEM)('%s is neither a loss of a restore nor a difference', (name) => {
    const path = join(folder, name);
    writeFileSync(path, '', { mode: 0o600 });
    const pairs = [
      ['user.kept', 'AQ=='],
      [name, 'AQ=='],
    ];
    const metadata: Metadata = {
      mode: 0o600,
      seconds: 1_000,
      nanoseconds: 0,
      owner: null,
      xattrs: JSON.stringify(pairs),
    };
    const file = openSync(path, 'r+');
    try {
      expect(setFileMetadata(file, path, metadata)).toEqual([]);
    } finally {
      closeSync(file);
    }
    expect(readXattrsSync(path)).toEqual({ 'user.kept': Uint8Array.of(1) });
    // A difference of a file with two names is told as a loss.
    linkSync(path, `${path}-too`);
    expect(restoreAttributes(path, metadata)).toEqual([]);
  });
});
