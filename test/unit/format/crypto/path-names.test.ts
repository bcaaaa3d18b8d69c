import { aessiv } from '@noble/ciphers/aes.js';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PathNames } from '../../../../src/format/crypto/path-names.ts';
import { HoldfastError } from '../../../../src/base/errors/errors.ts';
import { isEntryPath } from '../../../../src/protocol/path.ts';
import { isWithin, parentOf } from '../../../../src/model/entry-path.ts';
import { anyCharacter } from '../../../helpers/any-character.ts';
import { epochKeys } from '../../../helpers/epoch-keys.ts';

const KEY = Buffer.alloc(64, 5);
const KEYS = epochKeys(KEY);

const segment = fc
  .oneof(
    fc.string({ minLength: 1, unit: anyCharacter }),
    fc.constantFrom('a', 'b', 'with space', '\u{10FFFD}_w', '...'),
  )
  .filter((name) => isEntryPath(`/${name}`) && !name.includes('/') && name.isWellFormed());
const entryPath = fc
  .tuple(fc.constantFrom('', '', 'C:'), fc.array(segment, { minLength: 1, maxLength: 6 }))
  .map(([first, names]) => [first, ...names].join('/'))
  .filter((path) => !path.startsWith('/.holdfast'));

function refused(open: () => unknown): void {
  expect(open).toThrow(HoldfastError);
  expect(open).toThrow(/^service_answer_suspicious: problem=sealed-name/);
}

describe('private names', () => {
  test('follow the format, checked by another implementation of AES-SIV', () => {
    const seal = (data: string, name: string): string =>
      Buffer.from(aessiv(KEY, Buffer.from(data)).encrypt(Buffer.from(name))).toString('base64url');
    const home = `/${seal('/', 'home')}`;
    const anna = `${home}/${seal(home, 'anna')}`;
    const names = new PathNames(KEYS);
    expect(names.sealPath('/home')).toBe(home);
    expect(names.sealPath('/home/anna')).toBe(anna);
    expect(names.sealPath('/home/anna/a b')).toBe(`${anna}/${seal(anna, 'a b')}`);
    expect(names.sealPath('C:/Users')).toBe(`C:/${seal('C:', 'Users')}`);
  });

  test('open to their plaintext, are entry paths, and keep the parent', () => {
    const names = new PathNames(KEYS, 8);
    fc.assert(
      fc.property(entryPath, (path) => {
        const sealed = names.sealPath(path);
        expect(isEntryPath(sealed)).toBe(true);
        expect(names.openPath(sealed)).toBe(path);
        expect(new PathNames(KEYS).sealPath(path)).toBe(sealed);
        expect(new PathNames(KEYS).openPath(sealed)).toBe(path);
        if (isEntryPath(parentOf(path))) expect(parentOf(sealed)).toBe(names.sealPath(parentOf(path)));
      }),
    );
  });

  test('a sealed prefix contains the sealed paths below it', () => {
    const names = new PathNames(KEYS);
    fc.assert(
      fc.property(entryPath, entryPath, (path, prefix) => {
        expect(isWithin(names.sealPath(path), names.sealPath(prefix))).toBe(isWithin(path, prefix));
      }),
    );
    expect(names.sealPath('')).toBe('');
    expect(names.sealPath('/')).toBe('/');
  });

  test('equal names in different folders differ', () => {
    const names = new PathNames(KEYS);
    const last = (path: string): string => names.sealPath(path).split('/').at(-1)!;
    expect(last('/a/same')).not.toBe(last('/b/same'));
    expect(last('/same')).not.toBe(last('/same/same'));
  });

  test.each(['/.holdfast', '/.holdfast/tree', '/.holdfast/keys'])('%s is not sealed', (path) => {
    const names = new PathNames(KEYS);
    expect(names.sealPath(path)).toBe(path);
    expect(names.openPath(path)).toBe(path);
  });

  test('a name of 255 bytes becomes longer than file systems allow', () => {
    const names = new PathNames(KEYS);
    const path = `/${'n'.repeat(255)}`;
    const sealed = names.sealPath(path);
    expect(sealed.length).toBeGreaterThan(256);
    expect(names.openPath(sealed)).toBe(path);
  });

  describe('openPath rejects', () => {
    const names = new PathNames(KEYS);
    const sealed = names.sealPath('/home/anna/letter');
    const [, home, anna, letter] = sealed.split('/') as [string, string, string, string];

    test.each([
      ['a clear name', '/home'],
      ['a name that was moved up', `/${home}/${letter}`],
      ['a name that was moved down', `/${home}/${anna}/${letter}/${letter}`],
      ['two folders in each other’s place', `/${anna}/${home}/${letter}`],
      ['a shortened name', `/${home}/${anna}/${letter.slice(0, -1)}`],
      ['a name with something behind it', `/${home}/${anna}/${letter}A`],
      ['padding', `/${home}/${anna}/${letter}=`],
      ['an alphabet that is not base64url', `/${home}/${anna}/${letter.slice(0, -2)}+/`],
      ['an empty name', `/${home}//${letter}`],
    ])('%s', (_, path) => {
      refused(() => names.openPath(path));
    });

    test('every other spelling of a name', () => {
      for (let index = 0; index < letter.length; index += 1) {
        for (const character of 'AQgw_-9') {
          if (letter[index] === character) continue;
          refused(() =>
            names.openPath(`/${home}/${anna}/${letter.slice(0, index)}${character}${letter.slice(index + 1)}`),
          );
        }
      }
    });

    test('names under another key', () => {
      refused(() => new PathNames(epochKeys(Buffer.alloc(64, 6))).openPath(sealed));
    });
  });

  test.each(['..', '.', 'a/b', 'a\0b'])('a key holder cannot smuggle in the name %j', (name) => {
    const evil = Buffer.from(aessiv(KEY, Buffer.from('/')).encrypt(Buffer.from(name))).toString('base64url');
    refused(() => new PathNames(KEYS).openPath(`/${evil}`));
    refused(() => new PathNames(KEYS).openPath(`/${evil}/x`));
  });

  test('a cache of one directory gives the same names', () => {
    const small = new PathNames(KEYS, 1);
    const large = new PathNames(KEYS);
    for (const path of ['/a/b/c', '/a/d/e', '/a/b/f', '/g', '/a/b/c']) {
      expect(small.sealPath(path)).toBe(large.sealPath(path));
      expect(small.openPath(large.sealPath(path))).toBe(path);
    }
  });

  test('open in every epoch, and are sealed in the current one', () => {
    const later = epochKeys(Buffer.alloc(64, 6));
    const names = new PathNames([{ epoch: 2, key: later[0].key }, KEYS[0]]);
    const [before, after] = [new PathNames(KEYS), new PathNames(later)].map((one) => one.sealPath('/home/anna'));
    expect(names.sealPath('/home/anna')).toBe(after);
    expect(names.sealedPaths('/home/anna')).toEqual([after, before]);
    expect([before!, after!].map((sealed) => names.openPath(sealed))).toEqual(['/home/anna', '/home/anna']);
    expect(names.sealedPaths('')).toEqual(['']);
    refused(() => names.openPath(new PathNames(epochKeys(Buffer.alloc(64, 7))).sealPath('/home')));
  });
});
