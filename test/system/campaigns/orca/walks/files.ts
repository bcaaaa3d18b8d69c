import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { firstBackup, holdfast } from '../../../../app/first-steps.ts';
import type { Stage } from '../stage.ts';
import type { Walk } from '../walk.ts';

/** Orca's key for reading by itself, or leaving the arrow keys to the control. */
const FOCUS_MODE = 'Insert+a';
const HOME = /Home (?:Protected|Needs attention|At risk) push button/;
/** A backup of this many files of 50 MB takes half a minute. */
const FILMS = 20;
/** What Orca may say while that backup runs, percentages of the bar included, which it repeats every ten seconds. */
const MOST_NEWS = 20;

/** The versions of a file, the grid, a destination that is away, the schedule of one, and a longer backup. */
export async function files(stage: Stage): Promise<void> {
  const { walk, person } = stage;
  walk.part('A second version');
  await firstBackup(await stage.openWindow());
  await walk.wait();
  writeFileSync(join(person, 'Documents/Thesis/chapter 2.txt'), 'chapter two, written anew\n'.repeat(40));
  await walk.to(/^(?:main content .*)?Back up now|Back up now push button/);
  const done = await walk.press('Return');
  walk.expect(done + (await walk.wait()), /Backup of “My files”: Done/);
  await versions(walk);
  await grid(walk);
  await away(walk, person);
  await schedule(walk, person);
  await longBackup(walk, person);
}

async function versions(walk: Walk): Promise<void> {
  walk.part('The versions of a file');
  await walk.to(/^Restore push button/);
  await walk.press('Return');
  await walk.wait();
  await walk.press('ctrl+f');
  walk.expect(await walk.type('chapter 2'), /\b1 result/);
  await walk.to(/look at 2 versions/);
  const opened = await walk.press('Return');
  walk.expect(opened + (await walk.wait()), /chapter 2\.txt dialog/, /Versions, newest first List with 2 items/);
  walk.expect(await walk.press('Down'), /10\skB · 1 restore point/);
  await walk.to(/What is shown/);
  await walk.press(FOCUS_MODE);
  const compared = await walk.press('Right');
  walk.expect(compared + (await walk.wait()), /Differences/, /40 lines? added/);
  await walk.press(FOCUS_MODE);
  walk.expect(await walk.press('Escape'), /look at 2 versions/);
  await walk.press('ctrl+f');
  await walk.press('ctrl+a');
  await walk.press('BackSpace');
  await walk.wait();
}

async function grid(walk: Walk): Promise<void> {
  walk.part('The grid');
  await walk.to(/Show as/);
  await walk.press(FOCUS_MODE);
  walk.expect(await walk.press('Right'), /Grid/);
  walk.expect(await walk.to(/Files in this restore point/), /Documents folder/);
  walk.expect(await walk.press('Right'), /Pictures folder/);
  walk.expect(await walk.press('space'), /1 folder chosen/);
  walk.expect(await walk.press('space'), /Nothing chosen/);
  await walk.press('Left');
  const opened = await walk.press('Return');
  if (opened.includes('Nothing chosen')) walk.faults.push(`old news in a folder that was opened: ${opened}`);
  walk.expect(opened, /1 entry/);
  await walk.press('BackSpace');
  await walk.press(FOCUS_MODE);
}

async function away(walk: Walk, person: string): Promise<void> {
  walk.part('The destination is away while Restore is open');
  const [here, there] = [join(person, 'Holdfast'), join(person, 'Holdfast away')];
  const left = await walk.wait(() => renameSync(here, there), 15_000);
  walk.expect(left, /Needs attention/);
  await walk.to(HOME);
  await walk.press('Return');
  await walk.to(/^Restore push button/);
  const shown = await walk.press('Return');
  walk.expect(shown + (await walk.wait()), /main content Restore/, /is not available right now/, /Restoring needs/);
  await walk.to(/Files in this restore point/);
  walk.expect(await walk.press('Return'), /1 entry/);
  const back = await walk.wait(() => renameSync(there, here), 15_000);
  walk.expect(back, /Protected/);
}

async function schedule(walk: Walk, person: string): Promise<void> {
  walk.part('The schedule of a destination');
  mkdirSync(join(person, 'Second'));
  await holdfast(person, 'destination', 'add', '--destination', join(person, 'Second'), '--name', 'Second disk');
  await walk.to(/^Settings push button/);
  await walk.press('Return');
  await walk.to(/General page tab/);
  walk.expect(await walk.press('Right'), /Destination page tab/);
  await walk.to(/Actions for “Second disk”/);
  await walk.press('Return');
  await walk.to(/^Schedule/, 'Down');
  walk.expect(await walk.read('Return'), /Schedule of “Second disk”/);
  await walk.to(/Same as the backup sets/);
  await walk.press(FOCUS_MODE);
  walk.expect(await walk.press('Down'), /On its own schedule/, /every day at 12:00/);
  await walk.press(FOCUS_MODE);
  await walk.to(/How often Every day/);
  await walk.to(/^Save push button/);
  walk.expect(await walk.press('Return'), /Actions for “Second disk”/);
}

async function longBackup(walk: Walk, person: string): Promise<void> {
  walk.part('A longer backup');
  for (let film = 0; film < FILMS; film += 1) {
    writeFileSync(join(person, 'Documents', `film ${film}.bin`), randomBytes(50_000_000));
  }
  await walk.to(HOME);
  await walk.press('Return');
  await walk.to(/Back up now/);
  const begun = await walk.press('Return');
  let heard = begun;
  while (!heard.includes('Done.')) heard += ` | ${await walk.wait(undefined, 20_000)}`;
  walk.expect(heard, /\bRunning\b/, /Backup of “My files”: Done/);
  const count = heard.split(' | ').length;
  if (count > MOST_NEWS) walk.faults.push(`${count} sentences during one backup: ${heard}`);
}
