import type { Page } from 'playwright';
import { answerWords, choosePlace, shownPhrase } from '../../../app/first-steps.ts';
import type { Computer } from './computer.ts';

export interface FirstBackup {
  /** From the window to the first restore point. */
  readonly seconds: number;
  readonly presses: number;
  /** What the kernel says of the process that shows the page. */
  readonly sandbox: string;
}

/**
 * Has the person set up the app and make the first backup through its window.
 *
 * @param program what the person starts @throws Error if the page has no sandbox
 */
export async function firstBackup(computer: Computer, log: string, program = 'holdfast-app'): Promise<FirstBackup> {
  const page = await computer.openApp(log, program);
  const presses = await countPresses(page);
  const begun = Date.now();
  await choosePlace(page);
  const words = await shownPhrase(page);
  await page.getByRole('button', { name: 'I have written it down' }).click();
  await answerWords(page, words);
  await page.getByRole('heading', { name: 'What should be backed up?' }).waitFor();
  await page.getByRole('button', { name: 'Start the first backup' }).click();
  await page.getByRole('heading', { name: /^Protected/ }).waitFor();
  const seconds = (Date.now() - begun) / 1000;
  const renderer = await computer.one(
    `grep -l -- --type=renderer /proc/[0-9]*/cmdline 2>/dev/null | head -1 | cut -d/ -f3`,
  );
  const sandbox = await computer.one(
    `grep -E '^(Seccomp|NoNewPrivs):' /proc/${renderer}/status | tr '\\n\\t' '  '; echo`,
  );
  if (!sandbox.includes('Seccomp: 2')) throw new Error(`the page has no sandbox: ${sandbox}`);
  return { seconds, presses: await presses(), sandbox };
}

/** Counts a person's presses of buttons and entries of words in a page. */
async function countPresses(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const counted = globalThis as unknown as {
      presses: number;
      addEventListener: (name: string, listener: () => void, capture: boolean) => void;
    };
    counted.presses = 0;
    counted.addEventListener('click', () => (counted.presses += 1), true);
  });
  return () => page.evaluate(() => (globalThis as unknown as { presses: number }).presses);
}
