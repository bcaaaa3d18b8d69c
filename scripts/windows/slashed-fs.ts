/** `node:fs` for tests on Windows: names of a recursive listing have slashes, and a test may leave its folder behind. Tests import these functions. */
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, resolve } from 'node:path';

type List = (path: string, options?: unknown) => unknown;

export const readdirSync = ((path: string, options?: unknown) =>
  slashed((fs.readdirSync as List)(path, options))) as typeof fs.readdirSync;
/** Windows removes no file that is open, such as the index of a thread that ends with the process: its folder below the temporary one stays. */
export const rmSync: typeof fs.rmSync = (path, options) => {
  try {
    fs.rmSync(path, options);
  } catch (error) {
    if (typeof path !== 'string' || dirname(resolve(path)) !== resolve(tmpdir())) throw error;
  }
};
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
  statSync,
  statfsSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} = fs;
// oxlint-disable-next-line import/no-default-export -- as node:fs has one
export default { ...fs, readdirSync, rmSync };

function slashed(names: unknown): unknown {
  if (!Array.isArray(names)) return names;
  return names.map((name: unknown) => (typeof name === 'string' ? name.replaceAll('\\', '/') : name));
}
