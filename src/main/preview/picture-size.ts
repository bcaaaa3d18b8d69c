/** Width and height in pixels. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Reads the size of a picture from its head, before anything decodes it: a picture of a few bytes can have billions of pixels.
 * Returns `undefined` if the head does not tell.
 *
 * Sources: PNG (ISO/IEC 15948) 11.2.2, GIF89a 18 to 26, JPEG (ITU-T T.81) B.2.2, WebP (RFC 9649) 2.5 to 2.7, BITMAPINFOHEADER and BITMAPCOREHEADER.
 */
export function pictureSize(bytes: Uint8Array, type: string): PictureSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const size = READERS[type]?.(view);
    return size && size.width > 0 && size.height > 0 ? size : undefined;
  } catch (error) {
    // The head ends too early.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const READERS: Readonly<Record<string, (view: DataView) => PictureSize | undefined>> = {
  'image/png': (view) => ({ width: view.getUint32(16), height: view.getUint32(20) }),
  'image/gif': gifSize,
  'image/bmp': bmpSize,
  'image/jpeg': jpegSize,
  'image/webp': webpSize,
};

/** The first frame enlarges the picture where it is larger. What stands before it are extensions. */
function gifSize(view: DataView): PictureSize | undefined {
  const [width, height] = [view.getUint16(6, true), view.getUint16(8, true)];
  let at = GIF_HEAD + coloursOf(view.getUint8(10));
  // An extension: its mark, its kind, and blocks up to an empty one.
  while (view.getUint8(at) === 0x21) {
    at += 2;
    while (view.getUint8(at) > 0) at += 1 + view.getUint8(at);
    at += 1;
  }
  // The end, or what no decoder should guess.
  if (view.getUint8(at) !== 0x2c) return view.getUint8(at) === 0x3b ? { width, height } : undefined;
  const right = view.getUint16(at + 1, true) + view.getUint16(at + 5, true);
  const bottom = view.getUint16(at + 3, true) + view.getUint16(at + 7, true);
  return { width: Math.max(width, right), height: Math.max(height, bottom) };
}

/** Bytes before the table of colours. */
const GIF_HEAD = 13;

/** Returns the bytes of a table of colours by the byte that announces it. */
function coloursOf(packed: number): number {
  return packed & 0x80 ? 3 * 2 ** ((packed & 0x07) + 1) : 0;
}

function bmpSize(view: DataView): PictureSize {
  // The older head has 12 bytes.
  if (view.getUint32(14, true) === 12) return { width: view.getUint16(18, true), height: view.getUint16(20, true) };
  return { width: Math.abs(view.getInt32(18, true)), height: Math.abs(view.getInt32(22, true)) };
}

/** Searches for the start of a frame: SOF0 to SOF15, without DHT, JPG and DAC, which lie between. */
function jpegSize(view: DataView): PictureSize | undefined {
  for (let at = 2; ;) {
    while (view.getUint8(at) !== 0xff) at += 1;
    while (view.getUint8(at) === 0xff) at += 1;
    const marker = view.getUint8(at);
    at += 1;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { height: view.getUint16(at + 3), width: view.getUint16(at + 5) };
    // The picture itself, or its end.
    if (marker === 0xda || marker === 0xd9) return undefined;
    const hasLength = marker !== 0x01 && (marker < 0xd0 || marker > 0xd8);
    if (hasLength) at += view.getUint16(at);
  }
}

function webpSize(view: DataView): PictureSize | undefined {
  switch (view.getUint32(12)) {
    // "VP8X"
    case 0x56503858:
      return { width: 1 + uint24(view, 24), height: 1 + uint24(view, 27) };
    // "VP8L"
    case 0x5650384c: {
      const bits = view.getUint32(21, true);
      return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
    }
    // "VP8 "
    case 0x56503820:
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    default:
      return undefined;
  }
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}
