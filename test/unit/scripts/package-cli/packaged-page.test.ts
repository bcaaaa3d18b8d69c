import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packagedPage } from '../../../../scripts/package-cli/packaged-page.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const PAGES = ['self-hosting.md', 'accounts.md', 'webhooks.md', 'security.md', 'schedules.md', 'destinations.md'];

describe.each(PAGES)('the copy of %s in a package', (page) => {
  const text = packagedPage(readFileSync(join(ROOT, 'docs', page), 'utf8'), PAGES);

  test('links to nothing that the package does not have', () => {
    for (const [, target = ''] of text.matchAll(/\]\(([^)]*)\)/g)) {
      const [path = ''] = target.split('#');
      if (/^https?:/.test(path) || path === '' || PAGES.includes(path)) continue;
      expect(path).toMatch(/^examples\//);
      expect(existsSync(join(ROOT, 'deploy', path.slice('examples/'.length)))).toBe(true);
    }
  });

  test('has the command and the paths of the package', () => {
    expect(text).not.toContain('bin/holdfast service');
    expect(text).not.toMatch(/cp deploy\/(?:caddy|nginx|prometheus|grafana)/);
    expect(text.split('\n').slice(0, 3).join('\n')).toMatch(/^# .*\n\n> This is the copy of the package\./);
  });
});
