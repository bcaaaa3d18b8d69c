import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../../src/cli/commands/index.ts';
import { OPERATIONS } from '../../../src/service/http/open-api/operations.ts';
import { apiReference } from '../../../scripts/docs/api-reference.ts';
import { cliReference } from '../../../scripts/docs/cli-reference.ts';
import { anchorsOf, isExternal, linksOf } from '../../../scripts/docs/links.ts';
import { PICTURES } from '../../../scripts/docs/pictures.ts';

const ROOT = dirname(dirname(dirname(import.meta.dirname)));
const PAGES = [
  ...globSync('*.md', { cwd: ROOT }),
  ...globSync('docs/**/*.md', { cwd: ROOT, exclude: ['docs/site/**'] }),
];
/** Pages that the build of the site writes. */
const WRITTEN: Readonly<Record<string, () => string>> = {
  'docs/reference/cli.md': cliReference,
  'docs/reference/api.md': apiReference,
};

const textOf = (page: string): string => WRITTEN[page]?.() ?? readFileSync(join(ROOT, page), 'utf8');

describe('links in Markdown', () => {
  test('are found outside of code, with their lines', () => {
    const text = '[a](b.md)\n\n```\n[no](c.md)\n```\n`[no](d.md)` ![e](f.png) [`g`](h.md#i)\n[[j]](k.md)';
    expect(linksOf(text).map(({ target, line }) => [target, line])).toEqual([
      ['b.md', 1],
      ['f.png', 6],
      ['h.md#i', 6],
      ['k.md', 7],
    ]);
    for (const { target, from } of linksOf(text)) expect(text.slice(from).startsWith(target)).toBe(true);
  });

  test('lead to the anchors that GitHub makes of headings', () => {
    const text = '# One `two` three\n## Is it? Yes, [it](is.md)\n```\n# no\n```\n## Twice\n## Twice';
    expect([...anchorsOf(text)]).toEqual(['one-two-three', 'is-it-yes-it', 'twice', 'twice-1']);
  });
});

describe('documents', () => {
  test('have an index of the decisions that names each file of the folder once, and nothing else', () => {
    const index = linksOf(textOf('docs/decisions/README.md')).map(({ target }) => target);
    const files = globSync('*.md', { cwd: join(ROOT, 'docs/decisions') }).filter((name) => name !== 'README.md');
    expect(index.toSorted()).toEqual([...files, 'history/README.md'].toSorted());
  });

  test('number each decision as its file, and no number twice', () => {
    const files = globSync('docs/decisions/**/[0-9]*.md', { cwd: ROOT });
    const numbers = files.map((file) => posix.basename(file).slice(0, 4));
    expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([]);
    expect(files.filter((file, index) => !textOf(file).startsWith(`# ${numbers[index]}: `))).toEqual([]);
  });

  test('link to files and headings that exist', () => {
    const broken = PAGES.flatMap((page) =>
      linksOf(textOf(page)).flatMap(({ target, line }) => {
        if (isExternal(target)) return [];
        const [path = '', anchor] = target.split('#');
        const source = path === '' ? page : posix.join(posix.dirname(page), path);
        if (!WRITTEN[source] && !existsSync(join(ROOT, source))) return [`${page}:${line} ${target}`];
        if (anchor === undefined || !source.endsWith('.md') || anchorsOf(textOf(source)).has(anchor)) return [];
        return [`${page}:${line} ${target}`];
      }),
    );
    expect(PAGES.length).toBeGreaterThan(80);
    expect(broken).toEqual([]);
  });

  test('show the pictures that the tests write, and no others', () => {
    const shown = PAGES.filter((page) => page.startsWith('docs/guide/'))
      .flatMap((page) => linksOf(textOf(page)))
      .map(({ target }) => /^pictures\/(.*)\.png$/.exec(target)?.[1])
      .filter((name) => name !== undefined);
    expect([...new Set(shown)].toSorted()).toEqual(Object.keys(PICTURES).toSorted());
    const stored = globSync('docs/guide/pictures/*', { cwd: ROOT }).map((path) => posix.basename(path, '.png'));
    expect(stored.toSorted()).toEqual(Object.keys(PICTURES).toSorted());
  });

  test('describe every command and every operation', () => {
    const commands = textOf('docs/reference/cli.md').match(/^## holdfast \S+$/gm);
    expect(commands).toHaveLength(COMMANDS.length);
    expect(cliReference()).toContain('| `--conflict <choice>` |');
    expect(cliReference()).toContain('holdfast restore documents --at "2 hours ago"');
    const operations = textOf('docs/reference/api.md').match(/^### .*$/gm) ?? [];
    expect(operations.map((heading) => heading.slice(4)).toSorted()).toEqual(Object.keys(OPERATIONS).toSorted());
  });

  test('link twenty functions, each to the file that declares it', () => {
    const page = 'docs/twenty-functions.md';
    const rows = [...textOf(page).matchAll(/^\| (\d+) \| \[`(\w+)`\]\(([^)]+)\) \|/gm)];
    expect(rows.map(([, number]) => Number(number))).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    const all = [...textOf(page).matchAll(/\[`(\w+)`\]\(([^)]+)\)/g)];
    const missing = all.filter(([, name, target]) => {
      const text = readFileSync(join(ROOT, 'docs', target!), 'utf8');
      return !new RegExp(`^export (?:async )?function\\*? ${name}\\b`, 'm').test(text);
    });
    expect(missing.map(([link]) => link)).toEqual([]);
  });

  test('answer twelve questions of a newcomer, each with a file', () => {
    const [, section = ''] = textOf('docs/architecture.md').split('\n## Twelve questions of a newcomer\n');
    const rows = section.split('\n## ')[0]!.match(/^\| .*\? \| (.*) \|$/gm) ?? [];
    expect(rows).toHaveLength(12);
    expect(rows.filter((row) => linksOf(row).length === 0)).toEqual([]);
  });

  test('name the contact of package.json for vulnerabilities', () => {
    const { bugs } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { bugs: { email: string } };
    for (const page of ['SECURITY.md', 'CODE_OF_CONDUCT.md']) {
      expect(textOf(page).match(/[\w.]+@[\w.]+\w/g)).toEqual([bugs.email]);
    }
  });
});
