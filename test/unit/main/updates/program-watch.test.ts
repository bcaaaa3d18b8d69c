import { describe, expect, test } from 'vitest';
import { ProgramWatch, type FileIdentity } from '../../../../src/main/updates/program-watch.ts';

const [OLD, PART, NEW]: readonly FileIdentity[] = [1, 2, 3].map((ino) => ({ ino, mtimeMs: ino, size: 100 }));

function seen(...identities: readonly (FileIdentity | undefined)[]): readonly (string | undefined)[] {
  const rest = [...identities];
  const watch = new ProgramWatch(() => rest.shift());
  return identities.slice(1).map(() => watch.check());
}

describe('the file of the program', () => {
  test('is reported once when another has its place, twice the same', () => {
    expect(seen(OLD, OLD, NEW, NEW, NEW)).toEqual([undefined, undefined, 'replaced', undefined]);
  });

  test('is not reported in the middle of an installation', () => {
    expect(seen(OLD, undefined, PART, NEW, NEW)).toEqual([undefined, undefined, undefined, 'replaced']);
  });

  test('is reported when it is removed', () => {
    expect(seen(OLD, undefined, undefined, undefined)).toEqual([undefined, 'removed', undefined]);
  });

  test('is not reported when it comes back', () => {
    expect(seen(OLD, undefined, OLD, OLD)).toEqual([undefined, undefined, undefined]);
  });

  test('is reported again for another update', () => {
    expect(seen(OLD, PART, PART, NEW, NEW)).toEqual([undefined, 'replaced', undefined, 'replaced']);
  });
});
