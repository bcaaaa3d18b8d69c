import type { Mutant } from './mutant.ts';

/** Changes that make what cannot be read cost more than what stands only in it. */
export const UNREADABLE_MUTANTS: readonly Mutant[] = [
  {
    name: 'a key that cannot be read ends everything',
    file: 'src/repository/create-repository.ts',
    text: 'if (!(error instanceof DamagedFileError) || !isUnreadableProblem(error.problem)) throw error;',
    replacement: 'throw error;',
    tests: ['test/repository/check/unreadable.test.ts'],
  },
  {
    name: 'a folder of parity that cannot be listed ends a restore',
    file: 'src/repository/parity/pack-parity.ts',
    text: 'this.#storage.list(folder, signal, onUnreadable)',
    replacement: 'this.#storage.list(folder, signal, undefined)',
    tests: ['test/repository/check/unreadable.test.ts'],
  },
  {
    name: 'something else in the place of a ledger stays there after a repair',
    file: 'src/repository/repair/move-aside.ts',
    text: 'of [...obstacles, ...nested]) {',
    replacement: 'of obstacles) {',
    tests: ['test/repository/check/unreadable.test.ts'],
  },
];
