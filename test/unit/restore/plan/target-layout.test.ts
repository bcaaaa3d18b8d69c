import { describe, expect, test } from 'vitest';
import { TargetLayout } from '../../../../src/restore/plan/target-layout.ts';

const BASES = [{ path: '/home/ann', name: 'ann' }];

describe('the location of an entry', () => {
  test('is below its base, with the folders in between that the backup does not list', () => {
    const location = new TargetLayout(BASES, 'existing').locate('/home/ann/a/b/file');
    expect(location).toEqual({ folder: ['ann', 'a', 'b'], name: 'file', status: 'existing', isSafe: true });
  });

  test.each([
    '/home/ann/../file',
    '/home/ann/a/../../../file',
    '/home/ann/./file',
    '/home/ann//file',
    '/home/ann/a/..',
    '/home/ann/.',
  ])('is not safe when it is %s', (path) => {
    expect(new TargetLayout(BASES, 'existing').locate(path)?.isSafe).toBe(false);
  });

  test('is not safe below a folder whose own is not', () => {
    const layout = new TargetLayout(BASES, 'existing');
    const folder = layout.locate('/home/ann/a/../b')!;
    layout.enter('/home/ann/a/../b', folder, folder.name, 'existing');
    expect(layout.locate('/home/ann/a/../b/file')?.isSafe).toBe(false);
  });

  test('is none outside of every base', () => {
    expect(new TargetLayout(BASES, 'existing').locate('/home/annette')).toBeUndefined();
  });
});
