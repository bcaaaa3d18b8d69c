import { isUtf8 } from 'node:buffer';
import { bufferOf } from '../../base/buffer-of.ts';
import { isCompressedFormat, SIGNATURE_BYTES } from './compressed-formats.ts';

/** Whether a file's content is of the format that its extension stands for. */
type FormatCheck = 'intact' | 'damaged' | 'unknown';

type Format = 'text' | 'jpeg' | 'png' | 'gif' | 'zip' | 'pdf' | 'film' | 'mp3' | 'compound' | 'tiff' | 'other';

// Without `log`: LevelDB's logs are binary. Without databases: some are encrypted by their programs.
const EXTENSIONS: ReadonlyMap<string, Format> = new Map(
  Object.entries({
    text:
      'txt md csv tsv json xml html htm css scss js mjs cjs jsx ts tsx vue py rb php java kt c cc cpp h hpp cs go rs swift sh ' +
      'sql yml yaml ini toml tex rst eml ics vcf svg srt rtf bat',
    jpeg: 'jpg jpeg',
    png: 'png',
    gif: 'gif',
    zip: 'docx docm xlsx xlsm pptx odt ods odp odg epub jar apk zip',
    pdf: 'pdf',
    film: 'mp4 m4v m4a mov heic heif avif',
    mp3: 'mp3',
    compound: 'doc xls ppt msg',
    tiff: 'tif tiff nef cr2 dng arw',
    other: 'webp wav avi flac ogg opus mkv webm gz tgz bz2 xz zst 7z rar',
  } satisfies Record<Format, string>).flatMap(([format, names]) =>
    names.split(' ').map((name): [string, Format] => [name, format as Format]),
  ),
);

/** Bytes of each of the samples from a file's beginning, middle and end. */
const SAMPLE = 1_024;
/** Bytes of the samples of a text: most files are texts. */
const TEXT_SAMPLE = 512;
/** Fewer bytes are no evidence of anything. */
const SMALLEST = 32;
/** The longest comment at the end of a zip archive, with its record. */
const ZIP_END = 65_557;

/** Signatures of formats that are not compressed. */
const SIGNATURES: readonly (readonly number[])[] = [
  [0xd0, 0xcf, 0x11, 0xe0], // compound file: older office documents, or newer ones with a password
  [...Buffer.from('SQLite format 3\0')],
  [0x49, 0x49, 0x2a, 0x00], // TIFF, and most raw pictures
  [0x4d, 0x4d, 0x00, 0x2a],
  [0x00, 0x05, 0x16, 0x07], // AppleDouble: attributes of a file, under its name behind `._`
  [0x00, 0x47, 0x49, 0x54, 0x43, 0x52, 0x59, 0x50, 0x54], // git-crypt
  [0xff, 0xfe], // UTF-16
  [0xfe, 0xff],
];
/** What Git has in place of a large file. */
const LARGE_FILE_POINTER = Buffer.from('version https://git-lfs');

/** Returns whether the formats of files with this extension are known here. */
export function hasKnownExtension(path: string): boolean {
  return formatOf(path) !== undefined;
}

function formatOf(path: string): Format | undefined {
  const dot = path.lastIndexOf('.');
  // Owner files of office programs.
  if (path.startsWith('~$', path.lastIndexOf('/') + 1)) return undefined;
  return dot === -1 ? undefined : EXTENSIONS.get(path.slice(dot + 1).toLowerCase());
}

/**
 * Checks the beginning of a file.
 *
 * @param bytes its first chunk
 */
export function checkBeginning(path: string, bytes: Uint8Array): FormatCheck {
  const format = formatOf(path);
  if (format === undefined || bytes.length < SMALLEST) return 'unknown';
  const content = bufferOf(bytes);
  if (isSealedArchive(content)) return 'damaged';
  if (format === 'text') return checkText(content);
  if (!hasSignature(content)) {
    // Other programs' files are often given these extensions, and texts.
    const mayBeOther = format === 'compound' && !isNoText(content);
    return mayBeOther || hasLargeFilePointer(content) || isMp3(format, content) ? 'unknown' : 'damaged';
  }
  const own = OWN_SIGNATURES[format];
  if (own !== undefined && !content.subarray(0, SAMPLE).includes(own, 0, 'latin1')) return 'unknown';
  if (format === 'jpeg') return isBrokenScan(middleOf(content)) ? 'damaged' : 'intact';
  if (format === 'film' && isFilm(content)) return areBoxes(content) ? 'intact' : 'damaged';
  return 'intact';
}

/** Signatures of the formats whose ends are checked. */
const OWN_SIGNATURES: Partial<Readonly<Record<Format, string>>> = {
  jpeg: '\xff\xd8\xff',
  png: '\x89PNG',
  zip: 'PK',
  pdf: '%PDF-',
};

/**
 * Checks the end of a file whose beginning is intact.
 *
 * @param bytes its last chunk, which may be its first
 */
export function checkEnding(path: string, bytes: Uint8Array): FormatCheck {
  const format = formatOf(path);
  if (format === undefined || bytes.length < SMALLEST) return 'unknown';
  const content = bufferOf(bytes);
  const end = content.subarray(-2 * SAMPLE);
  switch (format) {
    case 'text':
      return isNoText(end.subarray(-TEXT_SAMPLE)) ? 'damaged' : 'unknown';
    case 'jpeg':
      // Phones append films and metadata of their own to pictures.
      return isMissing(end, 'ffd9') && isMissing(content, '66747970') && isMissing(end, '53454654')
        ? 'damaged'
        : 'unknown';
    case 'png':
      return isMissing(end, '49454e44') ? 'damaged' : 'unknown';
    case 'pdf':
      return isMissing(end, '2525454f46') ? 'damaged' : 'unknown';
    case 'zip':
      return content.subarray(-ZIP_END).lastIndexOf('PK\x05\x06', undefined, 'latin1') === -1 ? 'damaged' : 'unknown';
    default:
      return 'unknown';
  }
}

/** Returns whether the members of a zip or 7z archive need a password. Those of office documents never do. */
export function isSealedArchive(bytes: Uint8Array): boolean {
  if (bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4) return (bytes[6]! & 1) === 1;
  if (bytes[0] !== 0x37 || bytes[1] !== 0x7a || bytes[2] !== 0xbc || bytes[3] !== 0xaf) return false;
  // The header that names AES is the last part of the archive.
  return bufferOf(bytes).subarray(-SAMPLE).includes(Buffer.from('06f10701', 'hex'));
}

function checkText(content: Buffer): FormatCheck {
  const start = content.subarray(0, TEXT_SAMPLE);
  const isBroken = isNoText(start) || isBase64(start) || isNoText(middleOf(content).subarray(0, TEXT_SAMPLE));
  if (isWide(content)) return 'unknown';
  if (!isBroken) return 'intact';
  return isTransportStream(content) || hasSignature(content) ? 'unknown' : 'damaged';
}

function isMissing(sample: Buffer, hexadecimal: string): boolean {
  return !sample.includes(Buffer.from(hexadecimal, 'hex'));
}

function middleOf(content: Buffer): Buffer {
  const at = content.length >> 1;
  return content.subarray(at, at + 2 * SAMPLE);
}

const BLANK = 1;
const CONTROL = 2;
const HIGH = 4;
const kinds = new Uint32Array(5);
/** The kind of each byte as texts use it. */
const KINDS = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)) return BLANK;
  if (byte >= 0x80) return HIGH;
  return (byte < 0x20 && byte !== 0x1b) || byte === 0x7f ? CONTROL : 0;
});

/** Returns whether a sample has the control characters of binary data, or only bytes that are no characters. */
function isNoText(sample: Buffer): boolean {
  if (sample.length < SMALLEST) return false;
  kinds.fill(0);
  for (let at = 0; at < sample.length; at += 1) kinds[KINDS[sample[at]!]!]! += 1;
  const [blank, control, high] = [kinds[BLANK]!, kinds[CONTROL]!, kinds[HIGH]!];
  if (control * 20 > sample.length) return true;
  const isAllHigh = blank === 0 && high * 10 > sample.length * 9;
  return (
    isAllHigh && sample.length >= 256 && ![0, 1, 2, 3].some((from) => isUtf8(sample.subarray(from, wholeEnd(sample))))
  );
}

/** The end of the last character that is complete in UTF-8. */
function wholeEnd(sample: Buffer): number {
  let end = sample.length;
  while (end > sample.length - 4 && (sample[end - 1]! & 0xc0) === 0x80) end -= 1;
  return Math.max(0, end - 1);
}

/** UTF-16 without a mark. */
function isWide(content: Buffer): boolean {
  return (
    (content[0] !== 0 && content[1] === 0 && content[3] === 0) ||
    (content[0] === 0 && content[2] === 0 && content[1] !== 0)
  );
}

/** MPEG transport streams have the extension of TypeScript. */
function isTransportStream(content: Buffer): boolean {
  return content[0] === 0x47 && content[188] === 0x47;
}

const BASE64 = /^[A-Za-z0-9+/=\r\n]{256,}$/;
/** Six standard deviations above the mean of Pearson's chi-squared for 64 values. */
const MOST_EVEN = 130;
const symbols = new Uint32Array(256);

/** Returns whether a sample is the base64 of random bytes. */
function isBase64(sample: Buffer): boolean {
  if (KINDS[sample[0]!] !== 0 || !BASE64.test(sample.toString('latin1'))) return false;
  symbols.fill(0);
  for (const byte of sample) symbols[byte]! += 1;
  const count = sample.length - symbols[0x0a]! - symbols[0x0d]! - symbols[0x3d]!;
  let chiSquared = 0;
  for (const [byte, seen] of symbols.entries()) {
    const isSymbol = byte > 0x20 && byte !== 0x3d && (seen > 0 || BASE64_SYMBOLS.has(byte));
    if (isSymbol) chiSquared += (seen - count / 64) ** 2 / (count / 64);
  }
  return chiSquared < MOST_EVEN;
}

const BASE64_SYMBOLS: ReadonlySet<number> = new Set(
  Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'),
);

function hasSignature(content: Buffer): boolean {
  return (
    isCompressedFormat(content.subarray(0, SIGNATURE_BYTES)) ||
    SIGNATURES.some((signature) => signature.every((byte, index) => content[index] === byte)) ||
    content.subarray(0, SAMPLE).includes('%PDF-') ||
    // QuickTime files may begin with any of these boxes.
    ['moov', 'mdat', 'wide', 'free', 'skip'].some((type) => content.toString('latin1', 4, 8) === type)
  );
}

function hasLargeFilePointer(content: Buffer): boolean {
  return content.subarray(0, LARGE_FILE_POINTER.length).equals(LARGE_FILE_POINTER);
}

/** The frames of an MP3 without a tag begin with eleven ones, or follow zeros. */
function isMp3(format: Format, content: Buffer): boolean {
  return format === 'mp3' && ((content[0] === 0xff && content[1]! >= 0xe0) || (content[0] === 0 && content[1] === 0));
}

/** Returns whether a scan has a byte that must not follow 0xff: neither zero nor a marker (ITU-T T.81, B.1.1.5). */
function isBrokenScan(sample: Buffer): boolean {
  for (let at = sample.indexOf(0xff); at !== -1 && at + 1 < sample.length; at = sample.indexOf(0xff, at + 1)) {
    const next = sample[at + 1]!;
    if (next > 0 && next < 0xc0) return true;
  }
  return false;
}

function isFilm(content: Buffer): boolean {
  return content.toString('latin1', 4, 8) === 'ftyp';
}

const BOX_TYPE = /^[\x20-\x7e\xa9]{4}$/;

/** Returns whether each box of a film begins where the one before it ends (ISO/IEC 14496-12, 4.2), as far as they are given. */
function areBoxes(content: Buffer): boolean {
  for (let at = 0; at + 16 <= content.length;) {
    const size = content.readUInt32BE(at);
    if (size === 0) return true;
    if (!BOX_TYPE.test(content.toString('latin1', at + 4, at + 8))) return false;
    at += size === 1 ? Number(content.readBigUInt64BE(at + 8)) : Math.max(8, size);
  }
  return true;
}
