import type { Mutant } from './mutant.ts';

const SETTLE = 'src/format/crypto/settle-keys.ts';
const KNOWN_KEYS = 'src/format/crypto/known-keys.ts';
const SETTLE_TESTS = ['test/system/format/crypto/settle-keys.test.ts'] as const;
const ADMISSION = 'src/repository/ledger/admission.ts';
const ADMISSION_TESTS = ['test/unit/repository/ledger/admission.test.ts'] as const;

const DEVICE_LIMITS = 'src/format/crypto/device-limits.ts';
const DEVICE_LIMITS_TESTS = ['test/unit/format/crypto/device-limits.test.ts'] as const;
const MEMBERS = 'src/agent/destination/keys/service-members.ts';
const MEMBERS_TESTS = ['test/unit/agent/destination/keys/service-members.test.ts'] as const;
const SERVICE_TESTS = ['test/system/agent/operations/keys/service-keys.test.ts'] as const;

/** Epochs of keys: who gets a new key, who is believed, and what counts after a rotation. */
export const KEY_MUTANTS: readonly Mutant[] = [
  {
    name: 'what a removed computer writes later makes a list doubtful',
    file: 'src/repository/doubt.ts',
    text: " && problem !== 'revoked'",
    replacement: '',
    tests: ['test/system/e2e/key-epochs.test.ts'],
    testName: 'makes nothing count that its key writes later',
  },
  {
    name: 'trees under an earlier key make a list doubtful',
    file: 'src/repository/check/unnamed-trees.ts',
    text: 'isNothingListed || footer.epoch >= keys.epoch',
    replacement: 'footer.epoch > 0 || isNothingListed || keys.epoch > 0',
    tests: ['test/system/e2e/key-epochs.test.ts'],
    testName: 'brings back no restore point that a removed computer may have made up',
  },
  {
    name: 'a mail server gets the password of another',
    file: 'src/agent/key-store/home-key-store.ts',
    text: '[...before.filter(([other]) => other !== server), [server, password]]',
    replacement: '[[server, password]]',
    tests: ['test/unit/agent/host/report-races.test.ts'],
  },
  {
    name: 'settings of a report forget that it was sent while they were saved',
    file: 'src/agent/host/report/weekly-report.ts',
    text: 'const before = this.#file.load();\n    const sentAt',
    replacement: 'const before = earlier;\n    const sentAt',
    tests: ['test/unit/agent/host/report-races.test.ts'],
  },
  {
    name: 'a key of a device that does not have the current one is taken',
    file: SETTLE,
    text: '!hasKey(revoked, author) && hasKey(current.members, author)',
    replacement: '!hasKey(revoked, author)',
    tests: SETTLE_TESTS,
  },
  {
    name: 'a key is taken that nobody with the one before has begun',
    file: KNOWN_KEYS,
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
    text: 'if (isRemovedByA !== hasRemovedAuthorOf(b, a)) return isRemovedByA ? -1 : 1;',
    replacement: '',
    tests: SETTLE_TESTS,
  },
  {
    name: 'a key that comes after the current one and has no higher epoch counts as one from the same time',
    file: SETTLE,
    text: 'isAfter(other, own) ? other.epoch > own.epoch : isRival(other, state, revoked) && counts(other, own),',
    replacement:
      '(isAfter(other, own) && other.epoch > own.epoch) || (isRival(other, state, revoked) && counts(other, own)),',
    tests: SETTLE_TESTS,
  },
  {
    name: 'a computer does not notice that it got no new key',
    file: SETTLE,
    text: 'isWithdrawn: envelopes.some((envelope) => isReplacedBy(envelope, current, known)),',
    replacement: 'isWithdrawn: envelopes.length < 0 && isReplacedBy(envelopes[0]!, current, known),',
    tests: SETTLE_TESTS,
  },
  {
    name: 'an altered envelope opens with a passphrase',
    file: 'src/format/crypto/open-envelope.ts',
    text: 'if (master && isSealedBy(envelope, master)) return { opened: one, master };',
    replacement: 'if (master) return { opened: one, master };',
    tests: ['test/system/format/crypto/key-envelope.test.ts'],
  },
  {
    name: 'guesses at a passphrase cost little',
    file: 'src/format/crypto/password-slot.ts',
    text: '{ expires, cost = COST }',
    replacement: '{ expires, cost = { ...COST, memoryKib: 8 } }',
    tests: ['test/system/format/crypto/key-envelope.test.ts'],
  },
  {
    name: 'the program lowers the cost of passphrases',
    file: 'src/agent/open-agent.ts',
    text: 'keyStore, clock: systemClock }',
    replacement: 'keyStore, clock: systemClock, passwordCost: { memoryKib: 8, iterations: 1, parallelism: 1 } }',
    tests: ['test/system/cli/adoption.test.ts'],
  },
  {
    name: 'anybody seals a key to a device in the name of another one',
    file: 'src/format/crypto/device-key.ts',
    text: 'secrets = [ephemeral, author].map(',
    replacement: 'secrets = [ephemeral, ephemeral].map(',
    tests: ['test/system/format/crypto/device-key.test.ts'],
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
    tests: ['test/system/e2e/key-epochs.test.ts'],
  },
  {
    name: 'a computer without the new key goes on backing up',
    file: 'src/repository/repository.ts',
    text: "if (isWithdrawn === true) throw new HoldfastError('key_outdated', {});",
    replacement: '',
    tests: ['test/system/e2e/key-epochs.test.ts'],
  },
  {
    name: 'new chunks are sealed with an earlier key',
    file: 'src/format/crypto/chunk-keys.ts',
    text: 'this.#current = this.#keysOf(subKeys[0]);',
    replacement: 'this.#current = this.#keysOf(subKeys.at(-1)!);',
    tests: ['test/unit/format/crypto/keys.test.ts'],
  },
  {
    name: 'a tree of a removed device counts that appeared after it was removed',
    file: DEVICE_LIMITS,
    text: '|| tree.time > end.time',
    replacement: '',
    tests: DEVICE_LIMITS_TESTS,
  },
  {
    name: 'a tree of an unknown device counts under an earlier key',
    file: DEVICE_LIMITS,
    text: 'if (!limit || tree.epoch < limit.epoch) return false;',
    replacement: 'if (!limit) return true;',
    tests: DEVICE_LIMITS_TESTS,
  },
  {
    name: 'a tree at a service is read whoever made it',
    file: 'src/read/source/tree.ts',
    text: '=== false) {',
    replacement: '=== undefined) {',
    tests: SERVICE_TESTS,
  },
  {
    name: 'an unverified restore takes what a removed device made',
    file: 'src/restore/plan/plan.ts',
    text: ' || isOfRevoked(error)',
    replacement: '',
    tests: SERVICE_TESTS,
  },
  {
    name: 'a removed computer goes on at a service',
    file: 'src/agent/destination/keys/service-keys.ts',
    text: "if (settled.isWithdrawn) throw new HoldfastError('key_outdated', {});",
    replacement: '',
    tests: SERVICE_TESTS,
  },
  {
    name: 'a run at a service ends with the key that was replaced',
    file: 'src/agent/destination/keys/service-keys.ts',
    text: "if (deriveKeys(ring).id !== usedKeyId) throw new HoldfastError('key_changed', {}, { retryable: true });",
    replacement: '',
    tests: SERVICE_TESTS,
  },
  {
    name: 'a device states the public key of another one',
    file: MEMBERS,
    text: '|| envelope.holder?.device !== deviceId',
    replacement: '|| !envelope.holder',
    tests: MEMBERS_TESTS,
  },
  {
    name: 'a public key that nobody knew before the key was changed gets it',
    file: MEMBERS,
    text: 'known !== undefined && Buffer.compare(known.key, key) === 0',
    replacement: 'true',
    tests: MEMBERS_TESTS,
  },
  {
    name: 'a device that was removed elsewhere gets the key by another public key',
    file: MEMBERS,
    text: 'revokedElsewhere.has(holder.id)',
    replacement: 'false',
    tests: MEMBERS_TESTS,
  },
  {
    name: 'a repair lists what only a replaced key proves',
    file: 'src/repository/repair/recover-points.ts',
    text: 'footer.epoch >= keys.epoch ||',
    replacement: 'footer.epoch > 0 ||',
    tests: ['test/system/e2e/key-epochs.test.ts'],
  },
  {
    name: 'a set-up that is killed leaves backups without a key',
    file: 'src/agent/setup/join-repository.ts',
    text: 'await request.begin?.(secrets);',
    replacement: '',
    tests: ['test/system/agent/host/setup/setup-killed.test.ts'],
  },
];
