import type { Mutant } from './mutant.ts';

const SETTLE = 'src/engine/crypto/settle-keys.ts';
const SETTLE_TESTS = ['test/engine/crypto/settle-keys.test.ts'] as const;
const ADMISSION = 'src/repository/ledger/admission.ts';
const ADMISSION_TESTS = ['test/repository/ledger/admission.test.ts'] as const;

/** Epochs of keys: who gets a new key, who is believed, and what counts after a rotation. */
export const KEY_MUTANTS: readonly Mutant[] = [
  {
    name: 'a key of a device that does not have the current one is taken',
    file: SETTLE,
    text: '!hasKey(revoked, author) && hasKey(state.members, author)',
    replacement: '!hasKey(revoked, author)',
    tests: SETTLE_TESTS,
  },
  {
    name: 'a key is taken that nobody with the one before has begun',
    file: SETTLE,
    text: 'isSealedBy(envelope, master) && isProvenBy(envelope, previous)',
    replacement: 'isSealedBy(envelope, master)',
    tests: SETTLE_TESTS,
  },
  {
    name: 'the removal of a rotation at the same time is lost',
    file: SETTLE,
    text: "if (removed.some((key) => hasKey(state.members, key))) return 'rotate';",
    replacement: '',
    tests: SETTLE_TESTS,
  },
  {
    name: 'a computer that was removed by a rotation at the same time goes on with its own',
    file: SETTLE,
    text: 'Number(removes(b, a)) - Number(removes(a, b)) ||',
    replacement: '',
    tests: SETTLE_TESTS,
  },
  {
    name: 'a computer does not notice that it got no new key',
    file: SETTLE,
    text: 'isWithdrawn: envelopes.some((envelope) => isClosed(envelope, current, known)),',
    replacement: 'isWithdrawn: envelopes.length < 0 && isClosed(envelopes[0]!, current, known),',
    tests: SETTLE_TESTS,
  },
  {
    name: 'an altered envelope opens with a passphrase',
    file: 'src/engine/crypto/key-envelope.ts',
    text: 'if (master && isSealedBy(envelope, master)) return master;',
    replacement: 'if (master) return master;',
    tests: ['test/engine/crypto/key-envelope.test.ts'],
  },
  {
    name: 'anybody seals a key to a device in the name of another one',
    file: 'src/engine/crypto/device-key.ts',
    text: 'secrets = [ephemeral, author].map(',
    replacement: 'secrets = [ephemeral, ephemeral].map(',
    tests: ['test/engine/crypto/device-key.test.ts'],
  },
  {
    name: 'an unknown computer writes under an earlier key',
    file: ADMISSION,
    text: 'if (!limit) return epoch >= state.epoch;',
    replacement: 'if (!limit) return true;',
    tests: ADMISSION_TESTS,
  },
  {
    name: 'a removed computer goes on writing',
    file: ADMISSION,
    text: 'return number < end.number || (number === end.number && hash === end.hash);',
    replacement: 'return true;',
    tests: ADMISSION_TESTS,
  },
  {
    name: 'a removed computer replaces its history by a checkpoint',
    file: ADMISSION,
    text: "if (folder === 'checkpoints') return end.checkpoints.includes(hash);",
    replacement: '',
    tests: ADMISSION_TESTS,
  },
  {
    name: 'segments count whoever wrote them',
    file: 'src/repository/ledger/ledger-files.ts',
    text: "if (admits?.(file, segment.epoch) === false) throw new DamagedFileError(file.name, 'revoked');",
    replacement: '',
    tests: ['test/e2e/key-epochs.test.ts'],
  },
  {
    name: 'a computer without the new key goes on backing up',
    file: 'src/repository/repository.ts',
    text: "if (this.isWithdrawn) throw new HoldfastError('key_outdated', {});",
    replacement: '',
    tests: ['test/e2e/key-epochs.test.ts'],
  },
  {
    name: 'new chunks are sealed with an earlier key',
    file: 'src/engine/crypto/chunk-keys.ts',
    text: 'this.#current = this.#keysOf(subKeys[0]);',
    replacement: 'this.#current = this.#keysOf(subKeys.at(-1)!);',
    tests: ['test/engine/crypto/keys.test.ts'],
  },
];
