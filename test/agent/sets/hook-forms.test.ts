import { expect, test } from 'vitest';
import { hooksOf } from '../../../src/agent/sets/hook-forms.ts';

test('a batch file of Windows is refused with an argument that it would not get as it is', () => {
  const before = { line: String.raw`["C:\\jobs\\before.cmd", "100 %"]` };
  const refused = expect.objectContaining({ details: { problem: 'hook-batch-file' } });
  expect(() => hooksOf({ before }, 'win32')).toThrow(refused);
  expect(() => hooksOf({ after: before }, 'win32')).toThrow(refused);
  expect(hooksOf({ before }, 'linux')).toEqual({ before: { run: [String.raw`C:\jobs\before.cmd`, '100 %'] } });
  expect(hooksOf({ before: { line: '["before.cmd", "a b"]' } }, 'win32').before).toBeDefined();
  expect(hooksOf({ before: { line: 'before.cmd "100 %"' } }, 'win32').before).toBeDefined();
});
