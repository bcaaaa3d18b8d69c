/** A PNG picture of one size. */
export interface SizedPicture {
  readonly size: number;
  readonly png: Uint8Array;
}

/** The type codes of a size in macOS icons: as itself, and as the double density of half of it. */
const ICNS_TYPES: Readonly<Record<number, readonly string[]>> = {
  16: ['icp4'],
  32: ['icp5', 'ic11'],
  64: ['ic12'],
  128: ['ic07'],
  256: ['ic08', 'ic13'],
  512: ['ic09', 'ic14'],
  1024: ['ic10'],
};

/** Builds a Windows icon file: a directory of pictures, then the pictures, PNG since Windows Vista. */
export function icoFile(pictures: readonly SizedPicture[]): Uint8Array {
  const header = Buffer.alloc(6 + 16 * pictures.length);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(pictures.length, 4);
  let offset = header.length;
  for (const [index, { size, png }] of pictures.entries()) {
    const entry = 6 + 16 * index;
    // One byte each; 0 means 256.
    header.writeUInt8(size % 256, entry);
    header.writeUInt8(size % 256, entry + 1);
    header.writeUInt16LE(1, entry + 4);
    header.writeUInt16LE(32, entry + 6);
    header.writeUInt32LE(png.length, entry + 8);
    header.writeUInt32LE(offset, entry + 12);
    offset += png.length;
  }
  return Buffer.concat([header, ...pictures.map(({ png }) => png)]);
}

/** Builds a macOS icon file: blocks of a type code, a length and a PNG. */
export function icnsFile(pictures: readonly SizedPicture[]): Uint8Array {
  const blocks = pictures.flatMap(({ size, png }) => (ICNS_TYPES[size] ?? []).map((type) => block(type, png)));
  return block('icns', Buffer.concat(blocks));
}

function block(type: string, content: Uint8Array): Buffer {
  const header = Buffer.alloc(8);
  header.write(type, 'latin1');
  header.writeUInt32BE(8 + content.length, 4);
  return Buffer.concat([header, content]);
}
