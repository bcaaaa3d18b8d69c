import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerPageFile } from '../../../src/main/window/page-files.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-page-'));
  mkdirSync(join(folder, 'page/assets'), { recursive: true });
  mkdirSync(join(folder, 'page-beside'));
  writeFileSync(join(folder, 'page/index.html'), '<p>page');
  writeFileSync(join(folder, 'page/assets/index-1.js'), 'page()');
  writeFileSync(join(folder, 'page/notes.txt'), 'none of a page');
  writeFileSync(join(folder, 'secret.js'), 'secret');
  writeFileSync(join(folder, 'page-beside/secret.js'), 'secret');
  symlinkSync(join(folder, 'secret.js'), join(folder, 'page/assets/link.js'));
  symlinkSync(folder, join(folder, 'page/up'));
  symlinkSync(join(folder, 'page-beside'), join(folder, 'page/beside'));
});

afterAll(() => rmSync(folder, { recursive: true }));

function ask(url: string, method = 'GET'): Promise<Response> {
  return answerPageFile(join(folder, 'page'), { url, method });
}

describe('page files', () => {
  test.each([
    ['index.html', 'text/html; charset=utf-8', '<p>page'],
    ['assets/index-1.js', 'text/javascript; charset=utf-8', 'page()'],
    ['assets/index-1.js?v=1#top', 'text/javascript; charset=utf-8', 'page()'],
  ])('answers %s', async (path, type, text) => {
    const answer = await ask(`app://holdfast/${path}`);
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([200, type, text]);
  });

  test('forbid inline code, frames and network', async () => {
    const { headers } = await ask('app://holdfast/index.html');
    const policy = headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|connect-src|https?:|\*/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  test.each([
    'app://holdfast/../secret.js',
    'app://holdfast/%2e%2e/secret.js',
    'app://holdfast/%2e%2e%2fsecret.js',
    'app://holdfast/assets/..%2f..%2fsecret.js',
    'app://holdfast/..%5csecret.js',
    String.raw`app://holdfast/..\secret.js`,
    'app://holdfast/%252e%252e/secret.js',
    'app://holdfast//etc/hosts.js',
    'app://holdfast/%2fetc/hosts.js',
    `app://holdfast/${encodeURIComponent('/etc/hosts.js')}`,
    'app://holdfast/assets/link.js',
    'app://holdfast/up/secret.js',
    'app://holdfast/beside/secret.js',
    'app://holdfast/assets/index-1.js%00.html',
    'app://holdfast/assets/%zz.js',
    'app://holdfast/C:/secret.js',
    'app://holdfast/notes.txt',
    'app://holdfast/assets',
    'app://holdfast/',
    'app://elsewhere/index.html',
    'app://holdfast.elsewhere/index.html',
    'file:///etc/hosts.js',
    'https://holdfast/index.html',
    'no address',
  ])('returns nothing for %s', async (url) => {
    const answer = await ask(url);
    expect([answer.status, await answer.text()]).toEqual([404, '']);
  });

  test.each(['POST', 'PUT', 'HEAD'])('refuse the method %s', async (method) => {
    expect((await ask('app://holdfast/index.html', method)).status).toBe(405);
  });
});
