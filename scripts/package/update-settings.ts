import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { newsOf } from '../../src/main/updates/news.ts';

/** What the app knows of its updates, as `holdfast` in its package.json. */
interface UpdateMetadata {
  readonly updates?: { readonly url: string; readonly keys: readonly string[] };
}

const KEY = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g;

/**
 * Returns the server of updates and the keys that sign them: `HOLDFAST_UPDATE_URL`, and the file with keys in PEM that
 * `HOLDFAST_UPDATE_PUBLIC_KEY` names. Without either of them the app looks for no updates (docs/decisions/0203-signed-updates.md).
 *
 * @throws Error if only one of them is set, or a key is not one of Ed25519
 */
export function updateMetadata(environment: NodeJS.ProcessEnv): UpdateMetadata {
  const { HOLDFAST_UPDATE_URL: url = '', HOLDFAST_UPDATE_PUBLIC_KEY: file = '' } = environment;
  if (url === '' && file === '') return {};
  if (url === '' || file === '') {
    throw new Error(
      'HOLDFAST_UPDATE_URL and HOLDFAST_UPDATE_PUBLIC_KEY belong together: updates without a key are never accepted',
    );
  }
  const keys = [...readFileSync(file, 'utf8').matchAll(KEY)].map(([pem]) => {
    const key = createPublicKey(pem);
    if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${file} contains a key that is not one of Ed25519`);
    return key.export({ format: 'der', type: 'spki' }).toString('base64');
  });
  if (keys.length === 0) throw new Error(`${file} contains no public key in PEM`);
  return { updates: { url, keys } };
}

/** What the metadata of an update say of a version. */
interface ReleaseInfo {
  /** Markdown. */
  readonly releaseNotes: string;
  readonly releaseDate: string;
}

/** @param epoch in seconds */
export function releaseInfo(changelog: string, version: string, epoch: string): ReleaseInfo {
  return { releaseNotes: newsOf(changelog, version), releaseDate: new Date(Number(epoch) * 1000).toISOString() };
}
