import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RestoreRequest } from '../../../src/model/restore-request.ts';
import type { AppState } from '../../../src/ipc/state.ts';
import type { Need } from '../../../src/model/need.ts';
import { activityAnswers, BACKUP_REPORT, pastRuns } from './activity-answers.ts';
import { HOME_STATES } from './home-states.ts';
import { POINTS, restoreAnswers } from './restore-answers.ts';
import { expectSound, expectSoundEverywhere, inLanguage, APPEARANCES } from './appearance.ts';
import { BACKUP_DISK, BUCKET, DOCUMENTS, NAS, NOW, PROTECTED, RUNNING, RUNNING_AT_SEVERAL, SEVERAL } from './states.ts';
import { CHROMIUM, WindowPages } from './window-page.ts';

/** One of each kind: axe is slow, and the others consist of the same parts. */
const EXAMINED: ReadonlySet<string> = new Set(['running', 'attention', 'at risk']);

const FORM_ANSWER = {
  form: {
    name: 'Documents',
    roots: ['/home/anna/Music', '/home/anna/Documents', '/media/anna/Camera'],
    excludes: [],
    presets: [],
    oneFileSystem: false,
    privateNames: false,
    schedule: 'hourly',
    conditions: {},
    limits: {},
  },
  command: 'holdfast set add Documents',
};

/** Data in the states. */
const VALUES = [
  'Documents',
  'Photos',
  'Anna’s laptop',
  'Backup disk',
  'photos-of-anna',
  'nas.local',
  /\/(media|home)\/\S+( disk\/holdfast)?/,
  /^Error: EACCES[^]*Node\.js v24\.11\.0$/,
];

describe.skipIf(CHROMIUM === undefined)('home view', () => {
  let pages: WindowPages;
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(() => pages?.close());

  test.each(APPEARANCES)('fits and is accessible at $width×$height, $colorScheme, in $language', async (look) => {
    const first = inLanguage(PROTECTED, look.language);
    const shown = await pages.show(first, {}, look);
    for (const [name, state] of Object.entries(HOME_STATES)) {
      await shown.setState(inLanguage(state, look.language));
      await shown.page.getByRole('heading', { level: 1 }).waitFor();
      await expectSound(shown, { ...look, isExamined: look.isExamined && EXAMINED.has(name) }, VALUES);
    }
    await shown.close();
  });

  test('starts a backup, and shows a refusal of the agent', async () => {
    const shown = await pages.show(PROTECTED, { 'runs.backup': () => ({ run: 13 }) });
    await shown.page.getByRole('button', { name: 'Back up now' }).click();
    await expect.poll(() => shown.calls).toContainEqual({ name: 'runs.backup', input: { set: 'Documents' } });
    await shown.close();

    const refusing = await pages.show(PROTECTED, {});
    await refusing.page.getByRole('button', { name: 'Back up now' }).click();
    await refusing.page.getByRole('alert').waitFor();
    await refusing.close();
  });

  test('pauses until tomorrow by keyboard, and resumes', async () => {
    const shown = await pages.show(PROTECTED, { 'runs.pause': () => ({}), 'runs.resume': () => ({}) });
    const { keyboard } = shown.page;
    await shown.page.getByRole('button', { name: 'Pause' }).focus();
    await keyboard.press('Enter');
    await expect.poll(() => shown.page.evaluate('document.activeElement.textContent')).toBe('For 1 hour');
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    await expect.poll(() => shown.calls.find(({ name }) => name === 'runs.pause')?.input).toBeDefined();
    const { until } = shown.calls.find(({ name }) => name === 'runs.pause')!.input as { until: number };
    // As the tray does it.
    expect(new Date(until).getHours()).toBe(6);
    expect(until).toBeGreaterThan(NOW);

    await shown.setState({ ...PROTECTED, health: 'paused', pause: { until } });
    await shown.page.getByRole('button', { name: 'Resume' }).click();
    await expect.poll(() => shown.calls.map(({ name }) => name)).toContain('runs.resume');
    await shown.close();
  });

  test('shows the figures of a run and stops it', async () => {
    const shown = await pages.show(HOME_STATES['running']!, { 'runs.stop': () => ({}) });
    const { page } = shown;
    for (const text of ['431 MB of 1.9 GB', '18,210 of 18,210', '11.8 MB/s', 'about 2 minutes']) {
      await page.getByText(text).waitFor();
    }
    expect(await page.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('22');
    // Once all bytes are done, there is no time left to calculate.
    const { etaSeconds: _etaSeconds, ...unknown } = RUNNING;
    await shown.setState({ ...HOME_STATES['running']!, runs: [unknown] });
    await page.getByText('Calculating…').waitFor();
    await shown.setState({ ...HOME_STATES['running']!, runs: [{ ...unknown, bytesDone: RUNNING.bytesTotal! }] });
    await page.getByText('Finishing…').waitFor();
    await shown.setState({
      ...HOME_STATES['running']!,
      runs: [{ ...RUNNING, currentPath: `/home/${'deep/'.repeat(40)}x.txt` }],
    });
    await expect.poll(() => page.locator('.home-current code').textContent()).toMatch(/^\/home\/.*….*x\.txt$/);
    await page.getByRole('button', { name: 'Stop: “Documents”' }).click();
    await expect.poll(() => shown.calls).toContainEqual({ name: 'runs.stop', input: { run: 13 } });
    await shown.close();
  });

  test('says calmly that a computer only restores what others back up', async () => {
    const shown = await pages.show(HOME_STATES['only adopted']!, restoreAnswers());
    const { page } = shown;
    await expect
      .poll(() => page.getByRole('heading', { level: 1 }).textContent())
      .toBe('Nothing on this computer is backed up. 2 backup sets can be restored here.');
    expect(await page.getByText(/At risk/).count()).toBe(0);
    await page.getByRole('button', { name: 'Choose folders' }).waitFor();
    await page.getByRole('button', { name: 'Restore files' }).click();
    await page.getByRole('grid', { name: 'Files in this restore point' }).waitFor();
    await shown.close();
  });

  test('offers a way out of each failure, with the last good backup', async () => {
    const disk = { directory: '/media/anna/Backup disk' };
    const needs: readonly (readonly [Need, readonly string[]])[] = [
      [
        { kind: 'destination-missing', location: disk.directory },
        ['Try again', 'Locate backups…', 'Use another disk…'],
      ],
      [
        { kind: 'failed', set: 'Documents', failure: { code: 'destination_missing', details: disk }, at: NOW },
        ['Try again', 'Locate backups…', 'Use another disk…'],
      ],
      [
        { kind: 'failed', set: 'Documents', failure: { code: 'destination_full', details: {} }, at: NOW },
        ['Try again', 'Free up space…', 'Use another disk…'],
      ],
      [
        {
          kind: 'failed',
          set: 'Documents',
          failure: { code: 'source_missing', details: { path: DOCUMENTS.roots[0]! } },
          at: NOW,
        },
        ['Try again', 'Change folders…'],
      ],
      [
        {
          kind: 'failed',
          set: 'Documents',
          failure: { code: 'source_empty', details: { path: DOCUMENTS.roots[0]!, before: 12, directory: true } },
          at: NOW,
        },
        ['Try again', 'Gone for good…', 'Change folders…'],
      ],
      [
        {
          kind: 'failed',
          set: 'Documents',
          failure: { code: 'source_not_mounted', details: { path: `${DOCUMENTS.roots[0]!}/nas` } },
          at: NOW,
        },
        ['Try again', 'Gone for good…', 'Change folders…'],
      ],
    ];
    const shown = await pages.show(PROTECTED, { 'sets.get': () => FORM_ANSWER });
    const card = shown.page.locator('.home-need').first();
    for (const [need, buttons] of needs) {
      await shown.setState({ ...PROTECTED, health: 'attention', needs: [need] });
      await expect.poll(() => card.getByRole('button').allInnerTexts()).toEqual(buttons);
      await card.getByText(/^Last good backup: /).waitFor();
    }
    await shown.close();
  });

  test('opens a set from its row', async () => {
    const shown = await pages.show(PROTECTED, { 'sets.get': () => FORM_ANSWER });
    await shown.page.getByRole('button', { name: 'Documents' }).click();
    await shown.page.getByRole('heading', { level: 1, name: 'Edit “Documents”' }).waitFor();
    await shown.close();
  });

  test('backs up all sets by one press', async () => {
    const sets = [DOCUMENTS, { ...DOCUMENTS, name: 'Photos' }];
    const shown = await pages.show({ ...PROTECTED, sets }, { 'runs.backup-all': () => ({ run: 1 }) });
    await shown.page.getByRole('button', { name: 'Back up all' }).click();
    await expect.poll(() => shown.calls).toContainEqual({ name: 'runs.backup-all', input: {} });
    await shown.setState({ ...PROTECTED, sets, runs: [RUNNING] });
    await shown.page.getByRole('button', { name: 'Back up all' }).waitFor({ state: 'detached' });
    await shown.close();
  });

  test('shows the share of a scan and the time left', async () => {
    const scan = { bytes: 3_100_000_000, bytesExpected: 12_400_000_000, filesExpected: 18_204 };
    const run = { ...HOME_STATES['scanning']!.runs[0]!, filesDone: 4551, etaSeconds: 40, scan };
    const shown = await pages.show({ ...HOME_STATES['scanning']!, runs: [run] });
    for (const text of ['3.1 GB of about 12.4 GB', '4,551 of about 18,204']) {
      await shown.page.getByText(text).waitFor();
    }
    expect(await shown.page.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('25');
    await shown.page.getByRole('heading', { level: 1, name: /25\s?% scanned/ }).waitFor();
    await shown.close();
  });

  test('shows how far a run is at each of several destinations', async () => {
    const shown = await pages.show({ ...SEVERAL, health: 'running', runs: [RUNNING_AT_SEVERAL] });
    const rows = shown.page.getByRole('list', { name: 'Destinations' }).first().getByRole('listitem');
    await expect.poll(() => rows.allInnerTexts()).toHaveLength(3);
    const texts = (await rows.allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
    expect(texts[0]).toBe('Backup disk Done');
    expect(texts[1]).toBe('photos-of-anna 231 MB of 1.7 GB');
    expect(texts[2]).toMatch(/^nas\.local Failed .*nas\.local/);
    await shown.close();
  });

  test('backs up to the destination of a need, which it names', async () => {
    const failure = { code: 'service_unreachable', details: { address: 'https://s3.example.org' } } as const;
    const destination = { id: BUCKET.id, name: BUCKET.name };
    const failed = { kind: 'failed', set: 'Documents', failure, at: NOW, destination } as const;
    const shown = await pages.show(
      { ...SEVERAL, health: 'attention', needs: [failed, { ...failed, destination: { id: NAS.id, name: NAS.name } }] },
      { 'runs.backup': () => ({ run: 15 }) },
    );
    const needs = shown.page.getByRole('region', { name: 'To do' });
    await needs.getByText('The last backup of “Documents” to “nas.local” failed.').waitFor();
    await needs.getByRole('button', { name: 'Try again' }).first().click();
    await expect
      .poll(() => shown.calls)
      .toContainEqual({ name: 'runs.backup', input: { set: 'Documents', destination: BUCKET.id } });
    await shown.setState({
      ...SEVERAL,
      health: 'at-risk',
      needs: [{ kind: 'verification-failed', set: 'Documents', run: 7, destination: { id: NAS.id, name: NAS.name } }],
    });
    await needs.getByRole('button', { name: 'Check the destination…' }).click();
    await shown.page.getByRole('dialog', { name: 'Check “nas.local”' }).getByRole('button', { name: 'Check' }).click();
    await expect.poll(() => shown.calls).toContainEqual({ name: 'runs.check', input: { destination: NAS.id } });
    await shown.close();
  });

  test('describes each day by arrow keys', async () => {
    const shown = await pages.show(PROTECTED);
    const words = shown.page.locator('.home-day-words');
    expect(await words.textContent()).toBe('Backed up on 25 of 30 days');
    const days = shown.page.getByRole('option');
    expect(await days.count()).toBe(30);
    await days.first().focus();
    await shown.page.keyboard.press('End');
    await expect.poll(() => words.textContent()).toMatch(/9 backups$/);
    await shown.page.keyboard.press('Home');
    await expect.poll(() => words.textContent()).toMatch(/no backup$/);
    await shown.close();
  });

  test('shows a button for each need', async () => {
    const shown = await pages.show(HOME_STATES['attention']!, { 'runs.backup': () => ({ run: 15 }) });
    const needs = shown.page.getByRole('region', { name: 'To do' });
    await needs.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => shown.calls).toContainEqual({ name: 'runs.backup', input: { set: 'Photos' } });
    await shown.setState({ ...PROTECTED, needs: [{ kind: 'phrase-unconfirmed' }] });
    await needs.getByRole('button', { name: 'Confirm now' }).click();
    await shown.page.getByRole('list', { name: 'Steps' }).waitFor();
    await shown.close();
  });

  test('prepares a failed restore again with its request', async () => {
    const to = '/home/anna/Restored';
    const failure = { code: 'target_unwritable', details: { target: to, problem: 'gone' } } as const;
    const at = Date.parse(POINTS[2]!.restorePoint);
    const stopped: RestoreRequest = { set: 'Documents', at, paths: [], to, conflict: 'overwrite' };
    const need: Need = { kind: 'restore-unfinished', set: 'Documents', to, failure };
    const shown = await pages.show(
      { ...PROTECTED, health: 'attention', needs: [need] },
      restoreAnswers({ 'restore.waiting': () => ({ stopped, failure }) }),
    );
    const { page } = shown;
    await page.getByText(`${to} no longer exists. Restore again, to this folder or another one.`).waitFor();
    await page.getByRole('button', { name: 'Restore again…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(to).waitFor();
    await dialog.getByRole('button', { name: 'Start restoring' }).click();
    await expect
      .poll(() => shown.calls)
      .toContainEqual({ name: 'restore.start', input: { ...stopped, device: 'dev_1' } });
    await shown.close();
  });

  test('asks for a sign-in at each service that holds an alarm', async () => {
    const services = [
      { ...BUCKET, kind: 'service' },
      { ...NAS, kind: 'service' },
    ] as const;
    const signedIn: (string | undefined)[] = [];
    const shown = await pages.show(
      { ...HOME_STATES['suspicious']!, destinations: [...services] },
      {
        'alarm.release': () => {
          const next = services[signedIn.length];
          return next ? { signInAt: next.id } : {};
        },
        'account.ways': () => ({ password: true, provider: false, hasSessions: true }),
        'account.sign-in': ({ destination }) => {
          signedIn.push(destination);
          return { kind: 'signed-in', email: 'anna@example.org' };
        },
        'account.leave': () => ({}),
      },
    );
    const { page } = shown;
    await page.getByRole('button', { name: 'I made these changes…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'I made these changes' }).click();
    for (const { name } of services) {
      await dialog.getByText(`Sign in at “${name}” for this.`).waitFor();
      await dialog.getByLabel('E-mail address').fill('anna@example.org');
      await dialog.getByLabel('Password').fill('a good one');
      await dialog.getByRole('button', { name: 'Sign in' }).click();
    }
    await dialog.waitFor({ state: 'detached' });
    expect(signedIn).toEqual(services.map(({ id }) => id));
    await shown.close();
  });

  test('leads from a suspicious run to its details, to the safe restore point and to its release', async () => {
    let isSignedIn = false;
    const shown = await pages.show(HOME_STATES['suspicious']!, {
      'alarm.release': () => {
        return isSignedIn ? {} : { signInAt: BACKUP_DISK.id };
      },
      'account.ways': () => ({ password: true, provider: false, hasSessions: true }),
      'account.sign-in': () => {
        isSignedIn = true;
        return { kind: 'signed-in', email: 'anna@example.org' };
      },
      'account.leave': () => ({}),
    });
    const { page } = shown;
    const need = page.getByRole('region', { name: 'To do' });
    await need.getByText(/looks encrypted\. .*no restore points have been deleted/).waitFor();
    await need.getByRole('button', { name: 'I made these changes…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'I made these changes' }).click();
    await dialog.getByLabel('E-mail address').fill('anna@example.org');
    await dialog.getByLabel('Password').fill('a good one');
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(shown.calls.filter(({ name }) => name === 'alarm.release')).toHaveLength(2);
    expect(shown.calls.at(-1)?.name).toBe('account.leave');
    await need.getByRole('button', { name: 'View the run' }).click();
    await expect.poll(() => shown.calls).toContainEqual({ name: 'activity.run', input: { run: 12 } });
    await shown.close();
  });

  test('shows what a restart of the agent has interrupted, and dismisses it', async () => {
    const state: AppState = { ...PROTECTED, health: 'attention', needs: [{ kind: 'agent-restarted', at: NOW }] };
    const [run] = pastRuns(1);
    const interrupted = { ...run!, outcome: 'interrupted' as const, endedAt: NOW + 800 };
    const shown = await pages.show(state, {
      ...activityAnswers([interrupted], () => BACKUP_REPORT),
      'shell.dismiss-restart': () => ({}),
    });
    const { page } = shown;
    const need = page.getByRole('region', { name: 'To do' });
    await need.getByText('Backup of “Documents” was interrupted. It resumes where it left off.').waitFor();
    await need.getByRole('button', { name: 'Dismiss' }).click();
    await expect.poll(() => shown.calls.at(-1)?.name).toBe('shell.dismiss-restart');
    await need.getByRole('button', { name: 'View the run' }).click();
    await expect.poll(() => shown.calls).toContainEqual({ name: 'activity.run', input: { run: interrupted.id } });
    await shown.close();

    const calm = await pages.show(
      state,
      activityAnswers(pastRuns(1), () => BACKUP_REPORT),
    );
    await calm.page.getByText('Nothing was running at that time.').waitFor();
    expect(await calm.page.getByRole('button', { name: 'View the run' }).count()).toBe(0);
    await calm.close();
  });

  test('explains that the agent does not run, with its last output and ways out', async () => {
    const shown = await pages.show(HOME_STATES['no agent']!, {
      'shell.restart-agent': () => ({}),
      'shell.save-diagnostics': () => ({ path: '/home/anna/diagnostics.txt' }),
      'shell.show-path': () => ({}),
    });
    const { page } = shown;
    await page.getByRole('heading', { name: /does not start/ }).waitFor();
    await page.getByText(/EACCES: permission denied/).waitFor();
    await page.getByRole('button', { name: 'Save diagnostics…' }).click();
    await page.getByText('Saved: /home/anna/diagnostics.txt').waitFor();
    await page.getByRole('button', { name: 'Show data folder' }).click();
    await expect.poll(() => shown.calls.at(-1)).toEqual({ name: 'shell.show-path', input: { path: PROTECTED.home } });
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => shown.calls.at(-1)?.name).toBe('shell.restart-agent');
    await shown.setState(PROTECTED);
    await page.getByRole('button', { name: 'Back up now' }).waitFor();
    await shown.close();
  });

  test('shows one line per set', async () => {
    const sets = [DOCUMENTS, { ...DOCUMENTS, name: 'Photos', decision: { kind: 'manual' } as const }];
    const shown = await pages.show({ ...PROTECTED, sets }, { 'runs.backup': () => ({ run: 16 }) });
    await shown.page.getByText('Manually').waitFor();
    await shown.page.getByRole('button', { name: 'Back up now: “Photos”' }).click();
    await expect.poll(() => shown.calls).toContainEqual({ name: 'runs.backup', input: { set: 'Photos' } });
    await shown.close();
  });

  test('counts the copies and lists the destinations when there are several', async () => {
    const shown = await pages.show(PROTECTED);
    const { page } = shown;
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.getByRole('heading', { name: /Destinations/ }).count()).toBe(0);
    await page.getByText('Backups go to /media/anna/Backup disk/holdfast').waitFor();
    await shown.setState(SEVERAL);
    await page
      .getByText(
        /^Two copies: on “Backup disk” \(\d\d minutes ago\) and in the bucket “photos-of-anna” \(yesterday\)\. None yet: on the server “nas\.local”\.$/,
      )
      .waitFor();
    const rows = page.getByRole('region', { name: 'Destinations' }).getByRole('listitem');
    const texts = (await rows.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
    expect(texts[0]).toMatch(
      /^Backup disk Up to date Last backup \d\d minutes ago · Next backup: .* 15\.1 GB stored 812 GB free$/,
    );
    expect(texts[1]).toMatch(/^photos-of-anna Up to date Last backup yesterday · Next backup: .* 14\.9 GB stored$/);
    expect(texts[2]).toMatch(/^nas\.local No backup yet Next backup: .* 2\.1 TB free$/);
    // The free space is that of a row.
    expect(await page.getByText(/Free space/).count()).toBe(0);
    expect(await page.getByText(/Backups go to/).count()).toBe(0);
    await shown.setState(HOME_STATES['several, one failing and one absent']!);
    await rows.nth(1).getByText('https://s3.example.org cannot be reached.').waitFor();
    await rows.nth(0).getByText('Not connected').waitFor();
    // Another destination has the backup.
    await page.locator('.home-need[data-tone=warning]').waitFor();
    await shown.close();
  });

  test('adds up what several destinations store once all of it is known', async () => {
    const known = SEVERAL.destinations.map((destination) => ({
      ...destination,
      storage: { storedBytes: 1e9, savedBytes: 2e9 },
    }));
    const shown = await pages.show({ ...SEVERAL, destinations: known });
    const storage = shown.page.getByRole('region', { name: 'Storage' });
    await storage.getByText('3 GB').waitFor();
    await storage.getByText('6 GB').waitFor();
    const together = storage.getByText('The stored and saved amounts include all destinations.');
    await together.waitFor();
    // The last one has no backup yet.
    await shown.setState(SEVERAL);
    await storage.getByText('96 GB').waitFor();
    await storage.getByText('30 GB').waitFor();
    const [disk, bucket, nas] = SEVERAL.destinations;
    await shown.setState({ ...SEVERAL, destinations: [disk!, { ...bucket!, storage: {} }, nas!] });
    await storage.getByText('30 GB').waitFor({ state: 'detached' });
    expect(await storage.getByText('Stored').count()).toBe(0);
    await together.waitFor();
    await shown.setState({ ...SEVERAL, destinations: [{ ...disk!, storage: {} }, { ...bucket!, storage: {} }, nas!] });
    await together.waitFor({ state: 'detached' });
    await shown.setState(PROTECTED);
    await storage.getByText('96 GB').waitFor();
    expect(await together.count()).toBe(0);
    await shown.close();
  });

  test('states no total of a scan that has found more than the last backup had', async () => {
    const [run] = HOME_STATES['scanning']!.runs;
    const scanning = (bytes: number): AppState => ({
      ...HOME_STATES['scanning']!,
      runs: [{ ...run!, scan: { bytes, bytesExpected: 40_000_000, filesExpected: 900 } }],
    });
    const shown = await pages.show(scanning(30_000_000));
    const facts = shown.page.locator('.home-facts');
    await facts.getByText('30 MB of about 40 MB').waitFor();
    await shown.setState(scanning(85_000_000));
    await facts.getByText('85 MB').waitFor();
    await facts.getByText('912').waitFor();
    await shown.page.getByRole('navigation').getByRole('button', { name: 'Activity' }).click();
    await shown.page.locator('.act-facts').getByText('85 MB · 912 files').waitFor();
    await shown.close();
  });

  test('names each figure of the storage once', async () => {
    const storage = { ...PROTECTED.storage, compressedBytes: 3_000_000 };
    const shown = await pages.show({ ...PROTECTED, storage });
    const region = shown.page.getByRole('region', { name: 'Storage' });
    await region.getByText('3 MB').waitFor();
    const names = await region.locator('dt').allInnerTexts();
    expect(new Set(names).size).toBe(names.length);
    await shown.close();
  });

  test('says how fast the backups grow, and when the space runs out', async () => {
    const [only] = PROTECTED.destinations;
    const showing = (storage: object): AppState => ({
      ...PROTECTED,
      destinations: [{ ...only!, storage: { storedBytes: 15_100_000_000, ...storage } }],
    });
    const shown = await pages.show(showing({ growth: { days: 30, bytes: 2_100_000_000 } }));
    const lines = shown.page.getByRole('region', { name: 'Storage' }).getByRole('listitem');
    await shown.page.getByText('Grew by 2.1 GB in 30 days.').waitFor();
    await shown.setState(showing({ growth: { days: 8, bytes: -5_000_000 } }));
    await shown.page.getByText('Shrank by 5 MB in 8 days.').waitFor();
    const later = new Date(NOW + 200 * 86_400_000);
    await shown.setState(showing({ growth: { days: 30, bytes: 2_100_000_000 }, fullAt: later.getTime() }));
    const month = later.toLocaleDateString('en-GB', { month: 'long', year: 'numeric' });
    await shown.page.getByText(new RegExp(`At this rate, the space lasts until about ${month}\\.$`)).waitFor();
    expect(await lines.getAttribute('data-tone')).toBe('plain');
    const soon = new Date(NOW + 12 * 86_400_000);
    await shown.setState(showing({ growth: { days: 30, bytes: 2_100_000_000 }, fullAt: soon.getTime() }));
    const day = soon.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
    await shown.page.getByText(new RegExp(`At this rate, the space runs out on ${day}\\.$`)).waitFor();
    expect(await lines.getAttribute('data-tone')).toBe('warning');
    // Of several, those that fill up are named.
    const several = SEVERAL.destinations.map((one, index) =>
      index === 1 ? one : { ...one, storage: { growth: { days: 30, bytes: 9 }, fullAt: later.getTime() } },
    );
    await shown.setState({ ...SEVERAL, destinations: several });
    await shown.page.getByText(`nas.local: At this rate, the space lasts until about ${month}.`).waitFor();
    expect(await lines.count()).toBe(2);
    await shown.close();
  });

  test('says of one of several destinations what it lacks, and of the only one that nothing is backed up', async () => {
    const destination = { id: SEVERAL.destinations[2]!.id, name: 'nas.local' };
    const needs = (place: object): AppState['needs'] => [
      { kind: 'first-backup', set: 'Documents', ...place },
      { kind: 'signed-out', ...place },
    ];
    const shown = await pages.show({ ...SEVERAL, health: 'attention', needs: needs({ destination }) });
    const { page } = shown;
    await page.getByText('You cannot restore from there until the first backup has finished.').waitFor();
    await page.getByText(/Backups there resume when you sign in again\./).waitFor();
    await shown.setState({ ...PROTECTED, health: 'at-risk', needs: needs({}) });
    await page.getByText('You cannot restore anything until the first backup has finished.').waitFor();
    await page.getByText('Backups resume when you sign in again.').waitFor();
    await shown.close();
  });

  test('advises a second place while the only copy is beside the computer', async () => {
    const shown = await pages.show(PROTECTED);
    const { page } = shown;
    await page.getByText(/One copy, on a disk at this computer\. Add a destination somewhere else/).waitFor();
    await page.getByRole('button', { name: 'Add another destination…' }).click();
    await page.getByRole('dialog', { name: 'Add another destination…' }).waitFor();
    await shown.close();
    const away = { ...PROTECTED.destinations[0]!, kind: 'bucket', location: 's3://photos' } as const;
    const bucket = await pages.show({ ...PROTECTED, destinations: [away] });
    await bucket.page.getByText('Backups go to /media/anna/Backup disk/holdfast').waitFor();
    expect(await bucket.page.getByText(/One copy|second place/).count()).toBe(0);
    await bucket.close();
  });

  test('shows the last test restore of each set, starts another, and saves the certificate', async () => {
    const at = NOW - 2 * 24 * 3_600_000;
    const drill = { kind: 'next', at: NOW + 5 * 24 * 3_600_000 } as const;
    const passed = { ...DOCUMENTS, drill, lastDrill: { run: 7, at, files: 250, bytes: 240_000_000, failures: 0 } };
    const failed = {
      ...DOCUMENTS,
      name: 'Photos',
      drill,
      lastDrill: { run: 8, at, files: 249, bytes: 9_000_000, failures: 2 },
    };
    const never = { ...DOCUMENTS, name: 'Music', drill };
    const state = { ...PROTECTED, sets: [passed, failed, never] };
    const shown = await pages.show(state, {
      'runs.drill': () => ({ run: 30 }),
      'shell.save-certificate': () => ({ path: '/home/anna/certificate.pdf' }),
    });
    const { page } = shown;
    await page.getByText(/^“Documents” passed its test restore: /).waitFor();
    await page.getByText('250 files (240 MB) restored and compared, identical byte for byte.').waitFor();
    await page.getByText(/^“Photos” failed its test restore: /).waitFor();
    await page.getByText('2 files could not be restored as they were.').waitFor();
    await page.getByText('Music: No test restore yet.').waitFor();
    await expectSoundEverywhere(shown, state, [...VALUES, 'Music']);
    await shown.setState(state);
    await page.getByRole('button', { name: 'Test now: “Music”' }).click();
    await page.getByRole('button', { name: 'Save certificate…' }).click();
    await expect.poll(() => shown.calls).toContainEqual({ name: 'runs.drill', input: { set: 'Music' } });
    await expect.poll(() => shown.calls).toContainEqual({ name: 'shell.save-certificate', input: {} });
    await shown.close();
  });
});
