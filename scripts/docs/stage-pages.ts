import { existsSync, globSync, statSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, extname, join, posix } from 'node:path';
import { apiDocument, apiReference } from './api-reference.ts';
import { cliReference } from './cli-reference.ts';
import { isExternal, linksOf } from './links.ts';

/** Pages of the checkout's root that the site has, too. */
const PROJECT_PAGES = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CODE_OF_CONDUCT.md'];

/** Kinds of files that keep their names. */
const FILE_KINDS: ReadonlySet<string> = new Set(['.json', '.png', '.svg', '.txt']);

/**
 * Lays the sources of the site out: the pages of `docs/`, those that are written from definitions, and the files of the checkout that
 * pages link to.
 *
 * @param root the checkout
 * @param to the folder for the sources, which is made anew
 */
export async function stagePages(root: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true });
  const pages = [...globSync('docs/**/*.md', { cwd: root, exclude: ['docs/site/**'] }), ...PROJECT_PAGES];
  const files = new Set<string>();
  for (const page of pages.toSorted()) {
    const text = relinked(root, page, await readFile(join(root, page), 'utf8'), files);
    await write(join(to, sitePath(page)), text);
  }
  await write(join(to, 'reference/cli.md'), cliReference());
  await write(join(to, 'reference/api.md'), apiReference());
  const history = await readFile(join(root, 'docs/decisions/history/README.md'), 'utf8');
  await write(
    join(to, 'decisions/history/index.md'),
    `${relinked(root, 'docs/decisions/history/README.md', history, files)}\n${await historyIndex(root)}`,
  );
  await write(join(to, 'public/files/openapi.json'), JSON.stringify(apiDocument(), undefined, 2));
  await cp(join(root, 'src/renderer/icon.svg'), join(to, 'public/icon.svg'));
  for (const file of files) {
    await mkdir(dirname(join(to, sitePath(file))), { recursive: true });
    await cp(join(root, file), join(to, sitePath(file)));
  }
}

/** Returns where a file of the checkout is among the sources of the site. */
function sitePath(path: string): string {
  if (path === 'docs/decisions') return 'decisions/index.md';
  if (path.startsWith('docs/') && path.endsWith('/README.md'))
    return `${path.slice('docs/'.length, -'README.md'.length)}index.md`;
  if (PROJECT_PAGES.includes(path)) return `project/${path === 'README.md' ? 'about.md' : path.toLowerCase()}`;
  if (path.startsWith('docs/')) return `${path.endsWith('.md') ? '' : 'public/'}${path.slice('docs/'.length)}`;
  // A browser shows texts of any kind as text.
  return `public/files/${path}${FILE_KINDS.has(extname(path)) ? '' : '.txt'}`;
}

/** Returns a page whose links lead to the pages and files of the site. */
function relinked(root: string, page: string, text: string, files: Set<string>): string {
  let result = '';
  let end = 0;
  for (const { target, from } of linksOf(text)) {
    result += text.slice(end, from) + siteLink(root, page, target, files);
    end = from + target.length;
  }
  return result + text.slice(end);
}

function siteLink(root: string, page: string, target: string, files: Set<string>): string {
  if (isExternal(target) || target.startsWith('#') || target.startsWith('/')) return target;
  const [path = '', anchor] = target.split('#');
  const source = posix.normalize(posix.join(posix.dirname(page), path)).replace(/\/$/, '');
  const isWritten = source.startsWith('docs/reference/');
  if (!isWritten && !existsSync(join(root, source)))
    throw new Error(`${page} links to ${target}, which does not exist`);
  if (!isWritten && extname(source) !== '.md' && statSync(join(root, source)).isFile()) files.add(source);
  const there = sitePath(source);
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (there.startsWith('public/')) return `/${there.slice('public/'.length)}`;
  const relative = posix.relative(posix.dirname(sitePath(page)), there);
  return `${relative.startsWith('.') ? relative : `./${relative}`}${hash}`;
}

async function historyIndex(root: string): Promise<string> {
  const rows = globSync('docs/decisions/history/[0-9]*.md', { cwd: root })
    .toSorted()
    .map(async (path) => {
      const name = posix.basename(path);
      const title = /^# *(?:\d{4}:? *)?(.*)$/m.exec(await readFile(join(root, path), 'utf8'))?.[1] ?? name;
      return `| ${name.slice(0, 4)} | [${title}](./${name}) |`;
    });
  return `${['| | |', '|---|---|', ...(await Promise.all(rows))].join('\n')}\n`;
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
