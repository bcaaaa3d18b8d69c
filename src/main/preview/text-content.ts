/** Characters that are shown. Nobody reads more in a preview, and the window stays quick. */
const MOST_CHARACTERS = 2 * 2 ** 20;
/** No character has more bytes. */
const MOST_BYTES = 4 * MOST_CHARACTERS;

export interface TextContent {
  readonly text: string;
  /** False if only the beginning is here. */
  readonly isWhole: boolean;
}

/** Decodes the beginning of a text: by its mark, as UTF-8, or else as Windows-1252, in which every byte means something. */
export function textContent(bytes: Uint8Array): TextContent {
  const head = bytes.subarray(0, MOST_BYTES);
  const text = decode(head, head.length < bytes.length);
  const shown = text.slice(0, MOST_CHARACTERS);
  return { text: shown.toWellFormed(), isWhole: head.length === bytes.length && shown.length === text.length };
}

function decode(bytes: Uint8Array, isCut: boolean): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    // A cut may divide the last character, which is then left out.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut });
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
