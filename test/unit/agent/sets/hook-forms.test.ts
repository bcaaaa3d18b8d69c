import { expect, test } from 'vitest';
import { hooksOf } from '../../../../src/agent/sets/hook-forms.ts';

test.each(['["x"', '["x" "y"]', '["x", 1]', '[""]', '[]'])('%s is a list that is wrong', (line) => {
  expect(() => hooksOf({ after: { line } }, 'linux')).toThrow(
    expect.objectContaining({ details: { problem: 'hook-command' } }),
  );
});

test.each(['[ -d /mnt/nas ] && sync', '[[ -e a ]]', '[ "$HOLDFAST_OUTCOME" = failed ] && exit 1'])(
  '%s is a line for the shell',
  (line) => expect(hooksOf({ after: { line } }, 'linux')).toEqual({ after: { run: line } }),
);

test('a batch file of Windows is refused with an argument that it would not get as it is', () => {
  const before = { line: String.raw`["C:\\jobs\\before.cmd", "100 %"]` };
  const refused = expect.objectContaining({ details: { problem: 'hook-batch-file' } });
  expect(() => hooksOf({ before }, 'win32')).toThrow(refused);
  expect(() => hooksOf({ after: before }, 'win32')).toThrow(refused);
  expect(hooksOf({ before }, 'linux')).toEqual({ before: { run: [String.raw`C:\jobs\before.cmd`, '100 %'] } });
  expect(hooksOf({ before: { line: '["before.cmd", "a b"]' } }, 'win32').before).toBeDefined();
  expect(hooksOf({ before: { line: 'before.cmd "100 %"' } }, 'win32').before).toBeDefined();
});
