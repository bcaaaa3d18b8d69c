import type { Mutant } from './mutant.ts';

/** The download of an update, and its installation. */
export const UPDATE_MUTANTS: readonly Mutant[] = [
  {
    name: 'an update is downloaded with another hash',
    file: 'src/main/updates/bounded-download.ts',
    text: "length !== announced.size || hash.digest('base64') !== announced.sha512",
    replacement: 'length !== announced.size',
    tests: ['test/main/updates/bounded-download.test.ts'],
  },
  {
    name: 'an update is downloaded from another address',
    file: 'src/main/updates/bounded-download.ts',
    text: "redirect: 'error'",
    replacement: "redirect: 'follow'",
    tests: ['test/main/updates/bounded-download.test.ts'],
  },
  {
    name: 'an update that was replaced after its download is installed',
    file: 'src/main/updates/replace-image.ts',
    text: "if ((await copyAndHash(source, copy)) !== sha512) throw new UpdateProblem('damaged');",
    replacement: 'await copyAndHash(source, copy);',
    tests: ['test/main/updates/replace-image.test.ts'],
  },
  {
    name: 'the AppImage of another program counts as ours',
    file: 'src/main/updates/own-image.ts',
    text: 'return isBelow(folder, program) ? image : undefined;',
    replacement: 'return program === folder ? undefined : image;',
    tests: ['test/main/updates/replace-image.test.ts'],
  },
  {
    name: 'an update is installed twice at the same time',
    file: 'src/main/updates/updates.ts',
    text: "    if ((kind !== 'ready' && kind !== 'replaced') || this.#isWorking) return false;\n",
    replacement: "    if (kind !== 'ready' && kind !== 'replaced') return false;\n",
    tests: ['test/main/updates/updates.test.ts'],
  },
];
