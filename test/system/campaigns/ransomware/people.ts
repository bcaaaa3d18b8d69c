import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Random } from '../../../helpers/random.ts';
import {
  cached,
  film,
  gzipped,
  jpeg,
  mail,
  noise,
  office,
  pdf,
  png,
  prose,
  song,
  sourceCode,
  table,
  zip,
} from './formats.ts';
import type { Home } from './home.ts';

/** Numbers of files of each kind in a home. */
export interface Person {
  readonly name: string;
  readonly documents: number;
  readonly photos: number;
  readonly songs: number;
  readonly films: number;
  readonly mails: number;
  readonly sources: number;
  readonly packages: number;
  readonly databases: number;
  readonly archives: number;
  readonly vault: number;
  readonly images: number;
  readonly cached: number;
  readonly thumbnails: number;
}

const FEW = { films: 2, databases: 2, archives: 6, images: 1 } as const;

export const PEOPLE: readonly Person[] = [
  person('family', { documents: 180, photos: 220, songs: 40, mails: 120, vault: 40, cached: 60, thumbnails: 80 }),
  person('photographer', { documents: 40, photos: 560, songs: 10, mails: 30, vault: 10, cached: 30, thumbnails: 120 }),
  person('developer', { documents: 50, photos: 30, mails: 60, sources: 260, packages: 110, vault: 20, cached: 60 }),
  person('office', { documents: 420, photos: 30, mails: 280, vault: 60, cached: 80, thumbnails: 30, archives: 20 }),
];

function person(name: string, counts: Partial<Omit<Person, 'name'>>): Person {
  const none = {
    documents: 0,
    photos: 0,
    songs: 0,
    mails: 0,
    sources: 0,
    packages: 0,
    vault: 0,
    cached: 0,
    thumbnails: 0,
  };
  return { name, ...FEW, ...none, ...counts };
}

/** Most files are small, some are twenty times larger. */
function size(random: Random, typical: number): number {
  return Math.round(typical * (0.3 + random.next()) * (random.chance(0.04) ? 8 : 1));
}

/** Extensions of documents with the shares that they have. */
const DOCUMENTS = ['docx', 'docx', 'xlsx', 'pptx', 'odt', 'pdf', 'pdf', 'txt', 'md', 'csv'] as const;

export function documentOf(random: Random, path: string): Buffer {
  const length = size(random, 9_000);
  switch (path.slice(path.lastIndexOf('.') + 1)) {
    case 'pdf':
      return pdf(random, length);
    case 'csv':
      return table(random, length >> 5);
    case 'txt':
    case 'md':
      return prose(random, length);
    default:
      return office(random, length);
  }
}

export function photo(random: Random, metadata?: string): Buffer {
  return jpeg(random, size(random, 18_000), metadata);
}

export function sourceFile(random: Random): Buffer {
  return sourceCode(random, size(random, 3_000));
}

/** A package of npm, of four files. */
export function installPackage(home: Home, index: number): void {
  const { random } = home;
  const folder = `source/app/node_modules/package-${index}`;
  home.write(
    `${folder}/package.json`,
    Buffer.from(JSON.stringify({ name: `package-${index}`, version: random.below(1e6) })),
  );
  home.write(`${folder}/index.js`, sourceCode(random, size(random, 4_000)));
  home.write(`${folder}/README.md`, prose(random, size(random, 1_500)));
  home.write(`${folder}/LICENSE`, Buffer.from('Permission is hereby granted, free of charge, to any person.\n'));
}

export function database(home: Home, path: string, rows: number): void {
  home.write(path, Buffer.alloc(0));
  using file = openDatabase(home, path);
  file.db.exec('CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL)');
  const insert = file.db.prepare('INSERT INTO note (text) VALUES (?)');
  file.db.transaction(() => {
    for (let row = 0; row < rows; row += 1) insert.run(prose(home.random, 200).toString());
  })();
}

export function openDatabase(home: Home, path: string): Disposable & { readonly db: Database.Database } {
  const db = new Database(join(home.root, path));
  db.pragma('journal_mode = MEMORY');
  db.pragma('synchronous = OFF');
  return { db, [Symbol.dispose]: () => db.close() };
}

/** A vault's encrypted files: their names and contents are ciphertext. */
export function sealIntoVault(home: Home): void {
  const { random } = home;
  const name = noise(random, 24).toString('base64url');
  home.write(`Vault/d/${random.below(4)}/${name}.c9r`, noise(random, size(random, 6_000)));
}

export function furnish(home: Home, person: Person): void {
  const { random } = home;
  const times = (count: number, put: (index: number) => void): void => {
    for (let index = 0; index < count; index += 1) put(index);
  };
  times(person.documents, (index) => {
    const path = `Documents/${random.pick(['Letters', 'Invoices', 'Projects', 'School'])}/file ${index}.${random.pick(DOCUMENTS)}`;
    home.write(path, documentOf(random, path));
  });
  times(person.photos, (index) => home.write(`Pictures/${2020 + (index % 6)}/IMG_${1000 + index}.jpg`, photo(random)));
  times(person.songs, (index) =>
    home.write(`Music/Album ${index % 4}/${index}.mp3`, song(random, size(random, 20_000), `Title ${index}`)),
  );
  times(person.films, (index) => home.write(`Videos/film ${index}.mp4`, film(random, 300_000 + random.below(400_000))));
  times(person.mails, (index) =>
    home.write(`Mail/cur/${1_700_000_000 + index}.M1.host:2,S`, mail(random, size(random, 3_000))),
  );
  if (person.mails > 0)
    home.write('Mail/archive.mbox', Buffer.concat(Array.from({ length: 30 }, () => mail(random, 2_000))));
  if (person.sources > 0) furnishSource(home, person);
  times(person.databases, (index) => database(home, `.config/app/store-${index}.sqlite`, 150));
  times(person.archives, (index) => {
    const members = Array.from({ length: 4 }, (_, member) => ({ name: `${member}.txt`, data: prose(random, 4_000) }));
    if (index % 2 === 0) home.write(`Archives/old ${index}.zip`, zip(members));
    else home.write(`Archives/old ${index}.tar.gz`, gzipped(random, 8_000));
  });
  if (person.vault > 0) home.write('Vault/masterkey.cryptomator', Buffer.from('{"version":999,"scryptSalt":"abc"}'));
  times(person.vault, () => sealIntoVault(home));
  times(person.images, (index) => home.write(`Machines/disk ${index}.img`, diskImage(random)));
  browserState(home);
  times(person.cached, (index) =>
    home.write(`.cache/browser/f_${String(index).padStart(6, '0')}`, cached(random, size(random, 5_000))),
  );
  times(person.thumbnails, (index) => home.write(`.cache/thumbnails/${index}.png`, png(random, size(random, 3_000))));
}

function furnishSource(home: Home, person: Person): void {
  const { random } = home;
  for (let index = 0; index < person.sources; index += 1) {
    const extension = random.pick(['ts', 'ts', 'py', 'css', 'json', 'md']);
    home.write(
      `source/app/src/${random.pick(['core', 'view', 'data'])}/file-${index}.${extension}`,
      sourceFile(random),
    );
  }
  home.write('source/app/.gitignore', Buffer.from('node_modules\n'));
  home.git('source/app', 'init', '--quiet');
  home.git('source/app', 'add', '--all');
  home.git('source/app', 'commit', '--quiet', '--message', 'Begin');
  for (let index = 0; index < person.packages; index += 1) installPackage(home, index);
}

/** What a browser writes each day: the log of a LevelDB of each page, binary although it has a text's extension. */
export function browserState(home: Home): void {
  for (let index = 0; index < 30; index += 1) {
    const records = [noise(home.random, 7), prose(home.random, 60), Buffer.alloc(40), noise(home.random, 400)];
    home.write(`.config/browser/page-${index}/000003.log`, Buffer.concat(records));
  }
}

function diskImage(random: Random): Buffer {
  return Buffer.concat([Buffer.alloc(500_000), prose(random, 300_000), noise(random, 300_000), Buffer.alloc(400_000)]);
}
