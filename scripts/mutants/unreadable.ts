import type { Mutant } from './mutant.ts';

/** Changes that make what cannot be read cost more than what stands only in it. */
export const UNREADABLE_MUTANTS: readonly Mutant[] = [
  {
    name: 'a new computer does not count on packs whose segment is lost',
    file: 'src/repository/check/unnamed-trees.ts',
    text: 'if (isLedgerLost) projection.change(',
    replacement: 'if (false as boolean) projection.change(',
    tests: ['test/system/repository/check/doubt.test.ts'],
    testName: 'restores whatever it lists',
  },
  {
    name: 'a key that cannot be read ends everything',
    file: 'src/repository/create-repository.ts',
    text: 'if (!(error instanceof DamagedFileError) || !isUnreadableProblem(error.problem)) throw error;',
    replacement: 'throw error;',
    tests: ['test/system/repository/check/unreadable.test.ts'],
  },
  {
    name: 'a folder of parity that cannot be listed ends a restore',
    file: 'src/repository/parity/pack-parity.ts',
    text: 'this.#storage.list(folder, signal, onUnreadable)',
    replacement: 'this.#storage.list(folder, signal, undefined)',
    tests: ['test/system/repository/check/unreadable.test.ts'],
  },
  {
    name: 'something else in the place of a ledger stays there after a repair',
    file: 'src/repository/repair/move-aside.ts',
    text: 'of [...obstacles, ...nested]) {',
    replacement: 'of obstacles) {',
    tests: ['test/system/repository/check/unreadable.test.ts'],
  },
  {
    name: 'a bucket counts as emptied by a page',
    file: 'src/storage/bucket/bucket.ts',
    text: '      if (Deleted.length + Errors.length === 0) throw strange();\n',
    replacement: '',
    tests: ['test/system/storage/bucket-storage.test.ts'],
  },
  {
    name: 'the sign-in page of a network is read as a file of a bucket',
    file: 'src/storage/bucket/bucket.ts',
    text: 'if (ContentRange !== undefined || !isWebPage(bytes, ContentType)) return',
    replacement: 'if (bytes !== undefined) return',
    tests: ['test/system/storage/bucket-storage.test.ts'],
  },
  {
    name: 'bytes of which a server thinks that they are a page are refused',
    file: 'src/storage/web-page.ts',
    text: ' && /^[\\t\\n\\r -~]*$/.test(head)',
    replacement: '',
    tests: ['test/system/storage/bucket-storage.test.ts'],
  },
  {
    name: 'the sign-in page of a network is read as a file of a WebDAV server',
    file: 'src/storage/webdav/webdav-storage.ts',
    text: "          if (isWebPage(response.body, response.headers['content-type'])) throw this.#client.strange();\n",
    replacement: '',
    tests: ['test/system/storage/webdav-storage.test.ts'],
  },
  {
    name: 'a folder that is not there when it is listed counts as deleted',
    file: 'src/archive/scan/lost-folder.ts',
    text: "isDeleted(folder, places) ? 'vanished' : 'unreadable (ENOENT)'",
    replacement: "isDeleted(folder, places) ? 'vanished' : 'vanished'",
    tests: ['test/system/archive/scan/scanner.test.ts'],
    testName: 'is not there when it is listed',
  },
];
