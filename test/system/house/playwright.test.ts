import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importsOf } from '../../../scripts/parts/import-graph.ts';

const root = dirname(dirname(dirname(import.meta.dirname)));
/** Where Playwright's names become exact. */
const DOOR = 'test/helpers/browser/playwright.ts';

/** Returns whether a file of the tests goes past the door. Types lead nowhere. */
function goesPast(file: string, source: string): boolean {
  return (
    file !== DOOR && importsOf(file, source).some(({ to, isType }) => /^(playwright|@playwright)/.test(to) && !isType)
  );
}

describe('the door to Playwright', () => {
  test('is the only way to its programs', () => {
    const files = globSync('test/**/*.ts', { cwd: root }).map((file) => file.replaceAll('\\', '/'));
    const sources = files.map((file) => ({ file, source: readFileSync(join(root, file), 'utf8') }));
    const mentioning = sources.filter(({ source }) => source.includes('playwright'));
    expect(mentioning.map(({ file }) => file)).toContain(DOOR);
    expect(mentioning.filter(({ file, source }) => goesPast(file, source))).toEqual([]);
  });

  test.each([
    ["import { chromium } from 'playwright';", true],
    ["import { type Page, _electron } from 'playwright';", true],
    ["import playwright from 'playwright-core';", true],
    ["const { chromium } = await import('playwright');", true],
    ["export { chromium } from 'playwright';", true],
    ["import { test } from '@playwright/test';", true],
    ["import type { Page } from 'playwright';", false],
    ["import { playwright } from '../helpers/browser/playwright.ts';", false],
  ])('is passed or not by %s', (source, isPast) => {
    expect(goesPast('test/app/planted.ts', source)).toBe(isPast);
  });
});
