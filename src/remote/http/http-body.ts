/** A body exceeds its reader's limit. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

/** Reads a whole body. @throws BodyTooLarge past `limit` bytes */
export async function readBytes(
  body: AsyncIterable<Uint8Array>,
  limit = Number.POSITIVE_INFINITY,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body) {
    length += part.length;
    if (length > limit) throw new BodyTooLarge(`more than ${limit} bytes`);
    parts.push(part);
  }
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts, length);
}

/** Adds the content length of a streamed body, since object storage rejects a body without one. */
export function withLength(
  headers: Readonly<Record<string, string>> | undefined,
  length: number,
): Readonly<Record<string, string>> {
  const given = Object.keys(headers ?? {}).some((name) => name.toLowerCase() === 'content-length');
  return given ? { ...headers } : { ...headers, 'content-length': String(length) };
}
