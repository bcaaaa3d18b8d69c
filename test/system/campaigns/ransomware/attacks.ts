import { basename, dirname } from 'node:path';
import {
  asBase64,
  behindHeader,
  between,
  intermittently,
  overwritten,
  wholly,
  withConstant,
  zeros,
  type Cipher,
} from './ciphers.ts';
import { noise, prose, sevenZip, zip } from './formats.ts';
import type { Home } from './home.ts';

/** A behaviour of ransomware or of a wiper. */
export interface Attack {
  readonly name: string;
  /** Days until it is done. */
  readonly days: number;
  /** Folders that are backup sets of their own; the whole home is one by default. */
  readonly sets?: readonly string[];
  /** Does a day's work, from day 0 on. */
  readonly act: (home: Home, day: number) => void;
}

type Accepts = (path: string) => boolean;

const DOCUMENT = /\.(docx|xlsx|pptx|odt|pdf|txt|md|csv)$/;
const HEX_NAME = /^[0-9a-f]{32}$/;

function inPlace(home: Home, cipher: Cipher, accepts?: Accepts): void {
  for (const path of home.files('', accepts)) home.change(path, (content) => cipher(content, home.random));
}

/** Replaces a file by an encrypted one with another name. */
function replace(home: Home, path: string, name: string, content: Buffer): void {
  home.write(name, content);
  if (name !== path) home.remove(path);
}

function renamed(home: Home, name: (path: string) => string, accepts?: Accepts): void {
  for (const path of home.files('', accepts)) replace(home, path, name(path), wholly(home.read(path), home.random));
}

/** A random name in the same folder. */
function hidden(home: Home, path: string): string {
  return `${dirname(path)}/${noise(home.random, 16).toString('hex')}`;
}

function extension(home: Home): string {
  return Array.from({ length: 5 }, () => String.fromCodePoint(97 + home.random.below(26))).join('');
}

/** The part of the files that is due on a day, of those that were there on the first. */
function share(home: Home, day: number, percent: number): string[] {
  const files = home.files();
  const count = Math.ceil((files.length * percent) / 100);
  return files
    .filter((_, index) => index % Math.round(100 / percent) === day % Math.round(100 / percent))
    .slice(0, count);
}

function once(name: string, act: (home: Home) => void): Attack {
  return { name, days: 1, act };
}

const IN_ONE_RUN: readonly Attack[] = [
  once('AES in place', (home) => inPlace(home, wholly)),
  once('only the first 4 KiB', (home) => inPlace(home, between(0, 4_096))),
  once('4 KiB of each 16 KiB', (home) => inPlace(home, intermittently(0, 4_096, 16_384))),
  once('4 KiB of each 16 KiB, not the first', (home) => inPlace(home, intermittently(16_384, 4_096, 16_384))),
  once('replaced, a known extension', (home) => renamed(home, (path) => `${path}.lockbit`)),
  once('replaced, a random extension', (home) => {
    const ending = extension(home);
    renamed(home, (path) => `${path}.${ending}`);
  }),
  once('replaced, names encrypted', (home) => renamed(home, (path) => hidden(home, path))),
  once('AES in place, with ransom notes', (home) => {
    const folders = new Set(home.files().map((path) => dirname(path)));
    inPlace(home, wholly);
    for (const folder of folders) home.write(`${folder}/README_FOR_DECRYPT.txt`, prose(home.random, 900));
  }),
  once('only documents', (home) => inPlace(home, wholly, (path) => DOCUMENT.test(path))),
  once('only photos', (home) => inPlace(home, wholly, (path) => path.endsWith('.jpg'))),
  once('only files of 32 KiB or more', (home) => inPlace(home, wholly, (path) => home.size(path) >= 32_768)),
  once('only files below 4 KiB', (home) => inPlace(home, wholly, (path) => home.size(path) < 4_096)),
  once('a header of 512 B kept', (home) => inPlace(home, between(512, Infinity))),
  once('a header of 4 KiB kept', (home) => inPlace(home, between(4_096, Infinity))),
  once('behind a header of text', (home) => inPlace(home, behindHeader)),
  once('as base64', (home) => inPlace(home, asBase64)),
  once('XOR with a constant', (home) => inPlace(home, withConstant)),
  once('a zip with a password for each', (home) => {
    for (const path of home.files()) {
      const data = home.read(path);
      replace(home, path, `${path}.zip`, zip([{ name: basename(path), data }], home.random));
    }
  }),
  once('a zip with a password for each, under its name', (home) => {
    for (const path of home.files()) {
      home.change(path, (data) => zip([{ name: basename(path), data }], home.random));
    }
  }),
  once('a 7z with a password for each', (home) => {
    for (const path of home.files()) replace(home, path, `${path}.7z`, sevenZip(home.random, home.size(path)));
  }),
  once('all into one container', (home) => {
    const files = home.files();
    const all = Buffer.concat(files.map((path) => wholly(home.read(path), home.random)));
    for (const path of files) home.remove(path);
    home.write('container.bin', all);
  }),
  once('overwritten with zeros', (home) => inPlace(home, zeros)),
  once('overwritten with random bytes', (home) => inPlace(home, overwritten)),
  once('truncated to nothing', (home) => inPlace(home, () => Buffer.alloc(0))),
  once('truncated to half', (home) => inPlace(home, (content) => content.subarray(0, content.length >> 1))),
  // A run stops by itself when a source is suddenly empty.
  once('everything but a file deleted', (home) =>
    home
      .files()
      .slice(1)
      .forEach((path) => home.remove(path)),
  ),
  once('the older half of the documents deleted', (home) => {
    const documents = home.files('Documents');
    for (const path of documents.slice(0, documents.length >> 1)) home.remove(path);
  }),
];

const OVER_DAYS: readonly Attack[] = [
  slow('10 % a day in place', 10, (home, path) => home.change(path, (content) => wholly(content, home.random))),
  slow('3 % a day in place', 3, (home, path) => home.change(path, (content) => wholly(content, home.random))),
  slow('3 % a day, a random extension', 3, (home, path) => {
    if (!path.endsWith('.qzxv')) replace(home, path, `${path}.qzxv`, wholly(home.read(path), home.random));
  }),
  slow('10 % a day, names encrypted', 10, (home, path) => {
    if (!HEX_NAME.test(basename(path))) replace(home, path, hidden(home, path), wholly(home.read(path), home.random));
  }),
  { ...slow('10 % a day deleted', 10, (home, path) => home.remove(path)), days: 20 },
  {
    name: 'one folder a day',
    days: 10,
    act: (home, day) => {
      const folders = [...new Set(home.files().map((path) => dirname(path)))].filter((path) => !path.includes('.git'));
      const folder = folders[(day * 7) % folders.length]!;
      inPlace(home, wholly, (path) => dirname(path) === folder);
    },
  },
  {
    name: 'a twentieth of each of several sets',
    days: 1,
    sets: ['Documents', 'Pictures', 'Mail'],
    act: (home) => {
      for (const path of share(home, 0, 5)) home.change(path, (content) => wholly(content, home.random));
    },
  },
];

/** A part of the files each day, among the changes of ordinary work. */
function slow(name: string, percent: number, act: (home: Home, path: string) => void): Attack {
  return {
    name,
    days: Math.ceil(100 / percent),
    act: (home, day) => {
      for (const path of share(home, day, percent)) act(home, path);
    },
  };
}

export const ATTACKS: readonly Attack[] = [...IN_ONE_RUN, ...OVER_DAYS];
