import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stage } from '../stage.ts';
import type { Walk } from '../walk.ts';

/** More than the step of the phrase has. */
const MOST_LINES = 60;

/** From the first start to a restore that is undone, a backup that fails, and the settings. */
export async function firstDays(stage: Stage): Promise<void> {
  const { walk, person } = stage;
  walk.part('The first start');
  const heard = await walk.wait(() => stage.openWindow(), 6_000);
  walk.expect(heard, /form Where should your backups go\?/);
  await firstBackup(walk, person);
  await readHome(walk);
  await restore(walk, person);
  await failedBackup(walk, person);
  await settings(walk);
}

async function firstBackup(walk: Walk, person: string): Promise<void> {
  await walk.activate(/^I already have backups/, /form Where are your backups\?/);
  await walk.activate(/^Set up new backups/, /form Where should your backups go\?/);
  await walk.to(/System disk/);
  walk.expect(await walk.press('space'), /selected/);
  await walk.activate(/^Test this destination/, /form This destination works/, /Your files are on this disk, too/);
  await walk.activate(/^Use this destination/, /form Write down your recovery phrase/);
  const words = await hearPhrase(walk);
  await saveKit(walk, person);
  await walk.activate(/^I have written it down/, /form Did you write it down correctly\?/);
  for (let asked = 0; asked < 2; asked += 1) {
    const [, number] = /^Word (\d+)/.exec(await walk.to(/^Word \d+ entry/))!;
    await walk.type(asked === 0 ? 'zebra' : words.get(Number(number))!);
  }
  const refused = await walk.activate(/^Confirm/, /invalid entry/);
  const [, wrong] = /This is not word (\d+)/.exec(refused)!;
  await walk.to(new RegExp(`Word ${wrong} entry`));
  await walk.press('ctrl+a');
  await walk.type(words.get(Number(wrong))!);
  await walk.activate(/^Confirm/, /form What should be backed up\?/);
  await walk.to(/Documents check box checked/);
  await walk.to(/How often Every hour/);
  const begun = await walk.activate(/^Start the first backup/);
  walk.expect(begun + (await walk.wait()), /main content/, /Backup of “My files”: Done/);
}

/** Reads the list of the words line by line. @returns the words by their numbers */
async function hearPhrase(walk: Walk): Promise<ReadonlyMap<number, string>> {
  let heard = '';
  for (let line = 0; line < MOST_LINES; line += 1) {
    heard += ` | ${await walk.read('Down')}`;
    const words = [...heard.matchAll(/(\d+)\. \|[ |]*(\w+)\./g)].map(
      ([, number, word]) => [Number(number), word!] as const,
    );
    if (words.length === 24) return new Map(words);
  }
  throw new Error(`the phrase has 24 words, and Orca says: ${heard}`);
}

/** The kit goes where the dialog of the system proposes. */
async function saveKit(walk: Walk, person: string): Promise<void> {
  await walk.to(/^Save as PDF/);
  walk.expect(await walk.press('Return'), /Save your recovery kit file chooser/);
  await walk.to(/^Save push button/, 'shift+Tab');
  walk.expect((await walk.press('Return')) + (await walk.wait()), /Saved: [^|]*recovery kit\.pdf/, /Print it/);
  if (!readdirSync(person).includes('Holdfast recovery kit.pdf')) walk.faults.push('the recovery kit is not there');
  await walk.activate(/^Copy push button/, /Other programs can read the clipboard/);
  await walk.activate(/^Copy anyway push button/, /Copied\. Paste it/);
}

async function readHome(walk: Walk): Promise<void> {
  walk.part('Home');
  await walk.to(/Home Protected/);
  walk.expect(await walk.to(/Back up now/), /main content Protected/);
  await walk.to(/Find in all backups/);
  await walk.to(/Last 30 days/);
  await walk.activate(/^Restore push button/, /main content Restore/);
}

async function restore(walk: Walk, person: string): Promise<void> {
  walk.part('Restore: browse, the time, find, quick look');
  await walk.to(/Backup set/);
  await walk.press('Down');
  const closed = await walk.press('Escape');
  if (/Done\.|Protected/.test(closed)) walk.faults.push(`old news after a list was closed: ${closed}`);
  await walk.to(/Restore point: Today/);
  await walk.press('Return');
  await walk.press('Escape');
  await walk.to(/Files in this restore point/);
  await walk.press('Down');
  walk.expect(await walk.press('space'), /1 folder chosen/);
  walk.expect(await walk.press('space'), /Nothing chosen/);
  await walk.press('Up');
  walk.expect(await walk.press('Return'), /Thesis folder/);
  await walk.wait(undefined, 1_000);
  walk.expect(await walk.press('Return'), /chapter 1\.txt/);
  await walk.press('BackSpace');
  await walk.press('ctrl+f');
  walk.expect(await walk.type('chapter 2'), /1 result/);
  await walk.to(/quick look/);
  walk.expect(await walk.press('Return'), /chapter 2\.txt dialog/);
  await walk.to(/Text of “chapter 2\.txt”/);
  walk.expect(await walk.press('Escape'), /quick look/);

  walk.part('Restore: put back, and undo');
  writeFileSync(join(person, 'Documents/Thesis/chapter 2.txt'), 'spoiled\n');
  await walk.to(/Restore “chapter 2\.txt”/);
  await walk.press('Return');
  await walk.wait();
  await walk.press('Escape');
  walk.expect(await walk.press('shift+Tab', 'Tab'), /Restore “chapter 2\.txt”/);
  await walk.press('Return');
  await walk.wait();
  await walk.to(/Start restoring/);
  await walk.press('Return');
  await walk.wait();
  await walk.to(/Undo/);
  const undone = await walk.press('Return');
  walk.expect(undone + (await walk.wait()), /The restore is undone as far as possible\. It had replaced/);
}

async function failedBackup(walk: Walk, person: string): Promise<void> {
  walk.part('A backup that fails, and a run in Activity');
  await walk.press('Escape');
  await walk.to(/Home (?:Protected|Needs attention|At risk) push button/);
  await walk.press('Return');
  renameSync(join(person, 'Holdfast'), join(person, 'Holdfast away'));
  await walk.to(/Back up now/);
  await walk.press('Return');
  await walk.wait(undefined, 5_000);
  await walk.to(/^Activity push button/);
  await walk.press('Return');
  await walk.wait(undefined, 1_000);
  await walk.to(/table with/);
  walk.expect(await walk.press('Return'), /Backup of “My files” region/, /Connect the right disk/);
  await walk.wait(undefined, 2_000);
  await walk.press('Tab', 'Tab', 'Tab', 'Tab');
  await walk.press('Escape');
  renameSync(join(person, 'Holdfast away'), join(person, 'Holdfast'));
}

async function settings(walk: Walk): Promise<void> {
  walk.part('A backup set: its schedule, what is kept, and a dialog that asks');
  await walk.to(/^Backup sets push button/);
  await walk.press('Return');
  await walk.to(/Edit My files/);
  walk.expect(await walk.press('Return'), /Edit “My files” region/);
  await walk.wait(undefined, 2_000);
  await walk.to(/page tab/);
  for (let tab = 0; tab < 7; tab += 1) {
    await walk.press('Right');
    await walk.wait(undefined, 1_000);
  }
  await walk.press('Escape');
  await walk.to(/More for My files/);
  await walk.press('Return');
  await walk.press('Up');
  await walk.press('Return');
  await walk.wait(undefined, 1_000);
  await walk.press('Tab', 'Tab', 'Escape');

  walk.part('Settings');
  await walk.to(/^Settings push button/);
  walk.expect(await walk.press('Return'), /main content Settings/, /General page tab/);
  await walk.press('Tab');
  for (const tab of ['Destination', 'Security', 'About']) {
    walk.expect(await walk.press('Right'), new RegExp(`${tab} page tab`));
    await walk.wait(undefined, 1_000);
  }
  await walk.press('Home', 'Right');
  for (let stop = 0; stop < 12; stop += 1) await walk.press('Tab');
}
