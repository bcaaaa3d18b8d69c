import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The pictures of the guide, and the screenshots of the tests that they are. */
export const PICTURES: Readonly<Record<string, string>> = {
  'first-destination': 'screens/first-1-destination-1000-light',
  'existing-backups': 'screens/first-1-existing-1000-light',
  'first-phrase': 'screens/first-3-phrase-1000-light',
  'first-folders': 'screens/first-5-folders-1000-light',
  home: 'screens/home-1000-light',
  restore: 'screens/restore-1000-light',
  'restore-found': 'screens/restore-found-1000-light',
  'quick-look': 'screens/restore-look-1000-light',
  'restore-dialog': 'screens/restore-dialog-1000-light',
  'settings-security': 'screens/settings-security-1000-light',
  'portal-overview': 'portal/5-overview-light-1280',
  'portal-device': 'portal/5-device-light-1280',
};

/** @param runTests runs test files, which write screenshots into `test-results` */
export function copyPictures(root: string, runTests: (...files: readonly string[]) => void): void {
  runTests('test/app/screens.test.ts', 'test/app/portal/pictures.test.ts');
  const folder = join(root, 'docs/guide/pictures');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, source] of Object.entries(PICTURES)) {
    copyFileSync(join(root, 'test-results', `${source}.png`), join(folder, `${name}.png`));
  }
}
