import { mkdirSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { HAS_RCLONE, rcloneConfiguration } from '../helpers/rclone/rclone-configuration.ts';
import { HAS_SSHD, SftpServer } from '../helpers/sftp/sftp-server.ts';
import { ELECTRON } from './electron-fixture.ts';
import type { ElectronFixture } from './electron-fixture.ts';
import { answerWords, expectRestored, freshWindow, holdfast, makePersonalFolder, shownPhrase } from './first-steps.ts';

const opened: ElectronFixture[] = [];
afterEach(async () => {
  for (const fixture of opened.splice(0)) await fixture.close();
});

async function freshServerChoice(folder: string, kind: string): Promise<Page> {
  const { fixture, page } = await freshWindow(folder);
  opened.push(fixture);
  await page.getByText('A server or cloud storage').click();
  await page.getByText(kind).click();
  return page;
}

/** Completes the steps after the trial, and the first backup. */
async function finish(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Use this destination' }).click();
  const words = await shownPhrase(page);
  await page.getByRole('button', { name: 'I have written it down' }).click();
  await answerWords(page, words);
  await page.getByRole('button', { name: 'Start the first backup' }).click();
  await page.getByRole('heading', { name: /^Protected/ }).waitFor();
}

describe.skipIf(!ELECTRON)('onboarding in Electron with a server', () => {
  test.skipIf(!HAS_SSHD)('makes a backup on an SSH server once its host key is confirmed', async () => {
    const server = await SftpServer.start();
    onTestFinished(() => server.close());
    const folder = makePersonalFolder();
    const page = await freshServerChoice(folder, 'SSH server');
    await page.getByLabel('Server').fill(`127.0.0.1:${server.port}`);
    await page.getByLabel('User').fill(userInfo().username);
    await page.getByLabel('Folder on the server').fill(join(folder, 'on the server'));
    await page.getByText('Key file').click();
    await page.getByRole('textbox', { name: 'Key file' }).fill(server.keyFile);
    await page.getByRole('button', { name: 'Test this destination' }).click();
    await page.getByText(server.fingerprint).waitFor();
    await page.getByRole('button', { name: 'They match, continue' }).click();
    await finish(page);
    expect(JSON.parse(await holdfast(folder, 'status', '--json'))).toMatchObject({
      destination: { kind: 'sftp', host_key: server.fingerprint },
    });
    await expectRestored(folder);
  });

  test.skipIf(!HAS_RCLONE)('makes a backup through a remote of rclone', async () => {
    const folder = makePersonalFolder();
    mkdirSync(join(folder, '.config/rclone'), { recursive: true });
    const { name } = rcloneConfiguration(join(folder, '.config/rclone'));
    const page = await freshServerChoice(folder, 'rclone');
    await page.getByRole('button', { name: new RegExp(`${name}.*Cloud drive|Cloud drive.*${name}`) }).waitFor();
    await page.getByLabel('Folder on the server').fill(join(folder, 'cloud'));
    await page.getByRole('button', { name: 'Test this destination' }).click();
    await page.getByText(/Good to know:/).waitFor();
    await finish(page);
    await expectRestored(folder);
  });
});
