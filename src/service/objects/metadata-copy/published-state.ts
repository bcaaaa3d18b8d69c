import { open, readFile, rename } from 'node:fs/promises';
import { z } from 'zod';

/** The contents of one generation. */
const copyManifest = z.object({
  version: z.literal(1),
  generation: z.int().positive(),
  /** Size of the file. */
  bytes: z.int().nonnegative(),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  /** Names of the parts, of which later ones overwrite earlier ones. */
  parts: z.array(z.string().regex(/^[0-9a-f]{32}$/)),
  /** Blocks in all parts: more than the file has, once some have changed. */
  blocks: z.int().nonnegative(),
});
export type CopyManifest = z.infer<typeof copyManifest>;

export function readManifest(bytes: Uint8Array): CopyManifest | undefined {
  try {
    return copyManifest.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  } catch {
    return undefined;
  }
}

/** The last generation that this computer read or published, so that it sends only what has changed since. */
export interface PublishedState {
  readonly manifest: CopyManifest;
  /** See `FileState.blocks`. */
  readonly blocks: Buffer;
}

/** Returns `undefined` if there is none or it cannot be read: then everything is sent again. */
export async function loadState(path: string): Promise<PublishedState | undefined> {
  const bytes = await readFile(path).catch(() => undefined);
  if (!bytes) return undefined;
  const end = bytes.indexOf('\n');
  const manifest = end < 0 ? undefined : readManifest(bytes.subarray(0, end));
  return manifest && { manifest, blocks: bytes.subarray(end + 1) };
}

export async function saveState(path: string, { manifest, blocks }: PublishedState): Promise<void> {
  const file = await open(`${path}.new`, 'w', 0o600);
  try {
    await file.writeFile(Buffer.concat([Buffer.from(`${JSON.stringify(manifest)}\n`), blocks]));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
}
