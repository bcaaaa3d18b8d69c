import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import type { FrameLocator, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ELECTRON } from './electron-fixture.ts';
import type { ElectronFixture } from './electron-fixture.ts';
import { firstBackup, freshWindow, makePersonalFolder } from './first-steps.ts';
import { LOCKED, pdfDocument, pdfOfImages } from './pdf-document.ts';
import { HAS_PICTURES, Screens } from './screens.ts';

const SCRIPT = '<script>document.title = "run"; fetch("http://127.0.0.1:9/stolen")</script>';
const MARK = 'hostile-mark-7319';

/** A PNG of one colour whose head may tell another size. */
function png(width: number, height: number, told = { width, height }): Buffer {
  const crcTable = Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit += 1) value = (value & 1) === 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
    return value >>> 0;
  });
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    let crc = 0xffffffff;
    for (const byte of body) crc = crcTable[(crc ^ byte) & 0xff]! ^ (crc >>> 8);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE((crc ^ 0xffffffff) >>> 0);
    return Buffer.concat([length, body, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(told.width, 0);
  head.writeUInt32BE(told.height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const rows = Buffer.alloc(height * (1 + width * 3), 0x70);
  for (let row = 0; row < height; row += 1) rows[row * (1 + width * 3)] = 0;
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** A JPEG picture of 64 × 48 pixels whose scan names a component that it does not have. */
function damagedJpeg(): Buffer {
  const segment = (marker: number, ...data: readonly number[]): Buffer =>
    Buffer.from([0xff, marker, 0, data.length + 2, ...data]);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xdb, 0, ...Array.from({ length: 64 }, () => 1)),
    segment(0xc0, 8, 0, 48, 0, 64, 1, 1, 0x11, 0),
    segment(0xda, 1, 7, 0, 0, 63, 0),
    Buffer.from([0, 0, 0, 0xff, 0xd9]),
  ]);
}

function wav(): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + 8000, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(8000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(8000, 40);
  return Buffer.concat([head, Buffer.alloc(8000, 0x80)]);
}

/** A document of three pages in which a part is replaced. */
function damaged(part: string, by: string): Buffer {
  const pages = pdfDocument(['First page', 'Second page', 'Third page']).toString('latin1');
  return Buffer.from(pages.replace(part, by), 'latin1');
}

const FILES: Readonly<Record<string, string | Buffer>> = {
  'page.html': `<!doctype html><h1>${MARK}</h1>${SCRIPT}<img src=x onerror="document.title='run'">`,
  'drawing.svg': `<svg xmlns="http://www.w3.org/2000/svg" onload="document.title='run'">${SCRIPT}<text>${MARK}</text></svg>`,
  'photo.png': png(64, 48),
  'vast.png': png(1, 1, { width: 100_000, height: 100_000 }),
  'broken.png': png(64, 48).subarray(0, 50),
  'scan.jpg': damagedJpeg(),
  'sound.wav': wav(),
  'letter.pdf': pdfDocument(
    ['First page', 'Second page', 'Third page'],
    '/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >> /URI << /Base (http://127.0.0.1:9/) >>',
  ),
  'locked.pdf': pdfDocument(['Secret'], '', LOCKED),
  'heavy.pdf': pdfOfImages(4, 7000, 7000),
  'headless.pdf': damaged('4 0 obj\n<<', '4 0 obj\n[['),
  'broken.pdf': '%PDF-1.7\n1 0 obj << /Type /Catalog /Pages 9 0 R >> endobj',
  'latin.txt': Buffer.from('Gr\xfc\xdfe aus M\xfcnchen \xff\xfe\xc0\x80', 'latin1'),
  'line.txt': 'x'.repeat(5_000_000),
  'binary.dat': Buffer.from([0, 1, 2, 3, 255, 0, 7]),
  'empty.txt': '',
  'tool.desktop': `[Desktop Entry]\nExec=touch ${MARK}\n`,
  'notes.txt': Array.from({ length: 60 }, (_, line) => `line ${line}`).join('\n'),
};

describe.skipIf(!ELECTRON)('looking at files and at times in Electron', () => {
  let folder: string;
  let files: string;
  let fixture: ElectronFixture;
  let page: Page;

  beforeAll(async () => {
    folder = makePersonalFolder(2);
    files = join(folder, 'Documents/Look');
    mkdirSync(files);
    for (const [name, content] of Object.entries(FILES)) writeFileSync(join(files, name), content);
    ({ fixture, page } = await freshWindow(folder));
    await firstBackup(page);
    writeFileSync(join(files, 'notes.txt'), String(FILES['notes.txt']).replace('line 30', 'line 30, written anew'));
    await page.getByRole('button', { name: 'Back up now' }).first().click();
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.locator('button[aria-label="Older restore point"]:not([disabled])').waitFor();
    const rows = page.getByRole('grid', { name: 'Files in this restore point' });
    await rows.focus();
    for (const name of ['Documents', 'Look']) {
      await rows.getByRole('row', { name: new RegExp(name) }).dblclick();
    }
    await rows.getByRole('row', { name: /notes\.txt/ }).waitFor();
  });
  afterAll(() => fixture?.close());
  // A test that fails leaves its dialog open.
  afterEach(async () => {
    if ((await page.getByRole('dialog').count()) > 0) await page.keyboard.press('Escape');
  });

  /** Opens a file of the folder by keyboard. */
  async function look(name: string): Promise<ReturnType<Page['getByRole']>> {
    await page.getByRole('grid', { name: 'Files in this restore point' }).focus();
    await page.keyboard.press('Home');
    await page.keyboard.type(name);
    await page.locator('[role=row][data-current]').filter({ hasText: name }).waitFor();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name });
    await dialog.waitFor();
    return dialog;
  }

  async function leave(): Promise<void> {
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate("document.activeElement.getAttribute('role')")).toBe('grid');
  }

  function frameOf(dialog: ReturnType<Page['getByRole']>): FrameLocator {
    return dialog.frameLocator('iframe');
  }

  test('shows a text with its difference to the version before', async () => {
    const dialog = await look('notes.txt');
    await dialog.getByText('line 30, written anew').waitFor();
    await expect.poll(() => dialog.getByRole('option').count()).toBe(2);
    await dialog.getByText('Differences').click();
    await dialog.getByText('1 line added, 1 line removed').waitFor();
    expect(await dialog.locator('[data-kind=added]').textContent()).toContain('line 30, written anew');
    expect(await dialog.locator('[data-kind=removed]').textContent()).toMatch(/line 30$/);
    await dialog.getByText('27 equal lines').waitFor();
    expect(await new Screens(fixture, page).look('look-differences')).toEqual([]);
    await dialog.getByText('Content').click();
    await dialog.getByRole('option').last().click();
    await dialog.getByText('line 30').waitFor();
    await leave();
  });

  test('shows a picture and plays audio in a frame without scripts, in another process', async () => {
    const dialog = await look('photo.png');
    const image = dialog.frameLocator('iframe[data-kind=picture]').locator('img');
    await dialog.getByText('64 × 48 pixels').waitFor();
    await expect
      .poll(() => image.evaluate((one) => (one as unknown as { naturalWidth: number }).naturalWidth))
      .toBe(64);
    const processes = await fixture.app.evaluate(({ BrowserWindow }) => {
      const { mainFrame } = BrowserWindow.getAllWindows()[0]!.webContents;
      return [mainFrame, ...mainFrame.frames].map(({ osProcessId, origin }) => ({ osProcessId, origin }));
    });
    for (const { osProcessId, origin } of processes.slice(1)) {
      expect(osProcessId).not.toBe(processes[0]!.osProcessId);
      expect(origin).toBe('null');
    }
    expect(processes.length).toBeGreaterThan(1);
    if (HAS_PICTURES) await page.screenshot({ path: 'test-results/screens/look-picture.png' });
    await leave();
    const sound = await look('sound.wav');
    await expect
      .poll(() =>
        frameOf(sound)
          .locator('audio')
          .evaluate((one) => (one as unknown as { duration: number }).duration),
      )
      .toBe(1);
    await leave();
  });

  test('draws the pages of a document in a frame that reaches nothing, in another process', async () => {
    const dialog = await look('letter.pdf');
    await dialog.getByText('3 pages').waitFor();
    const pages = frameOf(dialog).locator('canvas');
    expect(await pages.count()).toBe(3);
    await frameOf(dialog).getByRole('img', { name: '1: First page' }).waitFor();
    // Red where the page has its rectangle, white beside it, and dark where its text is.
    const colours = await pages.first().evaluate(readColours);
    expect(colours).toEqual({ rectangle: [255, 0, 0], margin: [255, 255, 255], hasText: true });
    await pages.last().scrollIntoViewIfNeeded();
    await frameOf(dialog).getByRole('img', { name: '3: Third page' }).waitFor();
    // Drawn again when it is seen again.
    await expect.poll(() => pages.first().evaluate(widthOf)).toBe(0);
    await pages.first().scrollIntoViewIfNeeded();
    await expect
      .poll(() =>
        pages
          .first()
          .evaluate(readColours)
          .catch(() => undefined),
      )
      .toEqual(colours);
    expect(await pages.first().evaluate(reachedAddresses)).toEqual([]);
    const processes = await fixture.app.evaluate(({ BrowserWindow }) => {
      const { mainFrame } = BrowserWindow.getAllWindows()[0]!.webContents;
      return [mainFrame, ...mainFrame.frames].map(({ osProcessId, origin }) => ({ osProcessId, origin }));
    });
    expect(processes[1]!.osProcessId).not.toBe(processes[0]!.osProcessId);
    expect(processes[1]!.origin).toBe('null');
    if (HAS_PICTURES) await page.screenshot({ path: 'test-results/screens/look-document.png' });
    await leave();
  });

  test('draws a page without the images that would take too much memory together', async () => {
    const dialog = await look('heavy.pdf');
    await frameOf(dialog).getByRole('img', { name: '1: Below' }).waitFor();
    const colours = await frameOf(dialog).locator('canvas').evaluate(readImages);
    expect(colours).toEqual([
      [255, 0, 0],
      [255, 0, 0],
      [255, 255, 255],
      [255, 255, 255],
    ]);
    await leave();
  });

  test('draws the other pages of a document whose first page is damaged', async () => {
    const dialog = await look('headless.pdf');
    await dialog.getByText('3 pages').waitFor();
    await frameOf(dialog).locator('canvas').last().scrollIntoViewIfNeeded();
    await frameOf(dialog).getByRole('img', { name: '3: Third page' }).waitFor();
    await leave();
  });

  test('shows pages and drawings with scripts as text', async () => {
    for (const name of ['page.html', 'drawing.svg']) {
      const dialog = await look(name);
      await dialog.getByText(new RegExp(MARK)).waitFor();
      expect(await dialog.locator('iframe, svg text, h1').count()).toBe(0);
      expect(await page.title()).not.toBe('run');
      await leave();
    }
  });

  test('refuses what is dangerous to show, and goes on', async () => {
    for (const [name, sentence] of [
      ['vast.png', 'This picture has too many pixels to be shown.'],
      ['locked.pdf', 'This document is protected by a password.'],
      ['broken.pdf', 'This document cannot be shown here.'],
      ['binary.dat', 'There is no preview for this kind of file.'],
      ['empty.txt', 'This file is empty.'],
    ] as const) {
      const dialog = await look(name);
      await dialog.getByText(sentence).waitFor();
      expect(await dialog.locator('iframe').count()).toBe(0);
      await leave();
    }
  });

  test('says that a picture is damaged, and nothing of one that is not', async () => {
    for (const name of ['broken.png', 'scan.jpg']) {
      const dialog = await look(name);
      await dialog.getByText(/This picture is damaged and cannot be shown, or only in part\./).waitFor();
      expect(await dialog.locator('iframe').count()).toBe(1);
      await leave();
    }
    const dialog = await look('photo.png');
    await dialog.getByText('64 × 48 pixels').waitFor();
    // The frame that decodes it again has told so, and is gone.
    await expect.poll(() => dialog.locator('iframe').count()).toBe(1);
    expect(await dialog.getByText(/damaged/).count()).toBe(0);
    await leave();
  });

  test('shows malformed text, and the beginning of a line of millions of characters', async () => {
    const latin = await look('latin.txt');
    await latin.getByText(/Grüße aus München/).waitFor();
    await leave();
    const line = await look('line.txt');
    await line.getByText(/Only the beginning is shown\./).waitFor();
    const longest = await line.evaluate((dialog) =>
      Math.max(
        ...[
          ...(dialog as unknown as { querySelectorAll: (s: string) => { textContent: string }[] }).querySelectorAll(
            '.look-row',
          ),
        ].map((row) => row.textContent.length),
      ),
    );
    expect(longest).toBeLessThan(1_100);
    await leave();
  });

  test('saves and opens copies on request only, and never starts a program', async () => {
    const copies = join(fixture.home, 'window/copies');
    const opened = (): Promise<readonly string[]> =>
      fixture.app.evaluate(() => (globalThis as unknown as { opened?: string[] }).opened ?? []);
    const target = join(folder, 'saved.txt');
    await fixture.app.evaluate(({ dialog, shell }, filePath) => {
      dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath });
      const recorded = globalThis as unknown as { opened: string[] };
      recorded.opened = [];
      shell.openPath = (path) => {
        recorded.opened.push(path);
        return Promise.resolve('');
      };
    }, target);
    const dialog = await look('notes.txt');
    await dialog.getByText('line 30, written anew').waitFor();
    expect(namesIn(copies)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save a copy…' }).click();
    await dialog.getByText(`Saved as ${target}`).waitFor();
    expect(readFileSync(target, 'utf8')).toBe(readFileSync(join(files, 'notes.txt'), 'utf8'));
    await dialog.getByRole('button', { name: 'Open a copy' }).click();
    await expect.poll(async () => (await opened()).length).toBe(1);
    const [copy] = await opened();
    expect(copy).toMatch(/copies\/copy-\w+\/notes\.txt$/);
    expect(readFileSync(copy!, 'utf8')).toContain('written anew');
    await leave();
    const tool = await look('tool.desktop');
    await tool.getByText(new RegExp(MARK)).waitFor();
    await tool.getByRole('button', { name: 'Open a copy' }).click();
    await tool.getByText(/No copy was opened/).waitFor();
    expect(await opened()).toHaveLength(1);
    await leave();
  });

  test('draws thumbnails in a frame that reaches nothing, in another process, and takes only pixels from it', async () => {
    await page.getByRole('radio', { name: 'Grid' }).check({ force: true });
    const tile = (name: string) => page.locator('.restore-tile').filter({ hasText: name });
    await tile('photo.png').scrollIntoViewIfNeeded();
    const canvas = tile('photo.png').locator('canvas');
    await canvas.waitFor();
    expect(await canvas.evaluate(readThumbnail)).toEqual({ width: 64, height: 48, colour: [0x70, 0x70, 0x70, 255] });
    const frame = page.frames().find((one) => one.url().startsWith('preview://'))!;
    expect(await frame.evaluate(reachedAddresses)).toEqual([]);
    const processes = await fixture.app.evaluate(({ BrowserWindow }) => {
      const { mainFrame } = BrowserWindow.getAllWindows()[0]!.webContents;
      return [mainFrame, ...mainFrame.frames].map(({ osProcessId, origin }) => ({ osProcessId, origin }));
    });
    expect(processes[1]!.osProcessId).not.toBe(processes[0]!.osProcessId);
    expect(processes[1]!.origin).toBe('null');
    // What is too large for a decoder, or none, stays an icon.
    for (const name of ['vast.png', 'broken.png', 'notes.txt']) {
      await tile(name).scrollIntoViewIfNeeded();
      await tile(name).locator('svg').first().waitFor();
      expect([name, await tile(name).locator('canvas').count()]).toEqual([name, 0]);
    }
    await page.getByRole('radio', { name: 'List' }).check({ force: true });
    await expect.poll(() => page.frames().filter((one) => one.url().startsWith('preview://'))).toEqual([]);
  });

  test('writes no content to disk', async () => {
    const dialog = await look('page.html');
    await dialog.getByText(new RegExp(MARK)).waitFor();
    expect(filesWith(files, MARK)).toContain(join(files, 'page.html'));
    expect(filesWith(fixture.home, MARK)).toEqual([]);
    await leave();
  });

  test('steps to the time before a file was deleted, and back, where it stands struck through', async () => {
    rmSync(join(files, 'binary.dat'));
    await fixture.ask('runs.backup', { set: 'My files' });
    const rows = page.getByRole('grid', { name: 'Files in this restore point' });
    const gone = rows.locator('[data-gone]').filter({ hasText: 'binary.dat' });
    await gone.waitFor();
    await page.getByText('In this folder: 1 removed').waitFor();
    await rows.focus();
    await page.keyboard.press('[');
    await rows.locator('[role=row]:not([data-gone])').filter({ hasText: 'binary.dat' }).waitFor();
    expect(await gone.count()).toBe(0);
    await page.keyboard.press('Alt+ArrowRight');
    await gone.waitFor();
    expect(await page.getByRole('link', { name: 'Look' }).count()).toBe(1);
    expect(await new Screens(fixture, page).look('restore-timeline')).toEqual([]);
  });

  test('puts an earlier version beside the present file: found by name, four presses', async () => {
    const lost = join(files, 'notes.txt');
    writeFileSync(lost, 'overwritten by mistake');
    let presses = 0;
    const press = async (target: ReturnType<Page['locator']>): Promise<void> => {
      presses += 1;
      await target.click();
    };
    await page.getByRole('searchbox', { name: 'Find in all backups' }).fill('otes');
    await press(page.getByRole('button', { name: '“notes.txt”: look at 2 versions' }));
    const dialog = page.getByRole('dialog', { name: 'notes.txt' });
    await dialog.getByText('line 30, written anew').waitFor();
    await press(dialog.getByRole('option').last());
    await dialog.getByText('line 30').waitFor();
    await press(dialog.getByRole('button', { name: 'Restore beside the current file…' }));
    await press(page.getByRole('dialog', { name: 'Restore' }).getByRole('button', { name: 'Start restoring' }));
    await page.getByRole('heading', { name: 'Restored' }).waitFor();
    expect(presses).toBe(4);
    expect(readFileSync(lost, 'utf8')).toBe('overwritten by mistake');
    const beside = readdirSync(files).filter((name) => name.startsWith('notes') && name !== 'notes.txt');
    expect(beside).toHaveLength(1);
    expect(readFileSync(join(files, beside[0]!), 'utf8')).toBe(FILES['notes.txt']);
    await page.getByRole('button', { name: 'Done' }).click();
    rmSync(join(files, beside[0]!));
  });
});

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Lists the files below a folder that contain a text. */
function filesWith(folder: string, text: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => {
      try {
        return readFileSync(path).includes(text);
      } catch {
        return false;
      }
    });
}

/** Reads the size of a thumbnail and the colour of its middle. Runs in the window. */
function readThumbnail(element: unknown) {
  const { width, height, getContext } = element as {
    width: number;
    height: number;
    getContext(kind: '2d'): CanvasPixels;
  };
  const context = getContext.call(element, '2d');
  return { width, height, colour: [...context.getImageData(width / 2, height / 2, 1, 1).data] };
}

function widthOf(element: unknown): number {
  return (element as { width: number }).width;
}

/** Reads pixels of a drawn page. Runs in its frame. */
function readColours(element: unknown) {
  const canvas = element as { width: number; height: number; getContext(kind: '2d'): CanvasPixels };
  const context = canvas.getContext('2d');
  const pixels = (x: number, y: number, width: number, height: number): readonly number[] => [
    ...context.getImageData(x * canvas.width, y * canvas.height, width, height).data,
  ];
  return {
    rectangle: pixels(0.2, 0.75, 1, 1).slice(0, 3),
    margin: pixels(0.8, 0.9, 1, 1).slice(0, 3),
    hasText: pixels(0.05, 0.12, canvas.width * 0.5, canvas.height * 0.15).some((value) => value < 100),
  };
}

/** Reads the colours of four images beside each other. Runs in the frame of their page. */
function readImages(element: unknown): readonly (readonly number[])[] {
  const canvas = element as { width: number; height: number; getContext(kind: '2d'): CanvasPixels };
  const context = canvas.getContext('2d');
  const colourAt = (x: number) => context.getImageData(x * canvas.width, 0.45 * canvas.height, 1, 1).data;
  return [1, 3, 5, 7].map((eighth) => Array.from(colourAt(eighth / 8)).slice(0, 3));
}

interface CanvasPixels {
  getImageData(x: number, y: number, width: number, height: number): { readonly data: Iterable<number> };
}

/** Asks for what a script in the document's page could want. Returns what was answered. Runs in its frame. */
async function reachedAddresses(): Promise<readonly string[]> {
  const addresses = ['http://127.0.0.1:9/', 'https://example.org/', 'app://holdfast/index.html', 'file:///etc/passwd'];
  const global = globalThis as unknown as Record<string, unknown>;
  const bridges = ['holdfastPort', 'require', 'process'].filter((name) => global[name] !== undefined);
  const answers = await Promise.all(
    addresses.map((address) =>
      fetch(address, { mode: 'no-cors' }).then(
        () => [address],
        () => [],
      ),
    ),
  );
  return [...bridges, ...answers.flat()];
}
