import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { contentKind } from '../../../src/main/preview/content-kind.ts';
import { dragCopy } from '../../../src/main/preview/drag-copy.ts';
import { pictureSize } from '../../../src/main/preview/picture-size.ts';
import { answerPreview, previewAddress } from '../../../src/main/preview/preview-pages.ts';
import { Previews } from '../../../src/main/preview/previews.ts';
import { isProgramName, safeFileName, TemporaryCopies } from '../../../src/main/preview/temporary-copies.ts';
import { textContent } from '../../../src/main/preview/text-content.ts';

const bytes = (hex: string): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
const latin = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(text, 'latin1'));

describe('the kind of a content', () => {
  test.each([
    ['89504e470d0a1a0a', { kind: 'picture', type: 'image/png' }],
    ['ffd8ffe0', { kind: 'picture', type: 'image/jpeg' }],
    ['474946383961', { kind: 'picture', type: 'image/gif' }],
    ['52494646 00000000 57454250', { kind: 'picture', type: 'image/webp' }],
    ['52494646 00000000 57415645', { kind: 'audio', type: 'audio/wav' }],
    ['494433', { kind: 'audio', type: 'audio/mpeg' }],
    ['255044462d', { kind: 'pdf', type: 'application/pdf' }],
    ['fffe6100', { kind: 'text' }],
    ['48692c0a09', { kind: 'text' }],
    ['4869 00', { kind: 'unknown' }],
    ['7f454c46 02', { kind: 'unknown' }],
    ['', { kind: 'empty' }],
  ])('is told by the first bytes %s', (hex, kind) => expect(contentKind(bytes(hex))).toEqual(kind));
});

describe('the size of a picture', () => {
  test.each([
    ['image/png', '89504e470d0a1a0a 0000000d 49484452 000186a0 00000102', 100_000, 258],
    ['image/gif', '474946383961 0a00 1400 00 00 00 2c 0100 0200 0800 0100 00', 10, 20],
    // The first frame enlarges the picture, here after colours, a pause and a comment.
    [
      'image/gif',
      '474946383961 0100 0100 80 00 00 ff0000 0000ff 21f9 04 00000000 00 21fe 01 41 00 2c 0100 0200 204e 204e 00',
      20_001,
      20_002,
    ],
    // Of an empty picture.
    ['image/gif', '474946383961 0a00 1400 00 00 00 3b', 10, 20],
    ['image/bmp', '424d 00000000 00000000 1a000000 0c000000 0400 0300 0100 1800', 4, 3],
    ['image/jpeg', 'ffd8 ffe0 0004 0000 ffc4 0003 00 ffc2 0011 08 0020 0040 03', 64, 32],
    ['image/webp', '52494646 00000000 57454250 56503858 0a000000 00000000 0f2700 1f4e00', 10_000, 20_000],
    ['image/webp', '52494646 00000000 57454250 5650384c 00000000 2f 3fc00f00', 64, 64],
    ['image/webp', '52494646 00000000 57454250 56503820 00000000 000000 9d012a 4000 3000', 64, 48],
    ['image/bmp', '424d 00000000 00000000 36000000 28000000 0a000000 ecffffff', 10, 20],
  ])('of %s is read from its head', (type, hex, width, height) =>
    expect(pictureSize(bytes(hex), type)).toEqual({ width, height }),
  );

  test.each([
    ['image/png', '89504e470d0a1a0a 0000000d'],
    ['image/png', '89504e470d0a1a0a 0000000d 49484452 00000000 00000102'],
    ['image/jpeg', 'ffd8 ffe0'],
    ['image/jpeg', 'ffd8 ffda 0002'],
    ['image/jpeg', 'ffd8 ffe0 0000'],
    ['image/webp', '52494646 00000000 57454250 41414141'],
    ['image/gif', '474946383961 0a00 1400 00 00 00 00'],
    ['image/tiff', '49492a00'],
  ])('of %s is unknown if the head does not tell: %s', (type, hex) =>
    expect(pictureSize(bytes(hex), type)).toBeUndefined(),
  );
});

describe('a text', () => {
  test('is decoded by its mark, as UTF-8, or as Windows-1252', () => {
    expect(textContent(bytes('fffe 6100 e400'))).toEqual({ text: 'aä', isWhole: true });
    expect(textContent(bytes('feff 0061 00e4'))).toEqual({ text: 'aä', isWhole: true });
    expect(textContent(bytes('efbbbf c3a4'))).toEqual({ text: 'ä', isWhole: true });
    expect(textContent(bytes('61 e4 ff fe'))).toEqual({ text: 'aäÿþ', isWhole: true });
    expect(textContent(bytes('fffe 3dd8')).text).toBe('\ufffd');
  });

  test('is cut at two million characters, and not within one', () => {
    const long = textContent(Uint8Array.from(Buffer.from(`a${'ä'.repeat(9_000_000)}`)));
    expect(long.isWhole).toBe(false);
    expect(long.text).toHaveLength(2 ** 21);
    expect(long.text.endsWith('ä')).toBe(true);
  });
});

describe('the pages of previews', () => {
  const previews = new Previews();
  const picture = previews.add({ name: 'a.png', bytes: latin('0123456789'), type: 'image/png' });
  const text = previews.add({ name: 'a.html', bytes: latin('<script>'), type: undefined });
  const document = previews.add({ name: 'a.pdf', bytes: latin('%PDF-'), type: 'application/pdf' });
  const page = mkdtempSync(join(tmpdir(), 'holdfast-document-'));
  mkdirSync(join(page, 'wasm'));
  writeFileSync(join(page, 'document-page.js'), 'script');
  writeFileSync(join(page, 'wasm/decoder.wasm'), 'decoder');
  writeFileSync(join(page, 'secret.js'), 'secret');
  afterAll(() => rmSync(page, { recursive: true }));
  const ask = (url: string, init?: RequestInit) => answerPreview(previews, page, new Request(url, init));

  test('allow no scripts, and nothing but the content', async () => {
    const answer = await ask(previewAddress(picture));
    const policy = answer.headers.get('content-security-policy')!.split('; ');
    expect(policy).toEqual(expect.arrayContaining(['sandbox', "default-src 'none'", "form-action 'none'"]));
    expect(policy.join()).not.toContain('script');
    expect(await answer.text()).toContain('<img src="content" alt="">');
    const content = await ask(`${previewAddress(picture)}content`);
    expect(content.headers.get('content-type')).toBe('image/png');
    expect(content.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await content.text()).toBe('0123456789');
  });

  test('give a picture to the script that finds out whether it can be decoded', async () => {
    writeFileSync(join(page, 'gallery-page.js'), 'draw');
    const check = await ask(`${previewAddress(picture)}check`);
    expect(check.headers.get('content-security-policy')).toContain('sandbox allow-scripts; default-src');
    expect(await check.text()).toContain('<script src="gallery-page.js"');
    expect(await (await ask(`${previewAddress(picture)}gallery-page.js`)).text()).toBe('draw');
    expect(await (await ask(`${previewAddress(picture)}${picture}`)).text()).toBe('0123456789');
    for (const path of ['check', 'gallery-page.js', document]) {
      expect([path, (await ask(`${previewAddress(document)}${path}`)).status]).toEqual([path, 404]);
    }
  });

  test('give parts to players', async () => {
    const part = (range: string) => ask(`${previewAddress(picture)}content`, { headers: { range } });
    const answer = await part('bytes=2-4');
    expect([answer.status, answer.headers.get('content-range')]).toEqual([206, 'bytes 2-4/10']);
    expect(await answer.text()).toBe('234');
    expect(await (await part('bytes=7-')).text()).toBe('789');
    expect((await part('bytes=10-')).status).toBe(416);
    expect((await part('bytes=-5')).status).toBe(200);
  });

  test('refuse texts, unknown names, other paths and methods', async () => {
    for (const url of [
      previewAddress(text),
      previewAddress('0'.repeat(32)),
      `${previewAddress(picture)}other`,
      `${previewAddress(picture)}document-page.js`,
      `${previewAddress(picture)}wasm/decoder.wasm`,
      `${previewAddress(document)}secret.js`,
      `${previewAddress(document)}wasm/..%2fsecret.js`,
      `${previewAddress(document)}wasm/missing.wasm`,
      `${previewAddress(document)}wasm/`,
    ]) {
      expect([url, (await ask(url)).status]).toEqual([url, 404]);
    }
    expect((await ask(previewAddress(picture), { method: 'POST' })).status).toBe(404);
  });

  test('give the page of a gallery each picture once, and nothing else', async () => {
    writeFileSync(join(page, 'gallery-page.js'), 'draw');
    const gallery = previews.gallery.open();
    const own = previewAddress(gallery);
    const policy = (await ask(own)).headers.get('content-security-policy')!.split('; ');
    expect(policy).toEqual([
      'sandbox allow-scripts',
      "default-src 'none'",
      `script-src ${own}gallery-page.js`,
      `connect-src ${own}`,
      "base-uri 'none'",
      "form-action 'none'",
      "require-trusted-types-for 'script'",
    ]);
    expect(await (await ask(`${own}gallery-page.js`)).text()).toBe('draw');
    const first = previews.gallery.add({ bytes: latin('pixels'), type: 'image/png' });
    expect((await ask(`${previewAddress(picture)}${first}`)).status).toBe(404);
    const answer = await ask(own + first);
    expect([answer.headers.get('content-type'), await answer.text()]).toEqual(['image/png', 'pixels']);
    expect((await ask(own + first)).status).toBe(404);
    for (const path of ['content', 'document-page.js', 'secret.js', 'style.css', '..%2fsecret.js']) {
      expect([path, (await ask(own + path)).status]).toEqual([path, 404]);
    }
    // Five are too many: the oldest is gone.
    const names = [1, 2, 3, 4, 5].map((number) =>
      previews.gallery.add({ bytes: latin(`${number}`), type: 'image/png' }),
    );
    expect((await ask(own + names[0]!)).status).toBe(404);
    expect(await (await ask(own + names[4]!)).text()).toBe('5');
    const next = previews.gallery.open();
    expect((await ask(own)).status).toBe(404);
    expect((await ask(previewAddress(next) + names[3]!)).status).toBe(404);
    previews.gallery.close(gallery);
    expect(previews.gallery.isOpen(next)).toBe(true);
    previews.gallery.close(next);
    expect((await ask(previewAddress(next))).status).toBe(404);
  });

  test('allow a document the scripts of its page, what that fetches, and nothing else', async () => {
    const own = previewAddress(document);
    const answer = await ask(own);
    expect(answer.headers.get('content-security-policy')!.split('; ')).toEqual([
      'sandbox allow-scripts',
      "default-src 'none'",
      `script-src ${own}document-page.js 'wasm-unsafe-eval'`,
      `connect-src ${own}`,

      `style-src ${own}`,
      "base-uri 'none'",
      "form-action 'none'",
      "require-trusted-types-for 'script'",
    ]);
    expect(await answer.text()).toContain('<script src="document-page.js" defer></script>');
    expect(await (await ask(`${own}document-page.js`)).text()).toBe('script');
    expect(await (await ask(`${own}wasm/decoder.wasm`)).text()).toBe('decoder');
    const content = await ask(`${own}content`);
    expect(await content.text()).toBe('%PDF-');
    expect(content.headers.get('access-control-allow-origin')).toBe('*');
    expect((await ask(`${previewAddress(picture)}content`)).headers.get('access-control-allow-origin')).toBeNull();
  });

  test('are forgotten: the oldest of five, and all at once', () => {
    const held = new Previews();
    const ids = Array.from({ length: 5 }, () => held.add({ name: 'x', bytes: latin('x'), type: undefined }));
    expect(ids.map((id) => held.find(id) !== undefined)).toEqual([false, true, true, true, true]);
    held.clear();
    expect(held.find(ids[4]!)).toBeUndefined();
  });
});

describe('temporary copies', () => {
  test('have names that every file system accepts', () => {
    const names = [
      'a/../b',
      '..',
      'con.txt',
      'CONIN$',
      'com².log',
      'x\u202egpj.exe',
      'end. .',
      ' ',
      `${'n'.repeat(400)}.docx`,
      'süß.jpg',
    ];
    expect(names.map(safeFileName)).toEqual([
      'a_.._b',
      '_',
      '_con.txt',
      '_CONIN$',
      '_com².log',
      'x_gpj.exe',
      'end',
      '_',
      `${'n'.repeat(120)}.docx`,
      'süß.jpg',
    ]);
  });

  test('are not opened if they might start', () => {
    expect(['a.exe', 'a.EXE ', 'a.desktop', 'b.sh', 'c.lnk.', 'x.jar'].filter((name) => !isProgramName(name))).toEqual(
      [],
    );
    expect(['a.txt', 'exe', 'photo.jpg', 'a.exe.pdf'].filter(isProgramName)).toEqual([]);
  });

  test('belong to their owner, and are deleted together', () => {
    const parent = mkdtempSync(join(tmpdir(), 'holdfast-copies-'));
    onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
    const copies = new TemporaryCopies(join(parent, 'copies'));
    const [first, second] = ['one', 'two'].map((text) =>
      copies.writeSync({ name: 'same.txt', bytes: latin(text), type: undefined }),
    );
    expect([readFileSync(first!, 'utf8'), readFileSync(second!, 'utf8')]).toEqual(['one', 'two']);
    expect(statSync(first!).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(dirname(first!))).mode & 0o777).toBe(0o700);
    copies.removeSync();
    expect(existsSync(join(parent, 'copies'))).toBe(false);
  });

  test('are dragged out of the window under their safe names, and removed with the others', () => {
    const parent = mkdtempSync(join(tmpdir(), 'holdfast-drag-'));
    onTestFinished(() => rmSync(parent, { recursive: true }));
    const copies = new TemporaryCopies(join(parent, 'copies'));
    const dragged: { readonly file: string; readonly icon: unknown }[] = [];
    const contents = { startDrag: (item: { file: string; icon: unknown }) => void dragged.push(item) };
    const held = { name: 'a/b: plan.pdf', bytes: latin('content'), type: undefined };
    dragCopy(held, { copies, contents, icon: '/icons/file.png' });
    expect(dragged).toEqual([{ file: expect.stringMatching(/a_b_ plan\.pdf$/), icon: '/icons/file.png' }]);
    expect(readFileSync(dragged[0]!.file, 'utf8')).toBe('content');
    copies.removeSync();
    expect(existsSync(dragged[0]!.file)).toBe(false);
    // Without a window nothing is written.
    dragCopy(held, { copies, contents: undefined, icon: '/icons/file.png' });
    expect(existsSync(join(parent, 'copies'))).toBe(false);
  });
});
