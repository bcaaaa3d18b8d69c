import type { Page } from 'playwright';
import { accountAnswers } from '../account-answers.ts';
import { activityAnswers, BACKUP_REPORT, pastRuns } from '../activity-answers.ts';
import { POINTS, restoreAnswers, ROOT, spanOf } from '../restore-answers.ts';
import { setsAnswers, THREE } from '../sets-answers.ts';
import { AT_SERVICE, BACKUP_DISK } from '../states.ts';
import type { Answers } from '../window-page.ts';

const VERSION = {
  kind: 'file' as const,
  size: 48_112,
  modified: '2026-11-01T08:00:00.000Z',
  content: 'a1',
  ...spanOf(POINTS.at(-1)!.restorePoint, POINTS[1]!.restorePoint),
  destinations: [BACKUP_DISK.id],
};
const NEWER = {
  ...VERSION,
  modified: '2026-11-20T09:30:00.000Z',
  content: 'b2',
  ...spanOf(POINTS[0]!.restorePoint, POINTS[0]!.restorePoint),
};
const COMPLETE = { known: 240, total: 240, isListed: true, damaged: [] };

/** The state that `everyView` expects: several sets, and other computers at a service. */
export const WHOLE = { ...AT_SERVICE, sets: THREE.sets };

/** Answers of an agent for every view. */
export const WHOLE_ANSWERS: Answers = {
  ...setsAnswers(),
  ...restoreAnswers({
    'history.find': () => ({
      matches: [
        {
          path: `${ROOT}/budget 2026.ods`,
          set: 'Documents',
          spans: [spanOf(VERSION.from, NEWER.to)],
          versions: [VERSION, NEWER],
          isDeleted: false,
        },
      ],
      completeness: COMPLETE,
    }),
    'history.versions': () => ({
      versions: [
        { ...VERSION, points: 200 },
        { ...NEWER, points: 1 },
      ],
      completeness: COMPLETE,
    }),
    'preview.open': () => ({ kind: 'text', preview: 'a'.repeat(32), size: 9, text: 'one\ntwo\n', isWhole: true }),
    'preview.close': () => ({}),
  }),
  ...activityAnswers(pastRuns(8), () => BACKUP_REPORT),
  ...accountAnswers(),
  'devices.list': () => ({
    devices: [
      { id: 'dev_1', name: 'Anna’s laptop', platform: 'Debian 13', isThisOne: true, status: 'healthy' },
      { id: 'dev_2', name: 'Studio', platform: 'macOS 26', isThisOne: false, status: 'offline' },
    ],
    canRevoke: true,
  }),
  'report.get': () => ({ hasPassword: false }),
  'shell.abilities': () => ({
    startAtLogin: true,
    fileManagers: true,
    tray: true,
    notifications: true,
    platform: 'linux',
    locale: 'en-GB',
  }),
  'security.state': () => ({
    protection: 'file',
    location: '/home/anna/.local/share/holdfast/secrets.json',
    isKeychainAvailable: true,
    phrase: 'confirmed',
  }),
  'preferences.save': () => ({}),
};

/** Opens each view, its tabs and its larger dialogs by their keys, in English. Yields a name for each. */
export async function* everyView(page: Page): AsyncGenerator<string> {
  const view = async (key: number): Promise<void> => {
    await page.keyboard.press(`Control+${key}`);
    await page.locator(`nav li:nth-child(${key}) [aria-current=page]`).waitFor();
    await page.locator('main h1').waitFor();
    await page.locator('.ui-wait').first().waitFor({ state: 'detached' });
  };
  await view(1);
  yield 'home';
  await view(2);
  yield 'sets';
  await page.getByRole('button', { name: 'Edit Documents' }).press('Enter');
  for (const tab of ['What', 'Leave out', 'When', 'Conditions', 'Limits', 'Keep', 'Check', 'Command']) {
    await page.getByRole('tab', { name: new RegExp(`^${tab}`) }).press('Enter');
    await page.getByRole('tabpanel').waitFor();
    yield `set editor: ${tab}`;
  }
  await page.keyboard.press('Escape');
  await view(3);
  await page.getByRole('row', { name: /Documents/ }).waitFor();
  yield 'restore';
  await page.getByRole('searchbox').fill('budget');
  await page.getByText('1 result').waitFor();
  yield 'restore: found';
  await page.getByRole('button', { name: /look at 2 versions/ }).press('Enter');
  await page.getByRole('dialog', { name: 'budget 2026.ods' }).waitFor();
  await page.getByRole('option').first().waitFor();
  yield 'restore: quick look';
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('searchbox').fill('');
  await page.getByRole('button', { name: 'Restore everything…' }).press('Enter');
  await page.getByRole('dialog', { name: 'Restore' }).waitFor();
  await page.getByText(/will be written/).waitFor();
  yield 'restore: dialog';
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await view(4);
  yield 'activity';
  await page
    .getByRole('row', { name: /Backup of/ })
    .first()
    .click();
  await page.getByRole('heading', { name: 'Log' }).waitFor();
  yield 'activity: run';
  await view(5);
  await page.getByText('Studio').first().waitFor();
  yield 'devices';
  await page.getByRole('button', { name: 'Revoke Studio' }).press('Enter');
  await page.getByRole('dialog').waitFor();
  yield 'devices: revoke';
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await view(6);
  for (const tab of ['General', 'Destination', 'Security', 'Network', 'About']) {
    await page.getByRole('tab', { name: new RegExp(`^${tab}`) }).press('Enter');
    await page.getByRole('tabpanel').waitFor();
    yield `settings: ${tab}`;
  }
}
