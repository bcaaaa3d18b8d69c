import { encodeQR } from 'qr';

/** Black on white with a quiet zone of four modules, as an SVG image in a data address (RFC 2397). */
export function qrCodeImage(text: string): string {
  const svg = encodeQR(text, 'svg', { ecc: 'medium', border: 4 });
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
}
