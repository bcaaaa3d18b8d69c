import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { firstBackup } from '../../../../app/first-steps.ts';
import type { Stage } from '../stage.ts';

/** The window in German: each view with what can be reached by Tab, a backup and a quick look. */
export async function german(stage: Stage): Promise<void> {
  const { desktop, walk, person } = stage;
  walk.part('In German');
  await firstBackup(await stage.openWindow());
  // It has been English so far.
  await desktop.hear(() => undefined, { quietMs: 3_000 });
  writeFileSync(join(person, 'Documents/Thesis/chapter 2.txt'), 'chapter two, written anew\n'.repeat(40));
  await walk.wait(() => stage.openWindow('de-DE'), 6_000);
  await walk.to(/Jetzt sichern/);
  const done = await walk.press('Return');
  walk.expect(done + (await walk.wait()), /Sicherung von „My files“: Fertig/);
  for (const view of ['Übersicht', 'Sicherungspläne', 'Wiederherstellen', 'Verlauf', 'Geräte', 'Einstellungen']) {
    await walk.to(new RegExp(`(?:^|\\| )${view} (?:Geschützt )?Druckknopf`));
    await walk.press('Return');
    await walk.wait();
    await walk.to(/Zum Inhalt springen/);
  }
  await walk.to(/Wiederherstellen Druckknopf/);
  await walk.press('Return');
  await walk.press('ctrl+f');
  walk.expect(await walk.type('chapter 2'), /\b1 Treffer|1 Ergebnis/);
  await walk.to(/2 Versionen/);
  await walk.press('Return');
  await walk.wait();
  await walk.press('Tab', 'Tab', 'Tab', 'Tab', 'Escape');
}
