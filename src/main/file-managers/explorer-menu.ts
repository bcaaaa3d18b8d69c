import { spawnSync } from 'node:child_process';
import type { MenuItem } from './menu-files.ts';
import { PREVIOUS_VERSIONS } from './requested-path.ts';

/** Where Explorer finds the items that a person's programs add to the menus of files and of folders. */
const KEYS = ['*', 'Directory'].map((kind) =>
  [String.raw`HKCU\Software\Classes`, kind, 'shell', 'Holdfast.PreviousVersions'].join('\\'),
);

/** The words of a call of `reg.exe`. */
export type RegistryCall = readonly string[];

/** Adds the item to Explorer's menus, or removes it. A registry that a policy protects stays as it is. @param item `undefined` to remove it */
export function setExplorerMenu(item: MenuItem | undefined, run: (call: RegistryCall) => void = runReg): void {
  for (const call of item ? addingCalls(item) : KEYS.map((key) => ['delete', key, '/f'])) run(call);
}

/** Explorer replaces `%1` by the path, in which there can be no quotation mark. */
function addingCalls({ command, label }: MenuItem): readonly RegistryCall[] {
  const [program = ''] = command;
  const line = [...command, PREVIOUS_VERSIONS, '%1'].map((word) => `"${word}"`).join(' ');
  return KEYS.flatMap((key) => [
    ['add', key, '/ve', '/d', label, '/f'],
    ['add', key, '/v', 'Icon', '/d', program, '/f'],
    ['add', [key, 'command'].join('\\'), '/ve', '/d', line, '/f'],
  ]);
}

function runReg(call: RegistryCall): void {
  spawnSync('reg.exe', call, { stdio: 'ignore', windowsHide: true, timeout: 10_000 });
}
