/** What a file is, by its first bytes and not by its name. */
export type ContentKind =
  | { readonly kind: 'picture' | 'audio' | 'pdf'; readonly type: string }
  | { readonly kind: 'text' | 'unknown' | 'empty' };

interface Signature {
  /** Latin-1 at an offset. */
  readonly marks: readonly (readonly [offset: number, text: string])[];
  readonly is: ContentKind;
}

export const PDF_TYPE = 'application/pdf';
const picture = (type: string): ContentKind => ({ kind: 'picture', type });
const audio = (type: string): ContentKind => ({ kind: 'audio', type });

const SIGNATURES: readonly Signature[] = [
  { marks: [[0, '\x89PNG\r\n\x1a\n']], is: picture('image/png') },
  { marks: [[0, '\xff\xd8\xff']], is: picture('image/jpeg') },
  { marks: [[0, 'GIF87a']], is: picture('image/gif') },
  { marks: [[0, 'GIF89a']], is: picture('image/gif') },
  {
    marks: [
      [0, 'RIFF'],
      [8, 'WEBP'],
    ],
    is: picture('image/webp'),
  },
  {
    marks: [
      [0, 'BM'],
      [6, '\0\0\0\0'],
    ],
    is: picture('image/bmp'),
  },
  {
    marks: [
      [0, 'RIFF'],
      [8, 'WAVE'],
    ],
    is: audio('audio/wav'),
  },
  { marks: [[0, 'OggS']], is: audio('audio/ogg') },
  { marks: [[0, 'fLaC']], is: audio('audio/flac') },
  { marks: [[0, 'ID3']], is: audio('audio/mpeg') },
  { marks: [[0, '\xff\xfb']], is: audio('audio/mpeg') },
  { marks: [[4, 'ftypM4A']], is: audio('audio/mp4') },
  { marks: [[0, '%PDF-']], is: { kind: 'pdf', type: PDF_TYPE } },
];

/** Bytes that tell text from anything else. */
const HEAD = 65_536;

export function contentKind(bytes: Uint8Array): ContentKind {
  if (bytes.length === 0) return { kind: 'empty' };
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD)).toString('latin1');
  const known = SIGNATURES.find(({ marks }) => marks.every(([offset, text]) => head.startsWith(text, offset)));
  if (known) return known.is;
  return { kind: isText(head) ? 'text' : 'unknown' };
}

/** UTF-16 with its mark, or something without the control characters that texts do not have. */
function isText(head: string): boolean {
  if (head.startsWith('\xff\xfe') || head.startsWith('\xfe\xff')) return true;
  // oxlint-disable-next-line no-control-regex
  return !/[\x00-\x06\x0e-\x1a\x1c-\x1f]/.test(head);
}
