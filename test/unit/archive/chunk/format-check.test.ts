import { createCipheriv } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ContentProbe, DAMAGED, INTACT, RANDOM, withLaterSigns } from '../../../../src/archive/chunk/content-probe.ts';
import { intermittently, wholly, withConstant } from '../../../system/campaigns/ransomware/ciphers.ts';
import {
  film,
  jpeg,
  noise,
  office,
  pdf,
  png,
  prose,
  sevenZip,
  song,
  zip,
} from '../../../system/campaigns/ransomware/formats.ts';
import { Random } from '../../../helpers/random.ts';

const random = new Random(1);
const TEXT = prose(random, 9_000);
const LATIN = Buffer.from('Grüße aus Köln, schöne Straße.\n'.repeat(90), 'latin1');
const HAN = Buffer.from('這是一段很長的文字沒有換行'.repeat(200));

function signsOf(name: string, ...chunks: readonly Buffer[]): number {
  const probe = new ContentProbe(`/home/anna/${name}`);
  probe.addFirst(chunks[0]!);
  probe.addLast(chunks.at(-1)!);
  return probe.signs & ~RANDOM;
}

function sealed(content: Buffer): Buffer {
  return createCipheriv('aes-256-ctr', Buffer.alloc(32, 7), Buffer.alloc(16, 3)).update(content);
}

/** The last box of a film is only found if the ones before it are whole; one whose index comes first has none behind its content. */
function filmWithIndexAtEnd(): Buffer {
  for (;;) {
    const content = film(random, 90_000);
    if (content.subarray(-200).includes('moov')) return content;
  }
}

/** Keeps the first 4 KiB and encrypts the others. */
function behindHeader(content: Buffer): Buffer {
  return Buffer.concat([content.subarray(0, 4_096), sealed(content.subarray(4_096))]);
}

describe('the content that an extension stands for', () => {
  test.each<[string, string, Buffer]>([
    ['a text', 'a.txt', TEXT],
    ['a text in Latin-1', 'a.csv', LATIN],
    ['a long line of Chinese', 'a.md', HAN],
    ['a text with an escape sequence', 'a.txt', Buffer.from('\u001B[31mred\u001B[0m and more of it\n'.repeat(40))],
    ['hexadecimal digests', 'a.txt', Buffer.from(noise(random, 2_000).toString('hex'))],
    ['one word a line', 'a.txt', Buffer.from(TEXT.toString().replaceAll(/[ .]+/g, '\n'))],
    ['a picture', 'a.JPG', jpeg(random, 20_000)],
    ['a screenshot', 'a.png', png(random, 20_000)],
    ['a document', 'a.docx', office(random, 12_000)],
    ['a PDF', 'a.pdf', pdf(random, 9_000)],
    ['a film', 'a.mp4', film(random, 90_000)],
    ['a song', 'a.mp3', song(random, 9_000)],
  ])('is there in %s', (_, name, content) => {
    expect(signsOf(name, content)).toBe(INTACT);
  });

  test.each<[string, string, Buffer]>([
    ['a picture of another format', 'a.jpg', png(random, 20_000)],
    ['UTF-16', 'a.txt', Buffer.from(`\uFEFF${TEXT.toString()}`, 'utf16le')],
    ['UTF-16 without a mark', 'a.txt', Buffer.from(TEXT.toString(), 'utf16le')],
    [
      'what Git has in place of a large file',
      'a.jpg',
      Buffer.from('version https://git-lfs.github.com/spec/v1\noid sha256:12\n'),
    ],
    ['a web page that is named as a document', 'a.doc', Buffer.from('<html><body>Invoice of March</body></html>\n')],
    [
      'a film of the extension of TypeScript',
      'a.ts',
      Buffer.from(noise(random, 9_400).map((byte, at) => (at % 188 === 0 ? 0x47 : byte))),
    ],
    ['random bytes of an unknown extension', 'a.c9r', noise(random, 9_000)],
    [
      'a document with a password',
      'a.docx',
      Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), noise(random, 9_000)]),
    ],
    ['the owner file of a document', '~$a.docx', noise(random, 165)],
    [
      'attributes of a picture',
      '._a.jpg',
      Buffer.concat([Buffer.from('0005160700020000', 'hex'), noise(random, 4_000)]),
    ],
    ['the log of a database', '000003.log', noise(random, 4_000)],
    ['a few bytes', 'a.jpg', Buffer.from('little')],
  ])('is not judged in %s', (_, name, content) => {
    expect(signsOf(name, content)).toBe(0);
  });

  test.each<[string, string, Buffer]>([
    ['an encrypted text', 'a.txt', sealed(TEXT)],
    ['a small one', 'a.txt', sealed(TEXT.subarray(0, 200))],
    ['a text whose middle is encrypted', 'a.txt', intermittently(4_096, 2_048, 90_000)(TEXT, random)],
    [
      'a text whose end is encrypted',
      'a.txt',
      Buffer.concat([TEXT.subarray(0, 8_000), sealed(TEXT.subarray(0, 2_000))]),
    ],
    ['base64 of a text that is encrypted', 'a.txt', Buffer.from(sealed(TEXT).toString('base64'))],
    ['a text of zeros', 'a.txt', Buffer.alloc(9_000)],
    ['a text with all bits inverted', 'a.txt', Buffer.from(TEXT.map((byte) => byte ^ 0xff))],
    ['a picture with a constant', 'a.jpg', withConstant(jpeg(random, 20_000), random)],
    ['a picture behind its header', 'a.jpg', behindHeader(jpeg(random, 20_000))],
    ['half a picture', 'a.jpg', jpeg(random, 20_000).subarray(0, 10_000)],
    ['half a screenshot', 'a.png', png(random, 20_000).subarray(0, 10_000)],
    ['a picture of text', 'a.jpg', TEXT],
    ['an encrypted document', 'a.docx', wholly(office(random, 12_000), random)],
    ['a document behind its header', 'a.docx', behindHeader(office(random, 12_000))],
    ['an archive with a password', 'a.docx', zip([{ name: 'a.docx', data: TEXT }], random)],
    ['a 7z archive with a password', 'a.pdf', sevenZip(random, 9_000)],
    ['a PDF behind its header', 'a.pdf', behindHeader(pdf(random, 9_000))],
    ['a film behind its header', 'a.mp4', behindHeader(filmWithIndexAtEnd())],
  ])('is missing in %s', (_, name, content) => {
    expect(signsOf(name, content)).toBe(DAMAGED);
  });

  test('is missing in a large file whose last chunk is encrypted', () => {
    const picture = jpeg(random, 60_000);
    expect(signsOf('a.jpg', picture.subarray(0, 30_000), picture.subarray(30_000))).toBe(INTACT);
    expect(signsOf('a.jpg', picture.subarray(0, 30_000), sealed(picture.subarray(30_000)))).toBe(DAMAGED);
  });

  test('is missing in a file of several parts if it is in one of them', () => {
    expect(withLaterSigns(INTACT, DAMAGED)).toBe(DAMAGED);
    expect(withLaterSigns(RANDOM | INTACT, DAMAGED)).toBe(RANDOM | DAMAGED);
    expect(withLaterSigns(INTACT, 0)).toBe(INTACT);
    expect(withLaterSigns(0, DAMAGED)).toBe(0);
    const part = new ContentProbe('a.jpg');
    part.addLast(sealed(TEXT));
    expect(part.signs).toBe(DAMAGED);
  });

  test('may be followed by what phones append to pictures', () => {
    const motion = Buffer.concat([jpeg(random, 20_000), film(random, 5_000)]);
    expect(signsOf('a.jpg', motion)).toBe(INTACT);
  });

  test.each([
    ['an archive with a password', zip([{ name: 'a', data: TEXT }], random), RANDOM],
    ['one without', zip([{ name: 'a', data: TEXT }]), 0],
    ['a 7z archive with a password', sevenZip(random, 9_000), RANDOM],
    ['a vault', noise(random, 9_000), RANDOM],
  ])('looks encrypted in %s: %#', (_, content, expected) => {
    const probe = new ContentProbe('a');
    probe.addFirst(content);
    expect(probe.signs & RANDOM).toBe(expected);
  });
});
