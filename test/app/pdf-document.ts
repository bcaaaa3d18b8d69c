import { deflateSync } from 'node:zlib';

/** Returns a PDF document (ISO 32000) of numbered objects, of which the first is the catalogue. */
function fileOf(objects: readonly (string | Buffer)[], trailer: string): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  let length = parts[0]!.length;
  const add = (bytes: Buffer): void => {
    parts.push(bytes);
    length += bytes.length;
  };
  const offsets = objects.map((object, index) => {
    const offset = length;
    add(Buffer.from(`${index + 1} 0 obj\n`));
    add(typeof object === 'string' ? Buffer.from(object, 'latin1') : object);
    add(Buffer.from('\nendobj\n'));
    return offset;
  });
  const start = length;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  add(Buffer.from(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`));
  add(Buffer.from(`trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`));
  return Buffer.concat(parts);
}

/** Returns a document of one page with red images of so many pixels beside each other, and a text below them. */
export function pdfOfImages(count: number, width: number, height: number): Buffer {
  const row = Buffer.alloc(width * 3);
  for (let at = 0; at < row.length; at += 3) row[at] = 255;
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
  const head = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceRGB /BitsPerComponent 8`;
  const image = Buffer.concat([
    Buffer.from(`<< ${head} /Filter /FlateDecode /Length ${pixels.length} >>\nstream\n`),
    pixels,
    Buffer.from('\nendstream'),
  ]);
  const names = Array.from({ length: count }, (_, index) => `/I${index} ${index + 6} 0 R`).join(' ');
  const painted = Array.from({ length: count }, (_, index) => `q 20 0 0 20 ${20 * index} 100 cm /I${index} Do Q`);
  const content = `${painted.join('\n')}\nBT /F1 24 Tf 20 50 Td (Below) Tj ET`;
  return fileOf(
    [
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Count 1 /Kids [4 0 R] >>',
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${20 * count} 200] /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> /XObject << ${names} >> >> >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ...Array.from({ length: count }, () => image),
    ],
    '',
  );
}

/**
 * Returns a PDF document (ISO 32000) with a page for each text, in Helvetica, which it does not contain.
 *
 * @param trailer further entries of the trailer
 */
export function pdfDocument(texts: readonly string[], catalogue = '', trailer = ''): Buffer {
  const pageOf = (index: number): number => 4 + 2 * index;
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R ${catalogue} >>`,
    `<< /Type /Pages /Count ${texts.length} /Kids [${texts.map((_, index) => `${pageOf(index)} 0 R`).join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...texts.flatMap((text, index) => {
      const content = `BT /F1 24 Tf 20 150 Td (${text}) Tj ET 1 0 0 rg 20 20 100 60 re f`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents ${pageOf(index) + 1} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
  ];
  return fileOf(objects, trailer);
}

/** The entries of a document that takes a password: what its keys would be checked with fits none. */
export const LOCKED = `/ID [<${'00'.repeat(16)}> <${'00'.repeat(16)}>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${'11'.repeat(32)}> /U <${'22'.repeat(32)}> >>`;
