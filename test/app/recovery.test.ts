import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { HttpService } from '../agent/host/http-service.ts';
import { builtApp } from './built-app.ts';
import { ELECTRON, worldEnvironment } from './electron-world.ts';
import type { ElectronWorld } from './electron-world.ts';
import { firstBackup, freshWindow, holdfast, joinService, makePersonalFolder } from './first-steps.ts';
import { movedAway } from './moved-away.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** The process that does the work, a child of the program's. */
function agentOf(world: ElectronWorld): number {
  const main = world.app.process().pid;
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const words = readFileSync(`/proc/${entry}/cmdline`, 'utf8');
      const parent = Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${entry}/status`, 'utf8'))?.[1]);
      if (parent === main && words.includes('node.mojom.NodeService')) return Number(entry);
    } catch {
      // It has ended since.
    }
  }
  throw new Error('there is no agent');
}

/** The window, in the middle of its first backup to a service that keeps it waiting. */
async function inTheMiddle(): Promise<{ service: HttpService; world: ElectronWorld; page: Page; folder: string }> {
  const service = await HttpService.open();
  ends.push(() => service.close());
  const folder = makePersonalFolder(6);
  const { world, page } = await freshWindow(folder);
  ends.push(() => world.close());
  await joinService(page, service);
  service.setBack();
  service.holdUploads();
  await page.getByRole('button', { name: 'Start the first backup' }).click();
  await page.getByRole('button', { name: 'Stop: “My files”' }).waitFor();
  return { service, world, page, folder };
}

const isProtected = (page: Page): Promise<void> => page.getByRole('heading', { name: /^Protected/ }).waitFor();

describe.skipIf(!ELECTRON)('what goes wrong around a backup', () => {
  it('is told when the disk is away, and over when it is back', async () => {
    const folder = makePersonalFolder(3);
    const { world, page } = await freshWindow(folder);
    ends.push(() => world.close());
    await firstBackup(page);
    const { destination } = JSON.parse(holdfast(folder, 'status', '--json')) as { destination: { directory: string } };
    const back = movedAway(destination.directory);
    await page.getByRole('button', { name: 'Back up now' }).first().click();
    const sentence = `${destination.directory} is not connected.`;
    await page.getByRole('heading', { name: `Needs your attention. ${sentence}` }).waitFor();
    back();
    await page.getByRole('button', { name: 'Try again' }).click();
    await isProtected(page);
    expect(await page.getByText(sentence).count()).toBe(0);
  });

  it('lets a run go on that was in the middle when the agent was killed', async () => {
    const { service, world, page, folder } = await inTheMiddle();
    const agent = agentOf(world);
    process.kill(agent, 'SIGKILL');
    await page.getByText('Holdfast stopped unexpectedly and has started again.').first().waitFor();
    service.letUploadsGoOn();
    await expect.poll(() => agentOf(world), { timeout: 90_000 }).not.toBe(agent);
    // By hand at once; by itself it goes on within minutes.
    const now = page.getByRole('button', { name: 'Back up now' }).first();
    await now.click();
    await page.getByText('Last backup just now', { exact: false }).first().waitFor();
    expect(JSON.parse(holdfast(folder, 'status', '--json'))).toMatchObject({
      sets: [{ last_run: { state: 'succeeded' }, resumable: false }],
    });
  });

  it('does not end a backup with the window, which shows it when it is opened again', async () => {
    const { service, world, page } = await inTheMiddle();
    const closed = page.waitForEvent('close');
    await world.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.close());
    await closed;
    const opening = world.app.waitForEvent('window');
    const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    const second = spawn(ELECTRON!, [...sandbox, await builtApp()], {
      env: worldEnvironment(world.folder, world.display, 'en-GB'),
      stdio: 'ignore',
    });
    expect(await once(second, 'exit')).toEqual([0, null]);
    const again = await opening;
    again.setDefaultTimeout(90_000);
    await again.getByRole('button', { name: 'Stop: “My files”' }).waitFor();
    service.letUploadsGoOn();
    await isProtected(again);
  });

  it('waits for a service that is away, and goes on by itself', async () => {
    const { service, page } = await inTheMiddle();
    service.goAway();
    await page.getByText('Waits for the connection, and goes on by itself.').waitFor();
    service.comeBack();
    await isProtected(page);
  });
});
