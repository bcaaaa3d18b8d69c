import { execFileSync } from 'node:child_process';
import { appendFileSync, copyFileSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { SOURCE, type DataSet } from './data-set.ts';
import { seededBytes } from './seeded-bytes.ts';

const MB = 1_000_000;

/** Bytes of each part. */
const TEXTS = 150 * MB;
const DATABASE = 50 * MB;
const PHOTOS = 120 * MB;
const VIDEOS = 80 * MB;
const ARCHIVES = 40 * MB;
const MAIL = 60 * MB;

const PHOTO_BYTES = 3 * MB;
const VIDEO_BYTES = 40 * MB;
/** A video is a sequence of packets, each with a header that is nearly the same as the last one. */
const PACKET_BYTES = 4_096;
const ATTACHMENT_BYTES = 200_000;

const ROOTS = ['/usr/share/doc', '/usr/include', join(import.meta.dirname, '../../node_modules')];
const TEXT_EXTENSIONS = new Set(['', '.c', '.css', '.gz', '.h', '.html', '.js', '.json', '.md', '.mjs', '.ts', '.txt']);

/**
 * What a home contains, 500 MB: documents and sources as they lie on this machine, a database, photos, videos, archives, and
 * mail with attachments.
 */
export const homeMix: DataSet = homeOf('home', 1);

/** The same kinds of files, 2 GB: the start of a program counts less. There are about 30,000 files; this machine has no more documents. */
export const largeHomeMix: DataSet = homeOf('large-home', 4);

function homeOf(name: string, factor: number): DataSet {
  const bytes = (TEXTS + DATABASE + PHOTOS + VIDEOS + ARCHIVES + MAIL) * factor;
  return {
    name,
    needs: (scale) => ({ files: 40_000, bytes: bytes * scale }),
    build: async (folder, scale) => build(folder, factor * scale),
  };
}

function build(folder: string, scale: number): void {
  const source = join(folder, SOURCE);
  mkdirSync(source);
  const texts = copyTexts(join(source, 'documents'), TEXTS * scale);
  writeDatabase(join(source, 'messages.sqlite'), texts, DATABASE * scale);
  writePhotos(join(source, 'photos'), PHOTOS * scale);
  writeVideos(join(source, 'videos'), VIDEOS * scale);
  writeArchives(join(source, 'archives'), texts, ARCHIVES * scale);
  writeMail(join(source, 'inbox.mbox'), texts, MAIL * scale);
}

/** Returns the copies. */
function copyTexts(folder: string, bytes: number): readonly string[] {
  const copies: string[] = [];
  let left = bytes;
  for (const root of ROOTS) {
    // Each root fills a third, or what the roots before it left.
    const until = left - bytes / ROOTS.length;
    for (const path of filesBelow(root)) {
      if (left <= Math.max(0, until)) break;
      const copy = join(folder, path);
      mkdirSync(dirname(copy), { recursive: true });
      copyFileSync(path, copy);
      left -= lstatSync(path).size;
      copies.push(copy);
    }
  }
  return copies;
}

function* filesBelow(folder: string): Generator<string> {
  const entries = readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile() && TEXT_EXTENSIONS.has(extname(entry.name))) yield path;
  }
}

/** Paragraphs of the texts, over and over. */
function* paragraphs(texts: readonly string[]): Generator<string> {
  for (;;) {
    for (const path of texts) {
      if (extname(path) !== '.gz') yield* readFileSync(path, 'latin1').split('\n\n');
    }
  }
}

function writeDatabase(path: string, texts: readonly string[], bytes: number): void {
  const database = new BetterSqlite(path);
  database.exec('CREATE TABLE message (id INTEGER PRIMARY KEY, sent INTEGER, thread TEXT, body TEXT)');
  const insert = database.prepare('INSERT INTO message (sent, thread, body) VALUES (?, ?, ?)');
  const random = seededBytes('threads');
  database.exec('BEGIN');
  let left = bytes;
  for (const body of paragraphs(texts)) {
    if (left <= 0) break;
    const draw = random(16);
    insert.run(1_700_000_000_000 + draw.readUInt32LE(), draw.toString('hex'), body);
    left -= body.length + 60;
  }
  database.exec('COMMIT');
  database.exec('CREATE INDEX message_thread ON message (thread)');
  database.close();
}

function writePhotos(folder: string, bytes: number): void {
  mkdirSync(folder);
  for (let index = 0; index * PHOTO_BYTES < bytes; index += 1) {
    const name = `IMG_${String(index).padStart(4, '0')}.jpg`;
    writeFileSync(join(folder, name), photo(name, PHOTO_BYTES));
  }
}

/** A header, incompressible bytes in which 0xff is followed by 0 as in a JPEG, and the end marker. */
function photo(seed: string, bytes: number): Buffer {
  const content = seededBytes(seed)(bytes);
  for (let index = 0; index + 1 < content.length; index += 1) if (content[index] === 0xff) content[index + 1] = 0;
  const header = Buffer.from('ffd8ffe000104a46494600010100000100010000ffdb0043', 'hex');
  return Buffer.concat([header, content, Buffer.from('ffd9', 'hex')]);
}

function writeVideos(folder: string, bytes: number): void {
  mkdirSync(folder);
  for (let index = 0; index * VIDEO_BYTES < bytes; index += 1) {
    const path = join(folder, `video-${index}.mp4`);
    const next = seededBytes(path.slice(folder.length));
    writeFileSync(path, Buffer.from('000000206674797069736f6d0000020069736f6d69736f32617663316d703431', 'hex'));
    const length = Math.min(VIDEO_BYTES, bytes - index * VIDEO_BYTES);
    for (let offset = 0; offset < length; offset += PACKET_BYTES * 256) {
      const packets: Buffer[] = [];
      for (let packet = 0; packet < 256; packet += 1) {
        const header = Buffer.alloc(32, 'packet');
        header.writeUInt32BE(offset / PACKET_BYTES + packet, 8);
        packets.push(header, next(PACKET_BYTES - header.length));
      }
      appendFileSync(path, Buffer.concat(packets));
    }
  }
}

function writeArchives(folder: string, texts: readonly string[], bytes: number): void {
  mkdirSync(folder);
  const compressors = [
    ['gz', 'gzip'],
    ['xz', 'xz'],
  ] as const;
  let left = bytes;
  let text = 0;
  for (let number = 0; left > 0; number += 1) {
    const [extension, program] = compressors[number % compressors.length]!;
    const parts: Buffer[] = [];
    for (let size = 0; size < 16 * MB; text += 1) {
      const content = readFileSync(texts[text % texts.length]!);
      parts.push(content);
      size += content.length;
    }
    const archive = execFileSync(program, ['-c'], { input: Buffer.concat(parts), maxBuffer: 2 ** 30 });
    writeFileSync(join(folder, `archive-${number}.tar.${extension}`), archive);
    left -= archive.length;
  }
}

function writeMail(path: string, texts: readonly string[], bytes: number): void {
  const text = paragraphs(texts);
  const random = seededBytes('mail');
  let written = 0;
  for (let number = 0; written < bytes; number += 1) {
    const body = Array.from({ length: 5 }, () => String(text.next().value)).join('\n\n');
    // One message in four has an attachment.
    const attachment =
      number % 4 === 0 ? random(ATTACHMENT_BYTES).toString('base64').replaceAll(/.{76}/g, '$&\r\n') : '';
    const message = `From anna@example.org Mon Jan  5 10:00:00 2026\r\nSubject: ${number}\r\n\r\n${body}\r\n${attachment}\r\n`;
    appendFileSync(path, message, 'latin1');
    written += message.length;
  }
}
