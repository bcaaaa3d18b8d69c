/** Bytes by which a page is told from a file of a repository: a sealed one is not text for that long. */
const HEAD_BYTES = 32;

/**
 * Returns whether what came in the place of a whole file is a page, such as the sign-in page of a network, which answers every request
 * with 200. No file of a repository is one.
 *
 * Servers that guess the type from the content take random bytes for a page now and then, so the type alone says nothing.
 */
export function isWebPage(bytes: Uint8Array, type = ''): boolean {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1');
  if (/^(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html)\b/i.test(head)) return true;
  return /\bx?html\b/i.test(type) && /^[\t\n\r -~]*$/.test(head);
}
