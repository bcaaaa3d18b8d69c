import { afterAll, describe, expect, test } from 'vitest';
import type { AppState } from '../../src/ipc/state.ts';
import { ClockFixture } from './clock-fixture.ts';
import { ELECTRON } from './electron-fixture.ts';
import { firstBackup, makePersonalFolder } from './first-steps.ts';

const HOUR_MS = 3_600_000;

describe.skipIf(!ELECTRON)('schedule in Electron', () => {
  let clocked: ClockFixture | undefined;
  afterAll(() => clocked?.close());

  test('runs once for all times missed during sleep, shows why, and continues as planned', async () => {
    clocked = await ClockFixture.open(makePersonalFolder(3));
    const { electron: fixture } = clocked;
    const page = await fixture.window();
    page.setDefaultTimeout(90_000);
    await firstBackup(page);
    const runs = async (): Promise<readonly { trigger?: string; startedAt: number }[]> => {
      const answer = (await fixture.ask('activity.list', { limit: 50 })) as { value: { runs: AppState['runs'] } };
      return answer.value.runs;
    };
    const triggers = async (): Promise<readonly (string | undefined)[]> => (await runs()).map(({ trigger }) => trigger);
    expect(await triggers()).toEqual(['person']);

    // An hourly backup was due five times meanwhile.
    await clocked.sleepUntil(clocked.now() + 5.5 * HOUR_MS);
    await page.getByText(/Ran .+ late: the computer was asleep/).waitFor();
    await expect.poll(triggers, { timeout: 90_000 }).toEqual(['missed', 'person']);

    // Seconds before the next one, so that it runs on time.
    const [last] = await runs();
    await clocked.sleepUntil(last!.startedAt + HOUR_MS - 5_000);
    await expect.poll(triggers, { timeout: 90_000 }).toEqual(['schedule', 'missed', 'person']);
    await page.getByText(/^Next backup: /).waitFor();
    await page.getByRole('button', { name: 'Activity' }).click();
    await page
      .getByText(/Missed backup/)
      .first()
      .waitFor();
    await page
      .getByText(/Scheduled/)
      .first()
      .waitFor();
  });
});
