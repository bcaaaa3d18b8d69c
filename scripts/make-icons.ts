/**
 * Draws all icons from their sources (assets/app.svg, assets/app-small.svg, scripts/icons/tray-drawings.ts) in Debian's Chromium. The
 * results are committed, so that a build does not need it:
 *
 *     bin/node scripts/make-icons.ts
 *
 * `assets` is electron-builder's `buildResources`: icon.icns, icon.ico, icons/NxN.png.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chromium } from 'playwright';
import type { Page } from 'playwright';
import { icnsFile, icoFile } from './icons/containers.ts';
import type { SizedPicture } from './icons/containers.ts';
import { colouredIcon, templateIcon, TRAY_DRAWINGS } from './icons/tray-drawings.ts';

const assets = join(dirname(import.meta.dirname), 'assets');
const APP_SIZES = [16, 32, 40, 48, 64, 128, 256, 512, 1024];
/** Drawn without a margin and with strokes of whole pixels: scaled-down pictures are blurred at these sizes. */
const SMALL_SIZES = [16, 20, 24, 32];
const LARGEST_IN_ICO = 256;
/** Themes of Linux have no larger ones: nothing would find it, and no package of the system owns its folder. */
const LARGEST_OF_THEMES = 512;
/** Used by Windows at a scale of 125 %, but not by electron-builder and Linux. */
const ICO_ONLY: ReadonlySet<number> = new Set([20, 40]);
const TRAY_SIZES = [16, 22, 24, 32];
const TRAY_ICO_SIZES = [16, 20, 24, 32, 48, 64];

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
try {
  const page = await browser.newPage();
  await drawApp(page);
  await drawTray(page);
} finally {
  await browser.close();
}

async function drawApp(page: Page): Promise<void> {
  const plain = await picturesOf(page, readFileSync(join(assets, 'app.svg'), 'utf8'), APP_SIZES);
  const small = await picturesOf(page, readFileSync(join(assets, 'app-small.svg'), 'utf8'), SMALL_SIZES);
  const pictures = [...small, ...plain.filter(({ size }) => !SMALL_SIZES.includes(size))];
  mkdirSync(join(assets, 'icons'), { recursive: true });
  for (const { size, png } of pictures) {
    if (!ICO_ONLY.has(size) && size <= LARGEST_OF_THEMES)
      writeFileSync(join(assets, 'icons', `${size}x${size}.png`), png);
  }
  writeFileSync(join(assets, 'icon.ico'), icoFile(pictures.filter(({ size }) => size <= LARGEST_IN_ICO)));
  // macOS icons have a margin at every size.
  writeFileSync(join(assets, 'icon.icns'), icnsFile(plain));
}

async function drawTray(page: Page): Promise<void> {
  const folder = join(assets, 'tray');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, drawing] of Object.entries(TRAY_DRAWINGS)) {
    for (const bar of ['light', 'dark'] as const) {
      const source = colouredIcon(drawing, bar);
      writeFileSync(join(folder, `${name}-${bar}.svg`), source);
      await drawSizes(page, source, (size) => join(folder, `${name}-${bar}-${size}`), TRAY_SIZES);
      writeFileSync(join(folder, `${name}-${bar}.ico`), icoFile(await picturesOf(page, source, TRAY_ICO_SIZES)));
    }
    await drawSizes(page, templateIcon(drawing), () => join(folder, `${name}-Template`), [16]);
  }
}

/** Each size at single and double density, with the names that Electron expects. */
async function drawSizes(
  page: Page,
  source: string,
  fileOf: (size: number) => string,
  sizes: readonly number[],
): Promise<void> {
  for (const size of sizes) {
    const [once, twice] = await picturesOf(page, source, [size, 2 * size]);
    writeFileSync(`${fileOf(size)}.png`, once!.png);
    writeFileSync(`${fileOf(size)}@2x.png`, twice!.png);
  }
}

async function picturesOf(page: Page, svg: string, sizes: readonly number[]): Promise<readonly SizedPicture[]> {
  const pictures: SizedPicture[] = [];
  for (const size of sizes) {
    await page.setViewportSize({ width: size, height: size });
    const style = `<style>html,body{margin:0;background:none}svg{display:block;width:${size}px;height:${size}px}</style>`;
    await page.setContent(`<!doctype html>${style}${svg}`);
    pictures.push({ size, png: await page.screenshot({ omitBackground: true }) });
  }
  return pictures;
}
