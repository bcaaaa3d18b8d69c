import { basename, dirname } from 'node:path';
import { cached, film, gzipped, jpeg, mail, noise, office, png, prose, song, webp, zip } from './formats.ts';
import type { Home } from './home.ts';
import { browserState, documentOf, installPackage, openDatabase, photo, sealIntoVault, sourceFile } from './people.ts';

/** What a person does on a day, with the home that it needs. */
export interface Work {
  readonly name: string;
  readonly act: (home: Home) => void;
}

const REPOSITORY = 'source/app';

function isDeveloper(home: Home): boolean {
  return home.has(`${REPOSITORY}/.git`);
}

/** Files of source code that Git knows. */
function sources(home: Home): string[] {
  return home.files(`${REPOSITORY}/src`);
}

/** Changes a line of a text, as an editor does. */
function editText(home: Home, path: string): void {
  home.change(path, (content) => {
    const at = home.random.below(content.length + 1);
    return Buffer.concat([content.subarray(0, at), prose(home.random, 40), content.subarray(at)]);
  });
}

export function edit(home: Home): void {
  const { random } = home;
  for (const path of home.some(1 + random.below(20), 'Documents')) {
    if (/\.(txt|md|csv)$/.test(path)) editText(home, path);
    else home.write(path, documentOf(random, path));
  }
  for (let more = random.below(4); more > 0; more -= 1) {
    home.write(`Documents/Letters/new ${random.below(1e9)}.docx`, office(random, 6_000));
  }
  for (const path of home.some(random.below(3), 'Documents')) home.remove(path);
}

const FILES: readonly Work[] = [
  { name: 'edits', act: edit },
  {
    name: 'office saves everything anew',
    act: (home) =>
      home
        .filesOf('Documents', 'docx', 'xlsx', 'pptx', 'odt')
        .forEach((path) => home.write(path, office(home.random, 9_000))),
  },
  {
    name: 'folders renamed and moved',
    act: (home) => {
      const folder = home.random.pick(['Documents/Letters', 'Documents/Projects', 'Pictures/2021', 'Music/Album 1']);
      if (home.has(folder)) home.move(folder, `${dirname(folder)}/moved ${home.random.below(1e6)}`);
    },
  },
  {
    name: 'an old folder restored',
    act: (home) => {
      for (let index = 0; index < 60; index += 1) {
        const path = `Documents/Restored/file ${index}.${home.random.pick(['docx', 'pdf', 'txt'])}`;
        home.write(path, documentOf(home.random, path));
      }
    },
  },
  {
    name: 'archives made of folders',
    act: (home) => {
      const folder = home.random.pick(['Documents/School', 'Documents/Invoices']);
      const files = home.files(folder);
      if (files.length === 0) return;
      home.write(
        `Archives/${home.random.below(1e6)}.zip`,
        zip(files.map((path) => ({ name: path, data: home.read(path) }))),
      );
      if (home.random.chance(0.3)) for (const path of files) home.remove(path);
    },
  },
  {
    name: 'an archive unpacked',
    act: (home) => {
      const folder = `Documents/Unpacked ${home.random.below(1e6)}`;
      for (let index = 0; index < 80; index += 1) home.write(`${folder}/${index}.txt`, prose(home.random, 3_000));
    },
  },
  {
    name: 'caches cleaned up',
    act: (home) => {
      home.remove('.cache/browser');
      home.remove('.cache/thumbnails');
      if (home.random.chance(0.3)) home.remove(`${REPOSITORY}/node_modules`);
    },
  },
  {
    name: 'a day of browsing',
    act: (home) => {
      browserState(home);
      for (const path of home.some(50, '.cache/browser')) home.remove(path);
      for (let index = 0; index < 60; index += 1) {
        home.write(`.cache/browser/f_${String(home.random.below(1e6)).padStart(6, '0')}`, cached(home.random, 4_000));
      }
    },
  },
  {
    name: 'files of a vault edited',
    act: (home) => {
      for (const path of home.some(home.random.below(15), 'Vault/d'))
        home.change(path, ({ length }) => noise(home.random, length + 64));
      for (let more = home.random.below(10); more > 0; more -= 1) sealIntoVault(home);
    },
  },
  {
    name: 'a disk image written',
    act: (home) => {
      for (const path of home.files('Machines')) {
        home.change(path, (content) => {
          noise(home.random, 60_000).copy(content, home.random.below(content.length));
          return content;
        });
      }
    },
  },
  {
    name: 'databases vacuumed',
    act: (home) => {
      for (const path of home.filesOf('.config', 'sqlite')) {
        using file = openDatabase(home, path);
        file.db.exec("DELETE FROM note WHERE id % 7 = 0; INSERT INTO note (text) VALUES ('more'); VACUUM");
      }
    },
  },
  {
    name: 'mail arrives and moves',
    act: (home) => {
      for (let index = 0; index < 40; index += 1)
        home.write(`Mail/new/${home.random.below(1e9)}.M1.host`, mail(home.random, 3_000));
      for (const path of home.some(40, 'Mail/cur'))
        home.move(path, `Mail/cur/${basename(path).replace(/:2,.*/, ':2,RS')}`);
      if (home.has('Mail/archive.mbox'))
        home.change('Mail/archive.mbox', (content) => Buffer.concat([content, mail(home.random, 4_000)]));
      for (const path of home.some(30, 'Mail/cur')) home.remove(path);
    },
  },
];

const MEDIA: readonly Work[] = [
  {
    name: 'hundreds of photos imported',
    act: (home) => {
      const folder = `Pictures/${home.random.below(1e6)}`;
      for (let index = 0; index < 200; index += 1) home.write(`${folder}/DSC_${index}.jpg`, photo(home.random));
      home.write(`${folder}/film.mp4`, film(home.random, 200_000));
    },
  },
  {
    name: 'metadata of all photos rewritten',
    act: (home) => {
      // Behind the signature and the first segment comes the metadata, here of a fixed length.
      const note = Buffer.from(`Lightroom ${home.random.below(1e9)}`.padEnd(200, ' '));
      const head = jpeg(home.random, 1).length - 203;
      for (const path of home.filesOf('Pictures', 'jpg')) {
        home.change(path, (content) => {
          note.copy(content, 20 + 4 + 14);
          return Buffer.from(content.subarray(0, Math.max(head, content.length)));
        });
      }
    },
  },
  {
    name: 'music tagged anew',
    act: (home) =>
      home.filesOf('Music', 'mp3').forEach((path) => {
        const title = `Title ${home.random.below(1e9)}`;
        home.change(path, (content) => Buffer.concat([song(home.random, 0, title), content.subarray(1_034)]));
      }),
  },
  {
    name: 'thumbnails rebuilt',
    act: (home) => home.files('.cache/thumbnails').forEach((path) => home.write(path, png(home.random, 3_000))),
  },
  {
    name: 'photos converted, originals deleted',
    act: (home) => {
      const folder = home.random.pick(['Pictures/2020', 'Pictures/2022', 'Pictures']);
      for (const path of home.filesOf(folder, 'jpg')) {
        home.write(path.replace(/\.jpg$/, '.webp'), webp(home.random, 12_000));
        home.remove(path);
      }
    },
  },
  {
    name: 'documents converted, originals deleted',
    act: (home) => {
      for (const path of home.filesOf('Documents', 'odt', 'txt')) {
        const to = path.replace(/\.(odt|txt)$/, home.random.chance(0.5) ? '.docx' : '.pdf');
        home.write(to, documentOf(home.random, to));
        home.remove(path);
      }
    },
  },
  {
    name: 'logs compressed',
    act: (home) => {
      for (let index = 0; index < 60; index += 1) {
        home.write(`.config/app/logs/${home.random.below(1e9)}.log`, prose(home.random, 2_000));
      }
      for (const path of home.filesOf('.config/app/logs', 'log')) {
        if (home.random.chance(0.5)) continue;
        home.write(`${path}.gz`, gzipped(home.random, 1_000));
        home.remove(path);
      }
    },
  },
];

const DEVELOPMENT: readonly Work[] = [
  {
    name: 'a day of commits',
    act: (home) => {
      for (let commit = 0; commit < 3; commit += 1) {
        for (const path of home.some(12, `${REPOSITORY}/src`)) editText(home, path);
        home.git(REPOSITORY, 'add', '--all');
        home.git(REPOSITORY, 'commit', '--quiet', '--allow-empty', '--message', 'Work');
      }
    },
  },
  {
    name: 'git checkout of a branch',
    act: (home) => {
      home.git(REPOSITORY, 'checkout', '--quiet', '-B', `branch-${home.random.below(1e9)}`);
      for (const path of sources(home)) if (home.random.chance(0.6)) home.write(path, sourceFile(home.random));
      home.git(REPOSITORY, 'add', '--all');
      home.git(REPOSITORY, 'commit', '--quiet', '--allow-empty', '--message', 'Branch');
      home.git(REPOSITORY, 'checkout', '--quiet', 'HEAD~1');
    },
  },
  {
    name: 'git gc',
    act: (home) => {
      home.git(REPOSITORY, 'repack', '-a', '-d', '--quiet');
      home.git(REPOSITORY, 'gc', '--quiet', '--prune=now');
    },
  },
  {
    name: 'npm installs everything anew',
    act: (home) => {
      const count = new Set(home.files(`${REPOSITORY}/node_modules`).map((path) => path.split('/')[3])).size;
      home.remove(`${REPOSITORY}/node_modules`);
      for (let index = 0; index < Math.max(50, count); index += 1) installPackage(home, index);
    },
  },
  {
    name: 'npm updates some packages',
    act: (home) => {
      for (let index = 0; index < 30; index += 1) installPackage(home, home.random.below(120));
    },
  },
  {
    name: 'a formatter over the source tree',
    act: (home) =>
      sources(home).forEach((path) =>
        home.change(path, (content) =>
          Buffer.from(
            content
              .toString()
              .replaceAll(/^(\s*)/gm, '$1$1')
              .replaceAll(';', ' ;'),
          ),
        ),
      ),
  },
  {
    name: 'line endings converted',
    act: (home) =>
      sources(home).forEach((path) =>
        home.change(path, (content) => {
          const text = content.toString();
          return Buffer.from(text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text.replaceAll('\n', '\r\n'));
        }),
      ),
  },
];

/** The days that a person can have. */
export function worksOf(home: Home): readonly Work[] {
  return isDeveloper(home) ? [...FILES, ...MEDIA, ...DEVELOPMENT] : [...FILES, ...MEDIA];
}
