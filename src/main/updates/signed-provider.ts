import { session } from 'electron';
import { Provider, type ResolvedUpdateFileInfo, type UpdateInfo } from 'electron-updater';
import { parseUpdateInfo, resolveFiles, type ProviderRuntimeOptions } from 'electron-updater/out/providers/Provider.js';
import { isSigned, SIGNATURE_BYTES } from './metadata-signature.ts';
import { readMetadata } from './update-metadata.ts';
import { UpdateProblem } from './update-problem.ts';

/** Those of package.json: `HOLDFAST_UPDATE_URL` and the keys of `npm run package`. */
export interface ServerOptions {
  readonly url: string;
  readonly keys: readonly string[];
}

const LONGEST_METADATA = 256 * 1024;
const PATIENCE_MS = 30_000;

/** A server whose metadata is believed once its signature is verified (docs/decisions/0203-signed-updates.md). */
export class SignedProvider extends Provider<UpdateInfo> {
  readonly #options: ServerOptions;
  readonly #base: URL;

  /** Called by electron-updater. */
  constructor(options: ServerOptions, _updater: unknown, runtime: ProviderRuntimeOptions) {
    super(runtime);
    this.#options = options;
    this.#base = new URL(options.url.endsWith('/') ? options.url : `${options.url}/`);
  }

  /** @throws UpdateProblem */
  async getLatestVersion(): Promise<UpdateInfo> {
    const name = `${this.getDefaultChannelName()}.yml`;
    const bytes = await this.#read(name, LONGEST_METADATA);
    const signature = await this.#read(`${name}.sig`, SIGNATURE_BYTES);
    if (!isSigned(bytes, signature, this.#options.keys)) throw new UpdateProblem('signature');
    let parsed: unknown;
    try {
      parsed = parseUpdateInfo(Buffer.from(bytes).toString(), name, this.#base);
    } catch (error) {
      throw new UpdateProblem('metadata', { cause: error });
    }
    // Two fields of older versions are missing, which it reads only without `files`.
    return readMetadata(parsed, { platform: process.platform, arch: process.arch }) as unknown as UpdateInfo;
  }

  resolveFiles(info: UpdateInfo): ResolvedUpdateFileInfo[] {
    return resolveFiles(info, this.#base);
  }

  /** Reads a small file. The window's own session has no network. */
  async #read(name: string, most: number): Promise<Uint8Array> {
    const network = session.fromPartition('electron-updater', { cache: false });
    let response: Response;
    try {
      const address = new URL(name, this.#base).href;
      response = await network.fetch(address, { redirect: 'error', signal: AbortSignal.timeout(PATIENCE_MS) });
    } catch (error) {
      throw new UpdateProblem('network', { cause: error });
    }
    if (!response.ok || !response.body) throw new UpdateProblem('network');
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const part of response.body as ReadableStream<Uint8Array>) {
      length += part.length;
      if (length > most) throw new UpdateProblem('metadata');
      parts.push(part);
    }
    return Buffer.concat(parts);
  }
}
