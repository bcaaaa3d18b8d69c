import { describe, expect, test } from 'vitest';
import { autostartEntry } from '../../src/main/system/autostart-entry.ts';

describe('the autostart entry', () => {
  test.each([
    ['/usr/bin/holdfast', '"/usr/bin/holdfast" "--hidden"'],
    ['/home/anna/my apps/100%', '"/home/anna/my apps/100%%" "--hidden"'],
    ['/opt/a"b$c', String.raw`"/opt/a\\"b\\$c" "--hidden"`],
    [String.raw`/opt/a\b`, String.raw`"/opt/a\\\\b" "--hidden"`],
  ])('names %s as the specification wants it', (program, line) => {
    expect(autostartEntry([program, '--hidden']).split('\n')).toContain(`Exec=${line}`);
  });
});
