import type { Mutant } from './mutant.ts';

/** What would let a collection delete what somebody needs. */
export const COLLECTION_MUTANTS: readonly Mutant[] = [
  {
    name: 'the collector copies blobs without opening them',
    file: 'src/repository/collect/rescue-blobs.ts',
    text: '    if (!(await areSound(repository, copies))) return false;\n',
    replacement: '    void areSound;\n',
    tests: ['test/repository/collect/collector.test.ts'],
  },
  {
    name: 'a pack is condemned although its living blobs could not be read',
    file: 'src/repository/collect/collection.ts',
    text: 'if (isCopied) copied.push(pack);',
    replacement: 'if (isCopied || pack.bytes > 0) copied.push(pack);',
    tests: ['test/repository/collect/collector.test.ts'],
  },
  {
    name: 'the collector works in a damaged repository',
    file: 'src/repository/collect/collection.ts',
    text: "    if (!isWhole(repository)) return this.#result('damage');\n",
    replacement: '    void isWhole;\n',
    tests: ['test/repository/collect/collector.test.ts'],
  },
  {
    name: 'the collector works while an alarm is held',
    file: 'src/repository/collect/collection.ts',
    text: "    if (projection.points.alarms().length > 0) return this.#result('alarm');\n",
    replacement: '',
    tests: ['test/repository/collect/collector.test.ts'],
  },
  {
    name: 'packs are condemned soon after others were lost',
    file: 'src/repository/collect/collection.ts',
    text: 'const isHeld = waiting.mayComeBack();',
    replacement: 'const isHeld = false;',
    tests: ['test/repository/collect/collector.test.ts'],
  },
  {
    name: 'a condemned pack is deleted before three days have passed',
    file: 'src/repository/collect/waiting-packs.ts',
    text: 'return Math.min(...age) >= CONDEMNED_FOR_MS && isSeenByAll;',
    replacement: 'return age.length > 0 && isSeenByAll;',
    tests: ['test/repository/collect/collector.test.ts'],
  },
  {
    name: 'a condemned pack is deleted before every device has read of it',
    file: 'src/repository/collect/waiting-packs.ts',
    text: 'return Math.min(...age) >= CONDEMNED_FOR_MS && isSeenByAll;',
    replacement: 'return Math.min(...age) >= CONDEMNED_FOR_MS || !isSeenByAll;',
    tests: ['test/repository/collect/collector.test.ts'],
  },
  {
    name: 'a time in the future is young for years',
    file: 'src/repository/collect/ages.ts',
    text: '(time <= now ? time : this.#repository.projection.futureTimes.seen(name, now))',
    replacement: 'time',
    tests: ['test/repository/collect/collector.test.ts'],
  },
  {
    name: 'the store’s time is that of the file with the latest one',
    file: 'src/repository/collect/ages.ts',
    text: 'const now = this.#listing.get(writerKey.id)?.at(-1)?.created;',
    replacement:
      'const now = Math.max(...[...this.#listing.values()].flat().map((file) => file.created ?? 0), 0 * writerKey.id.length);',
    tests: ['test/repository/collect/collector.test.ts'],
  },
  {
    name: 'a condemned pack is deleted although a restore point needs it',
    file: 'src/repository/collect/collection.ts',
    text: 'deleted = isOver ? packs.filter((pack) => !this.#isNeeded(pack)) : [];',
    replacement: 'deleted = isOver ? packs : [];',
    tests: ['test/repository/collect/collector.test.ts'],
  },
  {
    name: 'a condemned pack is deleted without a second look at the restore points',
    file: 'src/repository/collect/collection.ts',
    text: '      await this.#live.addAll(points.all(), this.#signal);\n      // Somebody',
    replacement: '      // Somebody',
    tests: ['test/repository/collect/collector.test.ts'],
  },
  {
    name: 'space is freed at once although somebody has joined meanwhile',
    file: 'src/repository/collect/collection.ts',
    text: 'const isOver = !isWaived || this.#isWaived(listing);',
    replacement: 'const isOver = isWaived || !isWaived;',
    tests: ['test/repository/collect/free-space.test.ts'],
  },
  {
    name: 'a computer that shares a destination may free space at once',
    file: 'src/repository/collect/sole-writer.ts',
    text: 'return writers.every((writer) => writer === writerKey.id);',
    replacement: 'return writers.length > 0 || writerKey.id.length === 0;',
    tests: ['test/repository/collect/free-space.test.ts'],
  },
  {
    name: 'packs that another computer has begun to store do not count as somebody else',
    file: 'src/repository/collect/sole-writer.ts',
    text: 'if (!isKnown && !packs.isDeleted(hash) && !packs.isLost(hash)) return true;',
    replacement: 'if (!isKnown && packs.isDeleted(hash) && packs.isLost(hash)) return true;',
    tests: ['test/repository/collect/free-space.test.ts'],
  },
];
