import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The content of a place's `holdfast.json`. */
export const MARKER = '{"format":"holdfast-repository"}';

/** Creates a folder with a `holdfast.json`, which `rmSync` removes. */
export function newRepositoryFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, 'holdfast-repository-'));
  writeFileSync(join(folder, 'holdfast.json'), MARKER);
  return folder;
}

/** What the contract needs of a place whose files are in a folder of this computer. */
export function placeIn(folder: string) {
  return {
    seed: async (names: readonly string[], content: Uint8Array): Promise<void> => {
      for (const folderOfOne of new Set(names.map((name) => dirname(name)))) {
        mkdirSync(join(folder, folderOfOne), { recursive: true });
      }
      for (const name of names) writeFileSync(join(folder, name), content);
    },
    clutter: async (): Promise<void> => {
      mkdirSync(join(folder, 'ledger/0a'), { recursive: true });
      mkdirSync(join(folder, 'Lost+Found'));
      for (const name of ['.tmp-12', 'ledger/0a/.tmp-34', 'Lost+Found/file', 'READ_ME.txt', 'ledger/.DS_Store']) {
        writeFileSync(join(folder, name), 'foreign');
      }
    },
    close: async (): Promise<void> => rmSync(folder, { recursive: true, force: true }),
  };
}
