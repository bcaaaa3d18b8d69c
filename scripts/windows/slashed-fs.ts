/** `node:fs` for tests on Windows: names of a recursive listing have slashes. Tests import these functions. */
import fs from 'node:fs';

type List = (path: string, options?: unknown) => unknown;

export const readdirSync = ((path: string, options?: unknown) =>
  slashed((fs.readdirSync as List)(path, options))) as typeof fs.readdirSync;
export const {
  accessSync,
  appendFileSync,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  copyFileSync,
  cpSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  statfsSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} = fs;
// oxlint-disable-next-line import/no-default-export -- as node:fs has one
export default { ...fs, readdirSync };

function slashed(names: unknown): unknown {
  if (!Array.isArray(names)) return names;
  return names.map((name: unknown) => (typeof name === 'string' ? name.replaceAll('\\', '/') : name));
}
