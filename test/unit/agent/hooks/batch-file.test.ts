import { describe, expect, test } from 'vitest';
import { batchLine, isBatchFile, wordForNoBatchFile } from '../../../../src/agent/hooks/batch-file.ts';

describe('a batch file', () => {
  test.each(['before.cmd', 'C:\\jobs\\BEFORE.BAT', 'C:/jobs/before run.cmd', 'before.cmd. .', 'before.exe.bat '])(
    'is %j',
    (program) => {
      expect(isBatchFile(program)).toBe(true);
    },
  );

  test.each(['before.exe', 'before', 'C:\\jobs.cmd\\before', 'before.cmd.exe', 'batch', '.cmdx'])(
    'is not %j',
    (program) => {
      expect(isBatchFile(program)).toBe(false);
    },
  );

  test('is started by its path in quotes, with the separators of Windows', () => {
    expect(batchLine(['C:/my jobs/before.cmd'])).toBe('"C:\\my jobs\\before.cmd"');
    expect(batchLine(['before.bat'])).toBe('"before.bat"');
  });

  test('gets each argument as one', () => {
    const args = ['docs', 'C:\\a b\\', '', 'x=1', 'a,b;c', '& exit 1', '^<>|()', '!PATH!', 'naïve', '/y'];
    expect(batchLine(['b.cmd', ...args])).toBe(
      '"b.cmd" docs "C:\\a b\\" "" "x=1" "a,b;c" "& exit 1" "^<>|()" "!PATH!" naïve /y',
    );
  });

  test.each(['%PATH%', '100 %', 'say "hi"', 'two\nlines', 'two\r\nlines'])('cannot get %j as it is', (word) => {
    expect(wordForNoBatchFile(['b.cmd', 'docs', word])).toBe(word);
    expect(wordForNoBatchFile(['C:\\100%\\b.cmd'])).toBe('C:\\100%\\b.cmd');
    expect(wordForNoBatchFile(['b.cmd', 'docs', 'a b'])).toBeUndefined();
    expect(wordForNoBatchFile(['b.exe', word])).toBeUndefined();
  });
});
