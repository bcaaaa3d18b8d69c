import { describe, expect, test } from 'vitest';
import { recoveryKitPage } from '../../../src/main/shell/recovery-kit.ts';
import { languageOf } from '../../../src/strings/strings.ts';
import { CHROMIUM, testBrowser } from '../../helpers/browser/server.ts';

const WORDS = Array.from({ length: 24 }, (_, index) => `word${index + 1}`);
const KIT = {
  words: WORDS,
  device: 'Anna’s laptop',
  location: '/media/Anna’s disk',
  printedAt: Date.UTC(2026, 10, 21, 12),
};

describe('the recovery kit', () => {
  test.skipIf(!CHROMIUM).each(['en', 'de'] as const)('fits on one page with long names: %s', async (code) => {
    const page = await (await testBrowser()).newPage();
    try {
      const location = `/media/anna/${'A folder with a long name/'.repeat(5)}holdfast`;
      await page.setContent(recoveryKitPage({ ...KIT, location }, languageOf(code, [])));
      const pdf = await page.pdf({ preferCSSPageSize: true, printBackground: true });
      expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
    } finally {
      await page.close();
    }
  });

  test('lists the words in order, with the device and the destination', () => {
    const page = recoveryKitPage(KIT, languageOf('en', ['en-GB']));
    expect([...page.matchAll(/<li><span>(\w+)<\/span>/g)].map(([, word]) => word)).toEqual(WORDS);
    expect(page).toContain('Anna’s laptop');
    expect(page).toContain('21 Nov 2026');
    expect(page).toContain('/media/Anna’s disk');
  });

  test('escapes everything that it shows', () => {
    const page = recoveryKitPage(
      { ...KIT, device: '<script>x</script>', location: `"'><img src=x>` },
      languageOf('de', []),
    );
    expect(page).not.toMatch(/<script|<img/);
    expect(page).toContain('&lt;script&gt;');
  });

  test.each([
    ['/media/disk', '--destination /media/disk '],
    ["/media/Anna's disk", String.raw`--destination '/media/Anna'\''s disk' `],
    ['s3://bucket/laptop', '--destination s3://bucket/laptop '],
    ['https://backup.example.org', '--server https://backup.example.org '],
  ])('names the command for %s', (location, option) => {
    expect(recoveryKitPage({ ...KIT, location }, languageOf('en', []))).toContain(`holdfast setup ${option}`);
  });
});
