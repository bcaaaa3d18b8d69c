/**
 * Builds the site of the documents (docs/decisions/history/0223-site.md):
 *
 *     npm run docs               builds docs/site/dist/site
 *     npm run docs -- check      builds it, checks every link and anchor of every page, and lints the OpenAPI document
 *     npm run docs -- serve      shows it on this computer, and follows changes of its look
 *     npm run docs -- pictures   has the tests draw the windows, and copies the guide's pictures
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { copyPictures } from './docs/pictures.ts';
import { stagePages } from './docs/stage-pages.ts';
import { npmCommand } from './npm.ts';

const root = dirname(import.meta.dirname);
const site = join(root, 'docs/site');
const VITEPRESS = 'node_modules/vitepress/bin/vitepress.js';
const [command = 'build'] = process.argv.slice(2);

switch (command) {
  case 'build':
    await build();
    break;
  case 'check':
    await build();
    run(site, process.execPath, 'check-links.js', 'dist/site');
    run(site, process.execPath, 'lint-openapi.js', 'dist/site/files/openapi.json');
    break;
  case 'serve':
    await stage();
    run(site, process.execPath, VITEPRESS, 'dev', '.', '--host', '127.0.0.1');
    break;
  case 'pictures':
    copyPictures(root, (...files) =>
      run(
        root,
        process.execPath,
        'node_modules/vitest/vitest.mjs',
        'run',
        '--project',
        'isolated',
        '--project',
        'shared',
        ...files,
      ),
    );
    break;
  default:
    throw new Error(`npm run docs -- ${command}: build, check, serve or pictures`);
}

async function build(): Promise<void> {
  await stage();
  run(site, process.execPath, VITEPRESS, 'build', '.');
}

/** The site has packages of its own, so that `npm ci` of the program stays small. */
async function stage(): Promise<void> {
  if (!existsSync(join(site, 'node_modules/.package-lock.json')))
    run(site, ...npmCommand(), 'ci', '--ignore-scripts', '--no-audit', '--no-fund');
  await stagePages(root, join(site, 'dist/pages'));
}

function run(cwd: string, program: string, ...words: readonly string[]): void {
  const { status, error } = spawnSync(program, words, {
    cwd,
    stdio: 'inherit',
    env: { ...process.env, HOLDFAST_PICTURES: '1' },
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} ${words.join(' ')} ended with ${status}`);
}
