import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { presetPatterns } from '../../../src/archive/scan/presets/preset-rules.ts';
import { isPresetName, PRESETS } from '../../../src/archive/scan/presets/presets.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/left-out.md'), 'utf8');

test.each(Object.keys(PRESETS).filter(isPresetName))('docs/left-out.md has each rule of the preset %s', (name) => {
  const rules = ['linux', 'darwin', 'win32'].flatMap((system) => presetPatterns(name, system as NodeJS.Platform));
  const missing = rules.filter((rule) => !page.includes(`\`${rule}\``) && !page.includes(`\n  ${rule}\n`));
  expect(missing).toEqual([]);
  expect(page).toContain(`| ${name} |`);
});
