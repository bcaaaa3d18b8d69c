import { parseUpdateInfo } from 'electron-updater/out/providers/Provider.js';
import type { HttpGet } from '../http-get.ts';
import { UpdateProblem } from '../update-problem.ts';
import { isSigned, SIGNATURE_BYTES } from './metadata-signature.ts';
import { KIB } from '../../../model/units.ts';

/** In bytes. */
export const LONGEST_METADATA = 256 * KIB;

export interface MetadataSource {
  readonly get: HttpGet;
  /** The folder of the server, with a slash at its end. */
  readonly base: URL;
  /** Of the metadata in it; the signature's is the same with `.sig`. */
  readonly name: string;
  /** Ed25519, as DER SubjectPublicKeyInfo in base64. */
  readonly keys: readonly string[];
  /** Each of the two files has to be there after this time. */
  readonly patienceMs: number;
}

/**
 * Reads metadata and their signature from a server that may be anybody's. Nothing is parsed before the signature was verified.
 *
 * @returns what the metadata contain, still of any form @throws UpdateProblem
 */
export async function fetchSignedMetadata(source: MetadataSource): Promise<unknown> {
  const bytes = await readSmallFile(source, source.name, LONGEST_METADATA);
  const signature = await readSmallFile(source, `${source.name}.sig`, SIGNATURE_BYTES);
  if (!isSigned(bytes, signature, source.keys)) throw new UpdateProblem('signature');
  try {
    return parseUpdateInfo(Buffer.from(bytes).toString(), source.name, source.base);
  } catch (error) {
    throw new UpdateProblem('metadata', { cause: error });
  }
}

/** @param most bytes, after which nothing is read any more */
async function readSmallFile(source: MetadataSource, name: string, most: number): Promise<Uint8Array> {
  const ended = new AbortController();
  const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(source.patienceMs)]);
  try {
    const response = await source.get(new URL(name, source.base).href, signal);
    if (!response.ok || !response.body) throw new UpdateProblem('network');
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const part of response.body) {
      length += part.length;
      if (length > most) throw new UpdateProblem('metadata');
      parts.push(part);
    }
    return Buffer.concat(parts);
  } catch (error) {
    throw error instanceof UpdateProblem ? error : new UpdateProblem('network', { cause: error });
  } finally {
    // Ends a response that was not read to its end.
    ended.abort();
  }
}
