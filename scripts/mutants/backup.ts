import type { Mutant } from './mutant.ts';

/** Backups: what is read again, what counts as deleted, and what the catalog stores of it. */
export const BACKUP_MUTANTS: readonly Mutant[] = [
  {
    name: 'an unreadable folder counts as emptied',
    file: 'src/engine/scan/scanner.ts',
    text: '      this.#countKnown(folder.id);\n      return undefined;',
    replacement: '      this.#countKnown(folder.id);\n      return [];',
    tests: ['test/engine/scan/scanner.test.ts'],
  },
  {
    name: 'an entry whose state cannot be read counts as deleted',
    file: 'src/engine/scan/scanner.ts',
    text: 'if (known) return this.#keep(known);',
    replacement: 'if (known) this.#catalog.remove(folder.id, known);',
    tests: ['test/engine/scan/scanner.test.ts'],
  },
  {
    name: 'a file that another one replaced is not read again',
    file: 'src/engine/filesystem/stat-record.ts',
    text: 'CHANGE_SIGNATURE_BYTES = 4 * 8',
    replacement: 'CHANGE_SIGNATURE_BYTES = 3 * 8',
    tests: ['test/engine/filesystem/stat-record.test.ts'],
  },
  {
    name: 'a time of change within one tick of the clock is trusted',
    file: 'src/engine/filesystem/stat-record.ts',
    text: '  if (ageOf(ctimeNs, now) < tickOf(ctimeNs)) return true;\n',
    replacement: '',
    tests: ['test/engine/filesystem/stat-record.test.ts'],
  },
  {
    name: 'a file that changes while it is read replaces its good version',
    file: 'src/engine/backup/reading/chunking-queue.ts',
    text: 'if (hasPrevious || state === CHANGED) return;',
    replacement: 'if ((hasPrevious && Date.now() < 0) || state === CHANGED) return;',
    tests: ['test/engine/backup/reading/chunking-queue.test.ts'],
  },
  {
    name: 'a source that went away during the scan looks emptied',
    file: 'src/engine/backup/reading/shared-reading.ts',
    text: '      this.recheckRoots();\n',
    replacement: '',
    tests: ['test/engine/backup/reading/shared-reading.test.ts'],
  },
  {
    name: 'a destination whose trees were forgotten is still counted on',
    file: 'src/engine/catalog/entries.ts',
    text: "this.#database.prepare('DELETE FROM committed_tree WHERE destination = ?').run(destination);",
    replacement: 'void destination;',
    tests: ['test/engine/catalog/catalog.test.ts'],
  },
  {
    name: 'a later commit succeeds without the write that failed',
    file: 'src/engine/catalog/write-batch.ts',
    text: '    this.#failure = { reason };\n',
    replacement: '    void reason;\n',
    tests: ['test/engine/catalog/catalog.test.ts'],
  },
  {
    name: 'an error quotes the recovery phrase',
    file: 'src/engine/crypto/recovery-phrase.ts',
    text: "  } catch {\n    // The cause's message may quote the phrase, so it is not kept.\n    throw new HoldfastError('phrase_invalid', { problem: 'checksum' });",
    replacement:
      "  } catch (cause) {\n    throw new HoldfastError('phrase_invalid', { problem: 'checksum' }, { cause: new Error(words.join(' '), { cause }) });",
    tests: ['test/engine/crypto/recovery-phrase.test.ts'],
  },
  {
    name: 'the address of packs that the storage refused is used again',
    file: 'src/engine/transfer/blobs/pack-exchange.ts',
    text: "      if ('error' in outcome && outcome.isAddressRejected) this.#address = undefined;\n",
    replacement: '',
    tests: ['test/engine/transfer/blobs/pack-exchange.test.ts'],
  },
  {
    name: 'an address is used until it expires',
    file: 'src/engine/transfer/blobs/storage-exchange.ts',
    text: 'return clock.now() + lifetime - Math.min(MARGIN_MS, lifetime / 5);',
    replacement: 'return clock.now() + lifetime;',
    tests: ['test/engine/transfer/blobs/pack-exchange.test.ts'],
  },
  {
    name: 'the tag of a blob is not compared',
    file: 'src/engine/crypto/blob.ts',
    text: '    decipher.final();\n',
    replacement: '    void decipher.final;\n',
    tests: ['test/engine/crypto/blob.test.ts'],
  },
  {
    name: 'the plaintext of a blob is not compared with its digest',
    file: 'src/engine/crypto/blob.ts',
    text: "  if (!hash('sha256', plaintext, 'buffer').equals(digest)) throw refusal('chunk_corrupt', digest, 'digest');\n",
    replacement: '  void hash;\n',
    tests: ['test/engine/crypto/blob.test.ts'],
  },
  {
    name: 'a compressed blob may grow without bound',
    file: 'src/engine/crypto/blob.ts',
    text: 'Math.min(size ?? MAX_PLAINTEXT_BYTES, MAX_PLAINTEXT_BYTES)',
    replacement: 'Number.MAX_SAFE_INTEGER',
    tests: ['test/engine/crypto/blob.test.ts'],
  },
];
