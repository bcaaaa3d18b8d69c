import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { afterEach, describe, expect, test } from 'vitest';
import { ENDPOINTS } from '../../src/protocol/endpoints.ts';
import type { ListedRun } from '../../src/ipc/contract/activity.ts';
import { HttpService } from '../system/agent/host/http-service.ts';
import { agentOf } from './agent-process.ts';
import { builtApp } from './built-app.ts';
import { ClockFixture } from './clock-fixture.ts';
import { ELECTRON, testEnvironment } from './electron-fixture.ts';
import type { ElectronFixture } from './electron-fixture.ts';
import { expectRestored, firstBackup, freshWindow, holdfast, joinService, makePersonalFolder } from './first-steps.ts';
import { movedAway } from './moved-away.ts';
import { shownState } from './shown-state.ts';

/** Milliseconds for which a sign-in at the service is valid. */
const TOKEN_LIFETIME_MS = 3_600_000;

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Opens the window during its first backup to a service that delays all uploads. */
async function inTheMiddle(started: { readonly fixture: ElectronFixture; readonly page: Page }): Promise<HttpService> {
  const { page } = started;
  const service = await HttpService.open();
  ends.push(() => service.close());
  await joinService(page, service);
  service.holdUploads();
  await page.getByRole('button', { name: 'Start the first backup' }).click();
  await page.getByRole('button', { name: 'Stop: “My files”' }).waitFor();
  await expect.poll(() => service.heldUploads, { timeout: 90_000 }).toBeGreaterThan(0);
  return service;
}

async function started(folder: string): Promise<{ fixture: ElectronFixture; page: Page }> {
  const opened = await freshWindow(folder);
  ends.push(() => opened.fixture.close());
  return opened;
}

/** Returns the finished runs, newest first. */
async function endedRuns(fixture: ElectronFixture): Promise<readonly ListedRun[]> {
  const answer = (await fixture.ask('activity.list', { limit: 50 })) as { value: { runs: readonly ListedRun[] } };
  return answer.value.runs;
}

const isProtected = (page: Page): Promise<void> => page.getByRole('heading', { name: /^Protected/ }).waitFor();

describe.skipIf(!ELECTRON)('recovery', () => {
  test('reports a missing disk until it is back', async () => {
    const folder = makePersonalFolder(3);
    const { page } = await started(folder);
    await firstBackup(page);
    const { destination } = JSON.parse(await holdfast(folder, 'status', '--json')) as {
      destination: { directory: string };
    };
    const back = movedAway(destination.directory);
    await page.getByRole('button', { name: 'Back up now' }).first().click();
    const sentence = `${destination.directory} is not connected.`;
    await page.getByRole('heading', { name: `Needs your attention. ${sentence}` }).waitFor();
    back();
    await page.getByRole('button', { name: 'Try again' }).click();
    await isProtected(page);
    expect(await page.getByText(sentence).count()).toBe(0);
  });

  test('resumes a run when the agent was killed', async () => {
    const folder = makePersonalFolder(6);
    const clocked = await ClockFixture.open(folder);
    ends.push(() => clocked.close());
    const { electron: fixture } = clocked;
    const page = await fixture.window();
    page.setDefaultTimeout(90_000);
    const service = await inTheMiddle({ fixture, page });
    const agent = agentOf(fixture);
    process.kill(agent, 'SIGKILL');
    await page.getByText('Holdfast stopped unexpectedly and has started again.').first().waitFor();
    await page
      .getByText(/continuing an earlier backup/i)
      .first()
      .waitFor();
    service.releaseUploads();
    const outcomes = async (): Promise<readonly string[]> => (await endedRuns(fixture)).map(({ outcome }) => outcome);
    // The call waits for the agent to start.
    await expect.poll(outcomes, { timeout: 90_000 }).toContain('interrupted');
    expect(agentOf(fixture)).not.toBe(agent);

    // Without any input, and without any wait.
    await isProtected(page);
    await page
      .getByText(/Last backup just now/)
      .first()
      .waitFor();
    expect(await endedRuns(fixture)).toMatchObject([
      { kind: 'backup', trigger: 'resume', outcome: 'succeeded' },
      { kind: 'backup', trigger: 'person', outcome: 'interrupted' },
    ]);
    expect(JSON.parse(await holdfast(folder, 'status', '--json'))).toMatchObject({
      sets: [{ last_run: { state: 'succeeded' }, resumable: false }],
    });
    const { points } = JSON.parse(await holdfast(folder, 'points', 'My files', '--json')) as { points: unknown[] };
    expect(points).toHaveLength(1);
    await expectRestored(folder);
  });

  test('continues a backup without the window, and shows it when reopened', async () => {
    const folder = makePersonalFolder(0);
    for (let number = 1; number <= 12; number += 1) {
      writeFileSync(join(folder, `Documents/scan ${number}.pdf`), randomBytes(2_000_000));
    }
    const { fixture, page } = await started(folder);
    const service = await inTheMiddle({ fixture, page });
    const { run, bytes } = await shownRun(page);
    const closed = page.waitForEvent('close');
    await fixture.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.close());
    await closed;
    const opening = fixture.app.waitForEvent('window');
    const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    const second = spawn(ELECTRON!, [...sandbox, await builtApp()], {
      env: testEnvironment(fixture.folder, fixture.display, 'en-GB'),
      stdio: 'ignore',
    });
    expect(await once(second, 'exit')).toEqual([0, null]);
    const again = await opening;
    again.setDefaultTimeout(90_000);
    await again.getByRole('button', { name: 'Stop: “My files”' }).waitFor();
    expect((await shownRun(again)).run).toBe(run);
    const goesOn = async (): Promise<boolean> => {
      service.releaseOneUpload();
      const now = await shownRun(again);
      return now.run === run && now.bytes > bytes && now.text !== '0 bytes';
    };
    await expect.poll(goesOn, { timeout: 90_000, interval: 100 }).toBe(true);
    expect(service.heldUploads).toBeGreaterThan(0);
    service.releaseUploads();
    await isProtected(again);
    expect(await endedRuns(fixture)).toMatchObject([{ id: run, trigger: 'person', outcome: 'succeeded' }]);
    await expectRestored(folder);
  });

  test('waits for an unavailable service and continues by itself', async () => {
    const folder = makePersonalFolder(6);
    const { fixture, page } = await started(folder);
    const service = await inTheMiddle({ fixture, page });
    service.goAway();
    await page.getByText('Waiting for the connection; resumes automatically.').waitFor();
    service.comeBack();
    await isProtected(page);
    expect(await endedRuns(fixture)).toMatchObject([{ trigger: 'person', outcome: 'succeeded' }]);
    await expectRestored(folder);
  });

  test('continues when token and presigned URLs expire during a backup', async () => {
    const folder = makePersonalFolder(6);
    const { fixture, page } = await started(folder);
    const service = await inTheMiddle({ fixture, page });
    const before = service.answers.length;
    service.advance(TOKEN_LIFETIME_MS + 60_000);
    service.releaseUploads();
    await isProtected(page);
    const answers = service.answers.slice(before);
    // Calls that were on their way may be refused after another one has renewed the token.
    const ofBackup = answers.filter(({ path }) => path.startsWith('/functions/v1/backup/'));
    expect(ofBackup.map(({ status }) => status)).toContain(401);
    expect(answers).toContainEqual({ path: ENDPOINTS.deviceAuth, status: 200 });
    expect(ofBackup.at(-1)!.status).toBe(200);
    expect(await endedRuns(fixture)).toMatchObject([{ trigger: 'person', outcome: 'succeeded' }]);
    await expectRestored(folder);
  });
});

/** Returns the active run and its shown progress. */
async function shownRun(page: Page): Promise<{ readonly run: number; readonly bytes: number; readonly text: string }> {
  const text = await page.getByText('Data').locator('xpath=following-sibling::dd').innerText();
  const { id, bytesDone } = (await shownState(page)).runs[0]!;
  return { run: id, bytes: bytesDone, text };
}
