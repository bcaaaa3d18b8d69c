import { Provider, type ResolvedUpdateFileInfo, type UpdateInfo } from 'electron-updater';
import { resolveFiles, type ProviderRuntimeOptions } from 'electron-updater/out/providers/Provider.js';
import { httpGet } from '../http-get.ts';
import { fetchSignedMetadata } from './signed-metadata.ts';
import { readMetadata } from './update-metadata.ts';

/** Those of package.json: `HOLDFAST_UPDATE_URL` and the keys of `npm run package`. */
export interface ServerOptions {
  readonly url: string;
  readonly keys: readonly string[];
}

const PATIENCE_MS = 30_000;

/** A server whose metadata is believed once its signature is verified (docs/decisions/0203-signed-updates.md). */
export class SignedProvider extends Provider<UpdateInfo> {
  readonly #keys: readonly string[];
  readonly #base: URL;

  /** Called by electron-updater. */
  constructor({ url, keys }: ServerOptions, _updater: unknown, runtime: ProviderRuntimeOptions) {
    super(runtime);
    this.#keys = keys;
    this.#base = new URL(url.endsWith('/') ? url : `${url}/`);
  }

  /** @throws UpdateProblem */
  async getLatestVersion(): Promise<UpdateInfo> {
    const parsed = await fetchSignedMetadata({
      get: httpGet,
      base: this.#base,
      name: `${this.getDefaultChannelName()}.yml`,
      keys: this.#keys,
      patienceMs: PATIENCE_MS,
    });
    // Two fields of older versions are missing, which it reads only without `files`.
    return readMetadata(parsed, { platform: process.platform, arch: process.arch }) as unknown as UpdateInfo;
  }

  resolveFiles(info: UpdateInfo): ResolvedUpdateFileInfo[] {
    return resolveFiles(info, this.#base);
  }
}
