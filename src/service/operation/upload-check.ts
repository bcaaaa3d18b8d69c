import { MAXIMUM_CHUNK_BYTES } from '../backup/store/packed-chunks.ts';
import { arrivingBytes } from '../request/arriving-bytes.ts';
import { ServiceProblem } from '../request/problem.ts';

/** Takes a PUT whose bytes are dropped: `service check` tries with it what proxies let through. */
export const UPLOAD_CHECK_PATH = '/healthz';

/** Initialisation vector and tag of a sealed chunk. */
const OVERHEAD = 28;

/** Bytes of the largest blob. */
export const LARGEST_UPLOAD = MAXIMUM_CHUNK_BYTES + OVERHEAD;

/** Reads and drops a body. Returns its bytes. A longer one is rejected by its announced length. @throws ServiceProblem `too_large` */
export async function dropBody(request: Request): Promise<number> {
  let bytes = 0;
  if (Number(request.headers.get('content-length') ?? 0) > LARGEST_UPLOAD) throw tooLarge();
  for await (const piece of arrivingBytes(request)) {
    bytes += piece.length;
    if (bytes > LARGEST_UPLOAD) throw tooLarge();
  }
  return bytes;
}

function tooLarge(): ServiceProblem {
  return new ServiceProblem('too_large', { detail: `at most ${LARGEST_UPLOAD} bytes` });
}
