import { DIGEST_BYTES } from '../chunks/chunk-list.ts';

/** Divides digests that stand one after the other. */
export function* digestsIn(joined: Buffer): Generator<Buffer> {
  for (let at = 0; at < joined.length; at += DIGEST_BYTES) yield joined.subarray(at, at + DIGEST_BYTES);
}
