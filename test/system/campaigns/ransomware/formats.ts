import { createCipheriv } from 'node:crypto';
import { brotliCompressSync, constants, crc32, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type { Random } from '../../../helpers/random.ts';

const WORDS = (
  'the of and a to in is was that for it with as his on be at by had not are but from or have an they which one you were her all ' +
  'she there would their we him been has when who will more no if out so said what up its about into than them can only other ' +
  'new some could time these two may then do first any my now such like our over man me even most made after also did many'
).split(' ');

/** Bytes that look random, as the content of compressed and encrypted files does. */
export function noise(random: Random, length: number): Buffer {
  const key = Buffer.alloc(16);
  for (let word = 0; word < 4; word += 1) key.writeUInt32LE(random.below(2 ** 32), word * 4);
  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(length));
}

export function prose(random: Random, length: number): Buffer {
  const words: string[] = [];
  for (let written = 0; written < length;) {
    const word = random.pick(WORDS);
    words.push(random.chance(0.08) ? `${word}.\n` : word);
    written += word.length + 1;
  }
  return Buffer.from(words.join(' '));
}

export function sourceCode(random: Random, length: number): Buffer {
  const lines: string[] = [];
  for (let written = 0; written < length;) {
    const [name, other] = [random.pick(WORDS), random.pick(WORDS)];
    const line = random.pick([
      `const ${name}_${random.below(999)} = ${other}(${random.below(9999)});`,
      `function ${name}${random.below(999)}(${other}: string): void {`,
      `  if (${name} === '${other}') return ${random.below(99)};`,
      '}',
      `// ${name} ${other} ${random.pick(WORDS)}`,
    ]);
    lines.push(line);
    written += line.length + 1;
  }
  return Buffer.from(`${lines.join('\n')}\n`);
}

export function table(random: Random, rows: number): Buffer {
  const lines = Array.from({ length: rows }, (_, row) => `${row};${random.pick(WORDS)};${random.below(1e6) / 100}`);
  return Buffer.from(`number;text;amount\n${lines.join('\n')}\n`);
}

/** A picture of `length` bytes, with a camera's metadata. */
export function jpeg(random: Random, length: number, metadata = 'ACME Camera 1.0'): Buffer {
  const segment = (marker: number, payload: Buffer): Buffer => {
    const head = Buffer.from([0xff, marker, 0, 0]);
    head.writeUInt16BE(payload.length + 2, 2);
    return Buffer.concat([head, payload]);
  };
  const exif = Buffer.concat([
    Buffer.from('Exif\0\0II*\0\x08\0\0\0', 'latin1'),
    Buffer.from(metadata.padEnd(200, ' ')),
  ]);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe0, Buffer.from('JFIF\0\x01\x02\0\0\x01\0\x01\0\0', 'latin1')),
    segment(0xe1, exif),
    segment(0xdb, Buffer.from([0, ...Array.from({ length: 64 }, (_, index) => 1 + (index >> 1))])),
    segment(0xc0, Buffer.from([8, 4, 0, 6, 0, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1])),
    segment(0xda, Buffer.from([3, 1, 0, 2, 0x11, 3, 0x11, 0, 0x3f, 0])),
    entropyCoded(noise(random, length)),
    Buffer.from([0xff, 0xd9]),
  ]);
}

/** In the scan of a JPEG a zero follows each 0xff (ITU-T T.81, B.1.1.5). */
function entropyCoded(bytes: Buffer): Buffer {
  for (let at = bytes.indexOf(0xff); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
    if (at + 1 < bytes.length) bytes[at + 1] = 0;
    else bytes[at] = 0;
  }
  return bytes;
}

export function png(random: Random, length: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const typed = Buffer.concat([Buffer.from(type), data]);
    const whole = Buffer.alloc(typed.length + 8);
    whole.writeUInt32BE(data.length, 0);
    typed.copy(whole, 4);
    whole.writeUInt32BE(crc32(typed), typed.length + 4);
    return whole;
  };
  const header = Buffer.from([0, 0, 1, 0, 0, 0, 1, 0, 8, 2, 0, 0, 0]);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const content = deflateSync(noise(random, length), { level: 1 });
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', content), chunk('IEND', Buffer.alloc(0))]);
}

export function webp(random: Random, length: number): Buffer {
  const data = noise(random, length & ~1);
  const head = Buffer.from('RIFF\0\0\0\0WEBPVP8 \0\0\0\0', 'latin1');
  head.writeUInt32LE(data.length + 12, 4);
  head.writeUInt32LE(data.length, 16);
  return Buffer.concat([head, data]);
}

export function film(random: Random, length: number): Buffer {
  const box = (type: string, data: Buffer): Buffer => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(data.length + 8, 0);
    head.write(type, 4, 'latin1');
    return Buffer.concat([head, data]);
  };
  const moov = box('moov', box('mvhd', Buffer.alloc(100)));
  const mdat = box('mdat', noise(random, length));
  const ftyp = box('ftyp', Buffer.from('isom\0\0\x02\0isomiso2mp41', 'latin1'));
  return Buffer.concat(random.chance(0.5) ? [ftyp, moov, mdat] : [ftyp, mdat, moov]);
}

export function song(random: Random, length: number, title = 'Untitled'): Buffer {
  const tag = Buffer.alloc(1_034);
  tag.write('ID3\x04\0\0\0\0\x08\0TIT2\0\0\0\x3c\0\0\x03', 'latin1');
  tag.write(title.slice(0, 50), 21);
  const frames = noise(random, length);
  for (let at = 0; at + 4 <= frames.length; at += 417) frames.set([0xff, 0xfb, 0x90, 0x00], at);
  return Buffer.concat([tag, frames]);
}

export function pdf(random: Random, length: number): Buffer {
  const stream = deflateSync(prose(random, length * 2), { level: 1 });
  const head = Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n', 'latin1');
  const object = Buffer.from(`4 0 obj\n<</Filter/FlateDecode/Length ${stream.length}>>\nstream\n`);
  const at = head.length + object.length + stream.length;
  const trailer = `\nendstream\nendobj\nxref\n0 1\n0000000000 65535 f \ntrailer\n<</Root 1 0 R>>\nstartxref\n${at}\n%%EOF\n`;
  return Buffer.concat([head, object, stream, Buffer.from(trailer)]);
}

export interface ZipMember {
  readonly name: string;
  readonly data: Buffer;
}

/** @param key encrypts the members, as a password does */
export function zip(members: readonly ZipMember[], key?: Random): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, data } of members) {
    const packed = deflateRawSync(data, { level: 1 });
    const content = key ? noise(key, packed.length + 12) : packed;
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(key ? 1 : 0, 2);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(data), 10);
    fields.writeUInt32LE(content.length, 14);
    fields.writeUInt32LE(data.length, 18);
    fields.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name), content]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\0'), fields, rest, Buffer.from(name));
    parts.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, central, end]);
}

/** A 7z archive with a password, by 7zFormat.txt: AES is named in the header at its end. */
export function sevenZip(random: Random, length: number): Buffer {
  const packed = noise(random, length);
  const header = Buffer.from('0104060001091000070b0100022406f107010a0703', 'hex');
  const head = Buffer.alloc(32);
  head.write('377abcaf271c0004', 'hex');
  head.writeBigUInt64LE(BigInt(packed.length), 12);
  head.writeBigUInt64LE(BigInt(header.length), 20);
  head.writeUInt32LE(crc32(header), 28);
  head.writeUInt32LE(crc32(head.subarray(12, 32)), 8);
  return Buffer.concat([head, packed, header]);
}

/** A document of an office program, sometimes with a picture. */
export function office(random: Random, length: number): Buffer {
  const members = [
    { name: '[Content_Types].xml', data: Buffer.from('<?xml version="1.0"?><Types/>') },
    { name: 'word/document.xml', data: prose(random, length * 2) },
  ];
  if (random.chance(0.3)) members.push({ name: 'word/media/image1.jpg', data: jpeg(random, length >> 2) });
  return zip(members);
}

export function mail(random: Random, length: number): Buffer {
  const to = random.below(1_000);
  const head = `From: anna@example.org\nTo: user${to}@example.org\nSubject: ${random.pick(WORDS)}\nMIME-Version: 1.0\n\n`;
  if (random.chance(0.7)) return Buffer.concat([Buffer.from(head), prose(random, length)]);
  const attachment = jpeg(random, length).toString('base64').replaceAll(/.{76}/g, '$&\n');
  return Buffer.from(
    `${head}--b\n\n${prose(random, 300).toString()}\n--b\nContent-Type: image/jpeg\n\n${attachment}\n--b--\n`,
  );
}

export function gzipped(random: Random, length: number): Buffer {
  return gzipSync(prose(random, length * 2), { level: 1 });
}

/** A response in a browser's cache: some are in Brotli's format, which has no signature. */
export function cached(random: Random, length: number): Buffer {
  const kind = random.next();
  if (kind < 0.3) return jpeg(random, length);
  if (kind < 0.5) return webp(random, length);
  if (kind < 0.7) return sourceCode(random, length);
  if (kind < 0.85) return gzipped(random, length);
  return brotliCompressSync(prose(random, length * 2), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
}
