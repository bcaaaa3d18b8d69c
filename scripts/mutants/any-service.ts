import type { Mutant } from './mutant.ts';

const DOWNLOADER_TESTS = ['test/system/remote/blobs/presigned-downloader.test.ts'] as const;
const COMPRESSION_TESTS = ['test/system/contract/any-service/compression.test.ts'] as const;

/** What a service may do that has the interface and nothing else. */
export const ANY_SERVICE_MUTANTS: readonly Mutant[] = [
  {
    name: 'a service that announces no compression gets compressed chunks',
    file: 'src/remote/blobs/blob-form.ts',
    text: "capabilities.has('backup.compression') ? 'packed' : 'plain'",
    replacement: "'packed'",
    tests: COMPRESSION_TESTS,
  },
  {
    name: 'a copy passes compressed chunks on to a service that takes none',
    file: 'src/copy/reseal-chunks.ts',
    text: 'chunk[0] === ZSTD',
    replacement: 'chunk[0] === -1',
    tests: COMPRESSION_TESTS,
    testName: 'sealed anew',
  },
  {
    name: "the first byte of another program's IV is taken for a packing",
    file: 'src/format/crypto/blob.ts',
    text: '!isUnpacked && !isNamed(content, digest)',
    replacement: '!isUnpacked && (packing !== AS_IT_IS || !isNamed(content, digest))',
    tests: ['test/unit/format/crypto/blob.test.ts', ...COMPRESSION_TESTS],
    testName: 'another program',
  },
  {
    name: "another program's IV is taken for an epoch",
    file: 'src/format/crypto/chunk-keys.ts',
    text: '[...stated, ...others]',
    replacement: 'stated',
    tests: COMPRESSION_TESTS,
    testName: 'another program',
  },
  {
    name: 'a refused batch of addresses takes all of its chunks with it',
    file: 'src/remote/blobs/download-addresses.ts',
    text: 'if (hashes.length > 1) return await this.#ofHalves(sessionId, hashes, signal);\n',
    replacement: '\n',
    tests: DOWNLOADER_TESTS,
    testName: 'halves a batch',
  },
  {
    name: 'a storage that delivers nothing loses every file without an error',
    file: 'src/remote/blobs/presigned-downloader.ts',
    text: 'if (!isOfBlob || this.#givenUp >= MOST_GIVEN_UP) throw error;',
    replacement: "if (!isHoldfastError(error, 'service_error')) throw error;",
    tests: DOWNLOADER_TESTS,
    testName: 'delivers nothing, or ceases to',
  },
  {
    name: 'a redirect of an object storage leads from https to http',
    file: 'src/remote/http/redirects.ts',
    text: "next.protocol === 'http:' && protocol === 'http:'",
    replacement: "next.protocol === 'http:'",
    tests: ['test/unit/remote/http/redirects.test.ts'],
  },
  {
    name: 'a run that is complete is sent again, since its answer was lost',
    file: 'src/archive/backup/target/session.ts',
    text: 'if (found) return found;',
    replacement: 'if (found && files < 0) return found;',
    tests: ['test/system/contract/any-service/any-service.test.ts'],
    testName: 'complete-forgotten',
  },
  {
    name: 'a web page counts as the answer that a session is unknown',
    file: 'src/remote/client/error-response.ts',
    text: 'isHtml(response) && NO_SERVICE.has(status)',
    replacement: 'isHtml(response) && status === 405',
    tests: ['test/system/contract/any-service/any-service.test.ts'],
    testName: 'page',
  },
  {
    name: 'a copied home keeps its writer',
    file: 'src/agent/operations/renew-writer.ts',
    text: ', deviceKey: writer.text };',
    replacement: ' };',
    tests: ['test/system/cli/renewed-identity.test.ts'],
  },
];
