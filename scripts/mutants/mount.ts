import type { Mutant } from './mutant.ts';

/** Mounted restore points, and the seal of the records that an undo follows. */
export const MOUNT_MUTANTS: readonly Mutant[] = [
  {
    name: 'a mount says that no file has an access list, although one has',
    file: 'src/engine/restore/mount/mounted-file-system.ts',
    text: 'isOfSystem(segment) && !tree.hasAttribute(segment)',
    replacement: 'isOfSystem(segment)',
    tests: ['test/engine/restore/mount/mounted-file-system.test.ts'],
  },
  {
    name: 'a mount lists a folder as complete of which a part cannot be read',
    file: 'src/engine/restore/mount/mounted-file-system.ts',
    text: "    if (mark !== 0n && !isFull) throw new FuseError('EIO');\n",
    replacement: '',
    tests: ['test/engine/restore/mount/mounted-file-system.test.ts'],
  },
  {
    name: 'a mount passes names with a slash to the kernel',
    file: 'src/engine/fuse/session.ts',
    text: 'name.includes(0x2f) || ',
    replacement: '',
    tests: ['test/engine/fuse/session.test.ts'],
  },
  {
    name: 'a mount whose requests never end does nothing else',
    file: 'src/engine/fuse/session.ts',
    text: 'count % REQUESTS_PER_TURN === 0 || performance.now() - began > TURN_MS',
    replacement: 'performance.now() < began',
    tests: ['test/engine/fuse/session.test.ts'],
  },
  {
    name: 'an undo follows a record that was written with other keys',
    file: 'src/engine/restore/undo/undo-record.ts',
    text: 'this.#seal.isOf(row.mac, sealedForm(this.#file, row.form)) && ',
    replacement: '',
    tests: ['test/engine/restore/undo/record-seal.test.ts'],
  },
  {
    name: 'an undo follows entries that somebody has changed',
    file: 'src/engine/restore/undo/undo-record.ts',
    text: 'if (!isSealedChange(this.#file, row, this.#seal)) return',
    replacement: 'if (row.id < 0) return',
    tests: ['test/engine/restore/undo/record-seal.test.ts'],
  },
  {
    name: 'an undo follows a record with a trigger of somebody else',
    file: 'src/engine/restore/undo/undo-record.ts',
    text: 'if (!hasOwnSchema(this.#database) || row === undefined) return false;',
    replacement: 'if (row === undefined) return false;',
    tests: ['test/engine/restore/undo/record-seal.test.ts'],
  },
  {
    name: 'entries can be taken out of the record of a restore',
    file: 'src/engine/restore/undo/undo-record.ts',
    text: ' && hasAllRows(this.#database, this.restore())',
    replacement: '',
    tests: ['test/engine/restore/undo/record-seal.test.ts'],
  },
  {
    name: 'an undo passes over a record whose entries were all taken out',
    file: 'src/engine/restore/undo/undo-record.ts',
    text: '!(record.#isEmpty && record.#isProven)',
    replacement: '!record.#isEmpty',
    tests: ['test/engine/restore/undo/record-seal.test.ts'],
  },
  {
    name: 'an undo takes the places of earlier versions from somebody else',
    file: 'src/engine/restore/undo/undo-database.ts',
    text: 'return areSealed ? rows.map(({ aside }) => aside) : undefined;',
    replacement: 'return rows.map(({ aside }) => aside);',
    tests: ['test/engine/restore/undo/record-seal.test.ts'],
  },
  {
    name: 'an undo takes a version of nearly the same time for the restored one',
    file: 'src/engine/filesystem/times.ts',
    text: 'difference < grain && found % grain === 0n',
    replacement: 'difference < grain',
    tests: ['test/engine/restore/undo/undo-restore.test.ts'],
  },
];
