import { randomBytes } from 'node:crypto';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Page } from 'playwright';
import { expect } from 'vitest';
import { ANNA } from '../system/agent/host/http-service.ts';
import type { HttpService } from '../system/agent/host/http-service.ts';
import { ElectronFixture, testEnvironment } from './electron-fixture.ts';

const PROGRAM = join(dirname(dirname(import.meta.dirname)), 'bin/holdfast');

/** Makes a home folder with files to back up. Returns the folder. */
export function makePersonalFolder(files = 40): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-app-'));
  mkdirSync(join(folder, 'Documents/Thesis'), { recursive: true });
  for (let number = 1; number <= files; number++) {
    writeFileSync(join(folder, `Documents/Thesis/chapter ${number}.txt`), `chapter ${number}\n`.repeat(500 * number));
  }
  mkdirSync(join(folder, 'Pictures'));
  // Incompressible, as pictures are: it is uploaded by itself.
  writeFileSync(join(folder, 'Pictures/süß.jpg'), randomBytes(300_000));
  return folder;
}

/** Opens the window of a fresh app, with a timeout for busy machines. */
export async function freshWindow(folder: string): Promise<{ fixture: ElectronFixture; page: Page }> {
  const fixture = await ElectronFixture.open({ folder });
  const page = await fixture.window();
  page.setDefaultTimeout(90_000);
  return { fixture, page };
}

/** Completes the steps up to the phrase, with a folder of the found disk as the destination. */
export async function choosePlace(page: Page): Promise<void> {
  await page
    .getByText(/System disk/)
    .first()
    .click();
  await page.getByRole('button', { name: 'Test this destination' }).click();
  await page.getByRole('button', { name: 'Use this destination' }).click();
}

/** Returns the shown words in their order. */
export async function shownPhrase(page: Page): Promise<readonly string[]> {
  await page.getByRole('heading', { name: 'Write down your recovery phrase' }).waitFor();
  const items = await page.getByRole('list', { name: 'Recovery phrase' }).getByRole('listitem').allInnerTexts();
  return items.map((item) => item.replace(/^\d+\s*/, '').trim());
}

/** Enters the two words to repeat, the first one wrongly if the test wants that. */
export async function answerWords(page: Page, words: readonly string[], wrong = false): Promise<void> {
  const boxes = page.getByRole('textbox');
  await boxes.first().waitFor();
  for (let index = 0; index < 2; index++) {
    const label = await page
      .getByLabel(/^Word \d+/)
      .nth(index)
      .evaluate((box) => (box as { labels?: ArrayLike<{ textContent: string }> }).labels?.[0]?.textContent ?? '');
    const number = Number(/\d+/.exec(label)?.[0]);
    await boxes.nth(index).fill(wrong && index === 0 ? 'zebra' : words[number - 1]!);
  }
  await page.getByRole('button', { name: 'Confirm' }).click();
}

/** Completes all steps and the first backup. */
export async function firstBackup(page: Page): Promise<void> {
  await choosePlace(page);
  const words = await shownPhrase(page);
  await page.getByRole('button', { name: 'I have written it down' }).click();
  await answerWords(page, words);
  await page.getByRole('button', { name: 'Start the first backup' }).click();
  await page.getByRole('heading', { name: /^Protected/ }).waitFor();
}

/** Runs the command line on the home of the app. The service may be in the process of the test. */
export async function holdfast(folder: string, ...words: readonly string[]): Promise<string> {
  const program = spawn(PROGRAM, words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...testEnvironment(folder, '', 'en-GB') },
  });
  const [output, errors, [status]] = await Promise.all([
    text(program.stdout),
    text(program.stderr),
    once(program, 'exit'),
  ]);
  if (status !== 0) throw new Error(`holdfast ${words.join(' ')} ended with ${status}: ${errors}`);
  return output;
}

/** Restores the first set by the command line and compares it. */
export async function expectRestored(folder: string): Promise<void> {
  const target = join(folder, 'restored');
  await holdfast(folder, 'restore', 'My files', '--to', target);
  for (const name of ['Documents', 'Pictures']) {
    const { status, stdout } = spawnSync('diff', ['-r', join(folder, name), join(target, name)], { encoding: 'utf8' });
    expect([status, stdout]).toEqual([0, '']);
  }
}

/** Signs in at a service with a password and a code, up to the step of the folders. */
export async function joinService(page: Page, service: HttpService): Promise<void> {
  await page.getByText('A Holdfast service').click();
  await page.getByLabel('Address of the service').fill(service.url);
  await page.getByRole('button', { name: 'Test this destination' }).click();
  await page.getByLabel('E-mail address').fill(ANNA.email);
  await page.getByLabel('Password').fill(ANNA.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('6-digit code').fill(service.code());
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('button', { name: 'Use this destination' }).click();
  const words = await shownPhrase(page);
  await page.getByRole('button', { name: 'I have written it down' }).click();
  await answerWords(page, words);
  await page.getByRole('heading', { name: 'What should be backed up?' }).waitFor();
}
