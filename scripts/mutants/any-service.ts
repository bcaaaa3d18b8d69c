import type { Mutant } from './mutant.ts';

const COMPRESSION_TESTS = ['test/contract/any-service/compression.test.ts'] as const;

/** What a service may do that has the interface and nothing else. */
export const ANY_SERVICE_MUTANTS: readonly Mutant[] = [
  {
    name: 'a service that announces no compression gets compressed chunks',
    file: 'src/engine/transfer/blobs/blob-form.ts',
    text: "capabilities.has('backup.compression') ? 'packed' : 'plain'",
    replacement: "'packed'",
    tests: COMPRESSION_TESTS,
  },
  {
    name: 'a copy passes compressed chunks on to a service that takes none',
    file: 'src/engine/copy/reseal-chunks.ts',
    text: 'chunk[0] === ZSTD',
    replacement: 'chunk[0] === -1',
    tests: COMPRESSION_TESTS,
    testName: 'sealed anew',
  },
  {
    name: "the first byte of another program's IV is taken for a packing",
    file: 'src/engine/crypto/blob.ts',
    text: '!isUnpacked && !isNamed(content, digest)',
    replacement: '!isUnpacked && (packing !== AS_IT_IS || !isNamed(content, digest))',
    tests: ['test/engine/crypto/blob.test.ts', ...COMPRESSION_TESTS],
    testName: 'another program',
  },
  {
    name: "another program's IV is taken for an epoch",
    file: 'src/engine/crypto/chunk-keys.ts',
    text: '[...stated, ...others]',
    replacement: 'stated',
    tests: COMPRESSION_TESTS,
    testName: 'another program',
  },
];
