import { describe, expect, test } from 'vitest';
import { autostartEntry } from '../../../../src/main/system/autostart-entry.ts';

describe('the autostart entry', () => {
  test.each([
    ['/usr/bin/holdfast', '"/usr/bin/holdfast" "--hidden"'],
    ['/home/anna/my apps/100%', '"/home/anna/my apps/100%%" "--hidden"'],
    ['/opt/a"b$c', String.raw`"/opt/a\\"b\\$c" "--hidden"`],
    [String.raw`/opt/a\b`, String.raw`"/opt/a\\\\b" "--hidden"`],
  ])('names %s as the specification wants it', (program, line) => {
    expect(autostartEntry([program, '--hidden']).split('\n')).toContain(`Exec=${line}`);
  });

  test('names the program alone, so that a login ignores the entry once it is removed', () => {
    expect(autostartEntry(['/opt/Holdfast/holdfast-app', '--hidden']).split('\n')).toContain(
      'TryExec=/opt/Holdfast/holdfast-app',
    );
    expect(autostartEntry([String.raw`/opt/a\b c`]).split('\n')).toContain(String.raw`TryExec=/opt/a\\b c`);
  });
});
