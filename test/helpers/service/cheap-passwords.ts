import type { Argon2idCost } from '../../../src/base/crypto/argon2id.ts';

/** The smallest cost, for tests of something else than the strength of hashes: the usual one takes a tenth of a second. */
export const CHEAP: Argon2idCost = { memoryKib: 8, iterations: 1, parallelism: 1 };
