import { access, constants, open, readdir, stat, statfs, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CHECK_FILE } from '../../database/store-directory.ts';
import { failed, ok, reasonOf, warning } from './finding.ts';
import type { Finding } from './finding.ts';

/** Minimum free space in bytes. */
const LITTLE_ROOM = 1000 ** 3;

const OTHERS = 0o077;

/** Checks that the service's folder is writable, has space, and is closed to other users. */
export async function checkDataFolder(data: string): Promise<readonly Finding[]> {
  const found = await stat(data).catch((error: unknown) => reasonOf(error));
  if (found === 'ENOENT') return [await checkParent(data)];
  if (typeof found === 'string') return [failed('data', `${data} cannot be looked into (${found}).`)];
  if (!found.isDirectory()) return [failed('data', `${data} is not a folder.`)];
  const problem = await writingProblem(data);
  if (problem !== undefined) {
    const who = process.getuid === undefined ? 'this user' : `user ${process.getuid()}`;
    return [failed('data', `${data} cannot be written by ${who} (${problem}).`)];
  }
  return [await roomFinding(data), await permissionFinding(data)];
}

async function checkParent(data: string): Promise<Finding> {
  const parent = dirname(data);
  try {
    await access(parent, constants.W_OK | constants.X_OK);
    return ok('data', `${data} is not there yet; the service will make it.`);
  } catch (error) {
    return failed('data', `${data} is not there, and ${parent} does not let us make it (${reasonOf(error)}).`);
  }
}

/** Writes a file, since permissions do not show read-only mounts and full disks. */
async function writingProblem(data: string): Promise<string | undefined> {
  const file = join(data, `${CHECK_FILE}${process.pid}`);
  try {
    const handle = await open(file, 'wx', 0o600);
    try {
      await handle.writeFile('check\n');
      await handle.sync();
    } finally {
      await handle.close();
      await unlink(file);
    }
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

async function roomFinding(data: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(data);
  const room = bavail * bsize;
  const text = `${(room / 1000 ** 3).toFixed(1)} GB free`;
  return room < LITTLE_ROOM
    ? warning('data', `${data} can be written, with only ${text}.`)
    : ok('data', `${data} can be written, ${text}.`);
}

async function permissionFinding(data: string): Promise<Finding> {
  const folder = await stat(data);
  const { uid } = folder;
  if ((folder.mode & OTHERS) === 0) return ok('data', 'The folder is closed to other users of this computer.');
  const files = (await readdir(data, { withFileTypes: true })).filter((entry) => entry.isFile());
  const readable: string[] = [];
  for (const { name } of files) {
    const file = await stat(join(data, name)).catch(() => undefined);
    if (file && (file.mode & OTHERS) !== 0) readable.push(name);
  }
  if (readable.length > 0) {
    const names = readable.slice(0, 3).join(', ');
    return warning('data', `Other users of this computer can read ${names}: chmod -R go-rwx ${data}.`);
  }
  const owner = uid === process.getuid?.() ? '' : `, and it belongs to user ${uid}`;
  return warning('data', `Other users of this computer can look into the folder${owner}: chmod 700 ${data}.`);
}
