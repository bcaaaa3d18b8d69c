import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { privateDescriptor, restrictFolder } from '../../../../../src/os/filesystem/windows/private-folder.ts';
import { ownIdentifier } from '../../../../../src/os/filesystem/windows/process-token.ts';
import { hasOwnRights, restorableDescriptor } from '../../../../../src/os/filesystem/windows/security-descriptor.ts';
import { windowsFileSystem } from '../../../../../src/os/filesystem/windows/windows-file-system.ts';

const ON_WINDOWS = process.platform === 'win32';
/** S-1-5-21-1-2-3-1000 */
const ANNA = Buffer.from('010500000000000515000000010000000200000003000000e8030000', 'hex');

test('the rights of a private folder are valid, protected, and name one account and the system', () => {
  const descriptor = privateDescriptor(ANNA);
  expect(restorableDescriptor(descriptor)).toBeDefined();
  expect(hasOwnRights(descriptor)).toBe(true);
  // SE_DACL_PROTECTED: nothing comes from the folder above.
  expect(descriptor.readUInt16LE(2) & 0x1000).toBe(0x1000);
  expect(descriptor.readUInt16LE(24)).toBe(2);
  expect(descriptor.includes(ANNA)).toBe(true);
});

test.skipIf(ON_WINDOWS)('a folder is left alone elsewhere', () => {
  expect(restrictFolder('/nowhere')).toBe(false);
});

test.skipIf(!ON_WINDOWS)('a private folder belongs to this account, and can still be used', () => {
  const parent = mkdtempSync(join(tmpdir(), 'holdfast-private-'));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const folder = join(parent, 'home');
  mkdirSync(folder);
  expect(restrictFolder(folder)).toBe(true);
  const rights = Buffer.from(windowsFileSystem()!.securityOf(folder));
  // S-1-1-0, everybody.
  expect(rights.includes(Buffer.from('010100000000000100000000', 'hex'))).toBe(false);
  expect(rights.includes(ownIdentifier()!)).toBe(true);
  writeFileSync(join(folder, 'settings.json'), '{}');
  expect(restrictFolder(folder)).toBe(true);
});
