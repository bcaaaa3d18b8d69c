import { execFileSync } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { setExplorerMenu, type RegistryCall } from '../../../../src/main/file-managers/explorer-menu.ts';

const ITEM = {
  command: [String.raw`C:\Program Files\Holdfast\Holdfast.exe`],
  label: 'Restore previous versions…',
};
const KEY = String.raw`HKCU\Software\Classes\Directory\shell\Holdfast.PreviousVersions`;
const COMMAND = [KEY, 'command'].join('\\');
const LINE = String.raw`"C:\Program Files\Holdfast\Holdfast.exe" "--previous-versions" "%1"`;

test('Explorer gets the item for files and for folders, with the path in quotation marks', () => {
  const calls: RegistryCall[] = [];
  setExplorerMenu(ITEM, (call) => void calls.push(call));
  expect(calls).toHaveLength(6);
  expect(calls).toContainEqual(['add', KEY, '/ve', '/d', ITEM.label, '/f']);
  expect(calls).toContainEqual(['add', COMMAND, '/ve', '/d', LINE, '/f']);
  expect(calls.map(([, key]) => key)).toContain(
    String.raw`HKCU\Software\Classes\*\shell\Holdfast.PreviousVersions\command`,
  );
});

test('the item is removed with everything below it', () => {
  const calls: RegistryCall[] = [];
  setExplorerMenu(undefined, (call) => void calls.push(call));
  expect(calls).toContainEqual(['delete', KEY, '/f']);
  expect(calls).toHaveLength(2);
});

test.skipIf(process.platform !== 'win32')('the registry has what Explorer reads', () => {
  onTestFinished(() => setExplorerMenu(undefined));
  setExplorerMenu(ITEM);
  const query = (key: string): string => execFileSync('reg.exe', ['query', key, '/ve'], { encoding: 'utf8' });
  expect(query(COMMAND)).toContain(LINE);
  setExplorerMenu(undefined);
  expect(() => query(KEY)).toThrow('Command failed');
});
