import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  linkTypeOf,
  readKeptSync,
  writeKeptSync,
  writeProtectionSync,
} from '../../../../../src/os/filesystem/windows/kept-attributes.ts';
import { hasOwnRights, restorableDescriptor } from '../../../../../src/os/filesystem/windows/security-descriptor.ts';
import { inheritedRights, rights, WindowsDouble } from './windows-double.ts';

const PATH = 'C:/Users/anna/a.txt';

describe('what Windows keeps about a file', () => {
  test('is nothing for a file that has only what its folder gives it', () => {
    const system = new WindowsDouble();
    expect(readKeptSync(PATH, system, system)).toBeUndefined();
  });

  test('comes back on another file', () => {
    const from = new WindowsDouble();
    from.file.attributes = 0x1 | 0x2 | 0x4 | 0x20 | 0x800 | 0x2000;
    from.file.security = rights();
    from.file.streams.set('Zone.Identifier', Buffer.from('[ZoneTransfer]'));
    const kept = readKeptSync(PATH, from, from)!;
    expect(Object.keys(kept).toSorted()).toEqual(['system.ntfs_acl', 'system.ntfs_attrib', 'user.Zone.Identifier']);

    const to = new WindowsDouble();
    expect(writeKeptSync(PATH, kept, to, to)).toEqual([]);
    expect(to.file.security).toEqual(inheritedRights());
    expect(writeProtectionSync(PATH, kept, to)).toEqual([]);
    expect(to.file.attributes).toBe(from.file.attributes);
    expect(Buffer.from(to.file.security)).toEqual(rights());
    expect(to.file.streams).toEqual(from.file.streams);
  });

  test('is read as far as the process may', () => {
    const system = new WindowsDouble();
    system.file.attributes = 0x2;
    system.file.security = rights();
    system.forbidden.add('securityOf').add('streamsOf');
    expect(readKeptSync(PATH, system, system)).toEqual({ 'system.ntfs_attrib': Uint8Array.of(2, 0, 0, 0) });
  });

  test('is refused with E2BIG if the streams are too large', () => {
    const system = new WindowsDouble();
    system.file.streams.set('a', Buffer.alloc(9 * 1024 * 1024)).set('b', Buffer.alloc(9 * 1024 * 1024));
    expect(() => readKeptSync(PATH, system, system)).toThrow(expect.objectContaining({ code: 'E2BIG' }) as Error);
  });

  test('names what cannot be set, among it what other systems keep', () => {
    const system = new WindowsDouble();
    const kept = {
      'security.capability': Uint8Array.of(1),
      'com.apple.FinderInfo': Uint8Array.of(1),
      'user.a:b': Uint8Array.of(1),
      'user.': Uint8Array.of(1),
      'user.fine': Uint8Array.of(1),
      'system.ntfs_attrib': Uint8Array.of(1),
    };
    expect(writeKeptSync(PATH, kept, system, system).toSorted()).toEqual([
      'com.apple.FinderInfo',
      'security.capability',
      'system.ntfs_attrib',
      'user.',
      'user.a:b',
    ]);
    expect([...system.file.streams.keys()]).toEqual(['fine']);
  });

  test('names encryption, since the restored content is in the clear', () => {
    const system = new WindowsDouble();
    const kept = { 'system.ntfs_attrib': Uint8Array.of(0x02, 0x40, 0, 0) };
    expect(writeKeptSync(PATH, kept, system, system)).toEqual(['system.ntfs_attrib']);
    expect(writeProtectionSync(PATH, kept, system)).toEqual([]);
    expect(system.file.attributes & 2).toBe(2);
  });

  test('names the owner if only the rights could be set', () => {
    const system = new WindowsDouble();
    system.maySetOwner = false;
    expect(writeProtectionSync(PATH, { 'system.ntfs_acl': rights() }, system)).toEqual(['system.ntfs_acl']);
    expect(Buffer.from(system.file.security)).toEqual(rights());
  });
});

describe('links', () => {
  const junction = Buffer.from([3, 0, 0, 0xa0, 4, 0, 0, 0, 1, 2, 3, 4]);

  test('are of the kind that they had', () => {
    const system = new WindowsDouble();
    system.file.attributes = 0x410;
    system.file.reparseData = junction;
    expect(linkTypeOf(readKeptSync(PATH, system, system)!)).toBe('junction');
    // IO_REPARSE_TAG_SYMLINK
    system.file.reparseData = Buffer.from([0x0c, 0, 0, 0xa0, 0, 0, 0, 0]);
    expect(linkTypeOf(readKeptSync(PATH, system, system)!)).toBe('dir');
    system.file.attributes = 0x400;
    expect(readKeptSync(PATH, system, system)).toBeUndefined();
    expect(linkTypeOf({})).toBe('file');
  });
});

describe('security descriptors', () => {
  test('are kept if they say something of their own', () => {
    expect(hasOwnRights(inheritedRights())).toBe(false);
    expect(hasOwnRights(rights())).toBe(true);
    // SE_DACL_PROTECTED
    expect(hasOwnRights(rights({ control: 0x9404, aceFlags: 0x10 }))).toBe(true);
  });

  test('ask for inherited entries to stay inherited', () => {
    expect(Buffer.from(restorableDescriptor(inheritedRights())!).readUInt16LE(2)).toBe(0x8504);
  });

  test('of a hostile backup are never read beyond their end', () => {
    const valid = rights();
    for (let length = 0; length < valid.length; length += 1) {
      expect(restorableDescriptor(valid.subarray(0, length))).toBeUndefined();
    }
    fc.assert(
      fc.property(fc.nat(valid.length - 1), fc.nat(255), (at, value) => {
        const broken = Uint8Array.from(valid);
        broken[at] = value;
        const checked = restorableDescriptor(broken);
        if (checked) expect(checked.length).toBe(valid.length);
      }),
    );
    for (const offset of [4, 8, 16]) {
      const broken = Buffer.from(valid);
      broken.writeUInt32LE(0xffff_fff0, offset);
      expect(restorableDescriptor(broken)).toBeUndefined();
    }
  });
});
