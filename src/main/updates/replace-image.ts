import { createHash, randomUUID } from 'node:crypto';
import { realpathSync, rmSync } from 'node:fs';
import { open, rename, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { UpdateProblem } from './update-problem.ts';

/**
 * Replaces an AppImage by a downloaded one. What is copied is verified while it is copied: the download may have been replaced since it was verified.
 * Whatever fails leaves the old program as it was. The name stays, since entries of the desktop and links contain it.
 *
 * @param sha512 of the new program, in base64
 * @throws UpdateProblem `damaged` if the download is another file; errors of the file system
 */
export async function replaceImage(download: string, image: string, sha512: string): Promise<void> {
  const target = realpathSync(image);
  const part = join(dirname(target), `.${basename(target)}.${randomUUID()}.part`);
  const { mode } = await stat(target);
  await using source = await open(download, 'r');
  const copy = await open(part, 'wx', 0o600);
  try {
    if ((await copyAndHash(source, copy)) !== sha512) throw new UpdateProblem('damaged');
    await copy.chmod((mode & 0o777) | 0o700);
    await copy.sync();
    await copy.close();
    await rename(part, target);
  } catch (error) {
    rmSync(part, { force: true });
    await copy.close().catch(() => undefined);
    throw error;
  }
  await using folder = await open(dirname(target), 'r');
  await folder.sync();
}

/** Returns whether a file has the digest. @param sha512 in base64 */
export async function hasDigest(file: string, sha512: string): Promise<boolean> {
  await using source = await open(file, 'r');
  return (await copyAndHash(source)) === sha512;
}

/** Returns the SHA-512 of what was copied, in base64. */
async function copyAndHash(source: FileHandle, target?: FileHandle): Promise<string> {
  const hash = createHash('sha512');
  const part = Buffer.alloc(1 << 20);
  for (;;) {
    const { bytesRead } = await source.read(part, 0, part.length);
    if (bytesRead === 0) return hash.digest('base64');
    const bytes = part.subarray(0, bytesRead);
    hash.update(bytes);
    await target?.writeFile(bytes);
  }
}
