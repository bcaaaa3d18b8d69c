import { describe, expect, test } from 'vitest';
import { Random } from '../../../helpers/random.ts';
import { alter } from './alter.ts';
import { fuzz, type Reader } from './fuzz.ts';
import { allReaders } from './readers.ts';

/** `npm run campaign -- readers` gives each more. */
const RUNS = 1_000;

describe('bytes from outside', () => {
  test.each(allReaders())('are read or refused by the reader of: $name', (reader) => {
    for (const sample of reader.samples) expect(reader.read(sample)).toBeDefined();
    const { failures, runs } = fuzz(reader, { runs: RUNS, seed: 1 });
    expect(failures).toEqual([]);
    expect(runs).toBe(RUNS);
  });
});

describe('the campaign', () => {
  const sample = Buffer.from('a sample of sixteen');
  const reader: Reader = { name: 'bytes', samples: [sample], isProven: false, read: (bytes) => bytes };

  test('finds a reader that throws something of its own', () => {
    const read = (bytes: Buffer): Buffer => {
      if (bytes.length < sample.length) throw new RangeError('out of bounds');
      return bytes;
    };
    expect(fuzz({ ...reader, read }, { runs: 100, seed: 1 }).failures[0]!.problem).toContain('RangeError');
    const isRefusal = (error: unknown): boolean => error instanceof RangeError;
    expect(fuzz({ ...reader, read, isRefusal }, { runs: 100, seed: 1 }).failures).toEqual([]);
  });

  test('finds a reader that accepts what nobody wrote', () => {
    const { failures } = fuzz({ ...reader, isProven: true }, { runs: 100, seed: 1 });
    expect(failures[0]!.problem).toBe('accepted what nobody wrote');
  });

  test('finds a value with a fault', () => {
    const faultOf = (value: unknown): string | undefined => ((value as Buffer).length === 0 ? 'empty' : undefined);
    expect(fuzz({ ...reader, faultOf }, { runs: 1_000, seed: 1 }).failures[0]).toEqual({ problem: 'empty', bytes: '' });
  });

  test('alters nearly every time, and the same way for the same seed', () => {
    const altered = (): Buffer[] => {
      const random = new Random(7);
      return Array.from({ length: 200 }, () => alter(random, sample, sample));
    };
    const all = altered();
    expect(altered()).toEqual(all);
    expect(all.filter((bytes) => !bytes.equals(sample)).length).toBeGreaterThan(180);
    expect(sample.toString()).toBe('a sample of sixteen');
  });
});
