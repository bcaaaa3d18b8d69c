import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HoldfastError, wrongUsage } from '../../../src/base/errors/errors.ts';
import type { DestinationChoice } from '../../../src/ipc/contract/setup.ts';
import {
  choiceOf,
  EMPTY_DESTINATION,
  isComplete,
  SERVER_KINDS,
} from '../../../src/renderer/features/destination-choice/destination-draft.ts';
import { APPEARANCES, expectSound, inLanguage } from './appearance.ts';
import { onboardingAnswers } from './onboarding-answers.ts';
import { NOT_SET_UP } from './states.ts';
import { CHROMIUM, WindowPages } from './window-page.ts';
import type { Answers, PageOptions, ShownWindow } from './window-page.ts';

/** Folder for screenshots, for people to look at. */
const LOOKS = process.env['HOLDFAST_LOOKS'];
const FINGERPRINT = `SHA256:${'Ab1/'.repeat(10)}xyz`;
const VALUES = [
  'System disk',
  'Backup disk',
  'Archive',
  'annas-laptop',
  'drive',
  FINGERPRINT,
  /ssh-keyscan .*/,
  /\/(media|home|mnt)(\/[\w ./]+)?/,
];

const next = ({ page }: ShownWindow): Promise<void> => page.locator('.first-foot button[type=submit]').click();
const tried = ({ calls }: ShownWindow): readonly unknown[] =>
  calls.filter(({ name }) => name === 'setup.try').map(({ input }) => (input as { choice: unknown }).choice);

describe.skipIf(!CHROMIUM)('the choice of a server', () => {
  let pages: WindowPages;
  let shown: ShownWindow;
  beforeAll(async () => {
    pages = await WindowPages.open();
  }, 120_000);
  afterAll(() => pages?.close());

  async function choose(kind: string | RegExp, answers: Answers = {}, options: PageOptions = {}): Promise<ShownWindow> {
    shown = await pages.show(NOT_SET_UP, onboardingAnswers(answers), options);
    await shown.page.getByRole('radio', { name: /A server or cloud storage/ }).check({ force: true });
    await shown.page.getByRole('radio', { name: kind }).check({ force: true });
    return shown;
  }
  const fill = (name: string, text: string): Promise<void> => shown.page.locator(`input[name=${name}]`).fill(text);

  test('takes parity from the closed options, which a service does not have', async () => {
    const { page } = await choose('rclone', {
      'setup.rclone-remotes': () => ({ remotes: [{ name: 'drive', type: 'drive' }] }),
      'setup.try': () => ({ location: 'rclone:drive:Holdfast', holdsBackups: false, cautions: [] }),
    });
    expect(await page.getByRole('button', { name: /^Parity/ }).isVisible()).toBe(false);
    await page.getByText('More options').click();
    await page.getByRole('button', { name: 'Parity None' }).click();
    await page.getByRole('option', { name: '10 % more space' }).click();
    await next(shown);
    await page.getByText('rclone:drive:Holdfast').waitFor();
    expect(tried(shown)).toEqual([{ kind: 'rclone', remote: 'drive', folder: 'Holdfast', parity: 10 }]);
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByRole('radio', { name: /A Holdfast service/ }).check({ force: true });
    expect(await page.getByText('More options').count()).toBe(0);
    await shown.close();
  });

  test('takes the days of an object lock for a bucket only', async () => {
    const { page } = await choose('rclone', { 'setup.rclone-remotes': () => ({ remotes: [] }) });
    await page.getByText('More options').click();
    expect(await page.getByRole('button', { name: /^Object lock/ }).count()).toBe(0);
    await page.getByRole('radio', { name: 'S3 bucket' }).check({ force: true });
    await page.getByRole('button', { name: 'Object lock None' }).click();
    await page.getByRole('option', { name: '30 days' }).click();
    await fill('bucket', 's3://bucket');
    await fill('access-key', 'key');
    await fill('secret-key', 'secret');
    await next(shown);
    expect(tried(shown)).toMatchObject([{ kind: 'bucket', address: 's3://bucket', objectLockDays: 30 }]);
    await shown.close();
  });

  test('shows an SSH server’s fingerprint, and continues with it once it is confirmed', async () => {
    const { page } = await choose('SSH server', {
      'setup.try': ({ choice: destination }) => {
        if (destination.kind !== 'sftp') throw new Error('another destination');
        const address = 'sftp://anna@nas.local/~/Holdfast';
        if (destination.hostKey !== FINGERPRINT) {
          throw wrongUsage({ problem: 'host-key-unconfirmed', address, fingerprint: FINGERPRINT });
        }
        return { location: address, holdsBackups: false, cautions: [] };
      },
    });
    await next(shown);
    expect(await page.getByText('Fill this in.').count()).toBe(3);
    expect(tried(shown)).toEqual([]);
    await fill('host', 'nas.local');
    await fill('user', 'anna');
    await fill('password', 'secret');
    await next(shown);
    await page.getByRole('heading', { name: 'Is this really nas.local?' }).waitFor();
    await page.getByText(FINGERPRINT).waitFor();
    await page.getByRole('button', { name: 'They match, continue' }).click();
    await page.getByText('sftp://anna@nas.local/~/Holdfast').waitFor();
    const choice = {
      kind: 'sftp',
      host: 'nas.local',
      user: 'anna',
      path: 'Holdfast',
      signIn: { kind: 'password', password: 'secret' },
    };
    expect(tried(shown)).toEqual([choice, { ...choice, hostKey: FINGERPRINT }]);

    // Another server has to be confirmed anew.
    await page.getByRole('button', { name: 'Back' }).click();
    await fill('host', 'nas2.local');
    await next(shown);
    await page.getByRole('heading', { name: 'Is this really nas2.local?' }).waitFor();
    expect(tried(shown).at(-1)).toEqual({ ...choice, host: 'nas2.local' });
    await shown.close();
  });

  test('signs in to an SSH server with a key file, or with the usual key', async () => {
    const { page } = await choose('SSH server');
    await fill('host', 'nas.local:2222');
    await fill('user', 'anna');
    await page.getByRole('radio', { name: 'Key file' }).check({ force: true });
    await next(shown);
    await page.getByText('Fill this in.').waitFor();
    await page.getByRole('button', { name: 'Choose a key file' }).click();
    await expect.poll(() => page.locator('input[name=key-file]').inputValue()).toBe('/home/anna/.ssh/id_ed25519');
    await fill('passphrase', 'open');
    await next(shown);
    await page.getByRole('heading', { name: 'This destination works' }).waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByRole('radio', { name: 'Default key' }).check({ force: true });
    await next(shown);
    await page.getByRole('heading', { name: 'This destination works' }).waitFor();
    expect(tried(shown)).toMatchObject([
      { signIn: { kind: 'key-file', file: '/home/anna/.ssh/id_ed25519', passphrase: 'open' } },
      { host: 'nas.local:2222', signIn: { kind: 'default' } },
    ]);
    await shown.close();
  });

  test('warns before a password goes to a WebDAV server without encryption, and says what the server does not promise', async () => {
    const { page } = await choose('WebDAV', {
      'setup.try': () => ({
        location: 'https://cloud.example.org/dav/Holdfast/',
        holdsBackups: false,
        cautions: ['grows', 'races', 'power-cut'],
      }),
    });
    await fill('webdav', 'dav://cloud.example.org/dav/Holdfast');
    const warning = page.getByText(/the connection is not encrypted/);
    await warning.waitFor();
    await fill('webdav', 'davs://cloud.example.org/dav/Holdfast');
    await warning.waitFor({ state: 'detached' });
    await fill('user', 'anna');
    await next(shown);
    await page.getByText('Fill this in.').waitFor();
    await fill('password', 'secret');
    await next(shown);
    await page.getByText(/Files cannot be deleted there/).waitFor();
    await page
      .getByText(/^Good to know: If several computers.* It depends on the server whether the newest files/)
      .waitFor();
    expect(tried(shown)).toEqual([
      { kind: 'webdav', address: 'davs://cloud.example.org/dav/Holdfast', user: 'anna', password: 'secret' },
    ]);
    await shown.close();
  });

  test('lets a person choose one of rclone’s remotes and a folder', async () => {
    const { page } = await choose('rclone');
    await page.getByRole('button', { name: /Cloud drive/ }).click();
    await page.getByRole('option', { name: /onedrive/ }).click();
    await fill('folder', 'Backups/laptop');
    await next(shown);
    await page.getByText('rclone:onedrive:Backups/laptop').waitFor();
    await shown.close();
  });

  test('says how to get rclone and a remote, and looks again', async () => {
    let state: 'missing' | 'empty' | 'ready' = 'missing';
    const { page } = await choose('rclone', {
      'setup.rclone-remotes': () => {
        if (state === 'missing') throw wrongUsage({ problem: 'rclone-missing', program: 'rclone', needed: '1.57' });
        return { remotes: state === 'empty' ? [] : [{ name: 'drive', type: 'drive' }] };
      },
      'shell.open-link': () => ({}),
    });
    await page.getByText(/rclone is not installed on this computer/).waitFor();
    await page.getByRole('button', { name: 'How to install rclone' }).click();
    await expect
      .poll(() => shown.calls.filter(({ name }) => name === 'shell.open-link').map(({ input }) => input))
      .toEqual([{ url: 'https://rclone.org/install/' }]);
    await next(shown);
    expect(tried(shown)).toEqual([]);
    state = 'empty';
    await page.getByRole('button', { name: 'Look again' }).click();
    await page.getByText(/rclone has no cloud drive yet\./).waitFor();
    state = 'ready';
    await page.getByRole('button', { name: 'Look again' }).click();
    await next(shown);
    await page.getByText('rclone:drive:Holdfast').waitFor();
    await shown.close();
  });

  test('keeps what was entered for each kind', async () => {
    const { page } = await choose('WebDAV');
    await fill('webdav', 'https://cloud.example.org/dav');
    await page.getByRole('radio', { name: 'S3 bucket' }).check({ force: true });
    await fill('bucket', 's3://bucket');
    await page.getByRole('radio', { name: /Backup disk/ }).check({ force: true });
    await page.getByRole('radio', { name: /A server or cloud storage/ }).check({ force: true });
    expect(await page.locator('input[name=bucket]').inputValue()).toBe('s3://bucket');
    await page.getByRole('radio', { name: 'WebDAV' }).check({ force: true });
    expect(await page.locator('input[name=webdav]').inputValue()).toBe('https://cloud.example.org/dav');
    await shown.close();
  });

  test.each(APPEARANCES)('fits and is accessible at $width×$height, $colorScheme, in $language', async (look) => {
    const address = 'sftp://anna@nas.local/~/Holdfast';
    const failures = [
      wrongUsage({ problem: 'host-key-unconfirmed', address, fingerprint: FINGERPRINT }),
      new HoldfastError('destination_unfit', { directory: address, problem: 'write', detail: 'PERMISSION_DENIED' }),
    ];
    shown = await pages.show(
      inLanguage(NOT_SET_UP, look.language),
      onboardingAnswers({
        'setup.try': () => {
          throw failures.shift()!;
        },
      }),
      look,
    );
    const { page } = shown;
    const see = async (name: string): Promise<void> => {
      await expectSound(shown, look, VALUES);
      if (LOOKS === undefined) return;
      mkdirSync(LOOKS, { recursive: true });
      await page.screenshot({
        path: join(LOOKS, `choice-${look.width}-${look.colorScheme}-${look.language}-${name}.png`),
      });
    };
    await page.locator('.ui-card').nth(4).click();
    await page.locator('input[name=host]').waitFor();
    await see('sftp');
    await fill('host', 'nas.local');
    await fill('user', 'anna');
    await fill('password', 'secret');
    await next(shown);
    await page.locator('.destination-fingerprint').first().waitFor();
    await see('host-key');
    await page.locator('.ui-notice button').click();
    await page.getByRole('alert').waitFor();
    await see('unfit');
    for (const [index, field] of ['webdav', 'bucket', 'folder'].entries()) {
      await page
        .locator('.ui-segments')
        .first()
        .locator('.ui-segment')
        .nth(index + 1)
        .click();
      await page.locator(`input[name=${field}]`).waitFor();
      await see(field);
    }
    await shown.close();
  });
});

const entered = EMPTY_DESTINATION.entered;
test.each<[DestinationChoice, boolean]>([
  [{ ...entered.sftp, host: 'nas', user: 'anna' }, false],
  [{ ...entered.sftp, host: 'nas', user: 'anna', signIn: { kind: 'default' } }, true],
  [{ ...entered.sftp, host: 'nas', user: 'anna', signIn: { kind: 'key-file', file: ' ' } }, false],
  [{ ...entered.sftp, host: 'nas', user: ' ', signIn: { kind: 'default' } }, false],
  [{ ...entered.sftp, host: '', user: 'anna', signIn: { kind: 'default' } }, false],
  [{ ...entered.webdav, address: 'https://nas' }, true],
  [{ ...entered.webdav, address: 'https://nas', user: 'anna' }, false],
  [{ ...entered.rclone, folder: '' }, false],
  [{ ...entered.rclone, remote: 'drive', folder: '' }, true],
  [{ ...entered.bucket, address: 's3://b', accessKeyId: 'key' }, false],
  [{ ...entered.bucket, address: 's3://b', accessKeyId: 'key', secretAccessKey: 'secret' }, true],
  [entered.service, false],
  [entered.folder, false],
])('the choice %j is complete: %s', (choice, expected) => {
  expect(isComplete(choice)).toBe(expected);
});

test('a draft with parity has it in every choice of files', () => {
  const draft = { ...EMPTY_DESTINATION, parity: 10 };
  expect(choiceOf({ ...draft, card: 'disk /media/disk' })).toEqual({
    kind: 'folder',
    path: '/media/disk',
    parity: 10,
  });
  for (const server of SERVER_KINDS)
    expect(choiceOf({ ...draft, card: 'server', server })).toMatchObject({ parity: 10 });
  expect(choiceOf({ ...draft, card: 'service' })).toEqual(entered.service);
});

test('a draft without a card has no choice', () => {
  expect(choiceOf(EMPTY_DESTINATION)).toBeUndefined();
  expect(choiceOf({ ...EMPTY_DESTINATION, card: 'disk /media/disk' })).toEqual({ kind: 'folder', path: '/media/disk' });
  expect(choiceOf({ ...EMPTY_DESTINATION, card: 'server', server: 'rclone' })?.kind).toBe('rclone');
  expect(choiceOf({ ...EMPTY_DESTINATION, card: 'service' })?.kind).toBe('service');
});
