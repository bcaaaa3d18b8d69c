import { encodeQR } from 'qr';

/** Returns a black-on-white SVG image with a quiet zone of four modules as a data URL (RFC 2397). */
export function qrCodeImage(text: string): string {
  const svg = encodeQR(text, 'svg', { ecc: 'medium', border: 4 });
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
}
