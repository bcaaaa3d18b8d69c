import { describe, expect, test } from 'vitest';
import { HoldfastError } from '../../../src/base/errors/errors.ts';
import { asFolderError } from '../../../src/storage/folder/folder-error.ts';

const FOLDER = '/media/disk/backups';

function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

describe('the failure of a system call on a folder', () => {
  test.each([
    ['ENOSPC', 'destination_full'],
    ['EDQUOT', 'destination_full'],
    ['EIO', 'destination_unwritable'],
    ['ESTALE', 'destination_unwritable'],
    ['EACCES', 'destination_unwritable'],
    ['EROFS', 'destination_unwritable'],
    ['ENOENT', 'destination_unwritable'],
  ])('%s becomes %s while the folder is there', (problem, code) => {
    const cause = systemError(problem);
    expect(asFolderError(cause, FOLDER, true)).toMatchObject({ code, details: { directory: FOLDER, problem }, cause });
  });

  test.each(['EIO', 'ENOSPC', 'ENOENT', 'EROFS', 'ENXIO'])(
    '%s becomes destination_missing when the folder is gone',
    (problem) => {
      const cause = systemError(problem);
      const expected = { code: 'destination_missing', details: { directory: FOLDER }, cause };
      expect(asFolderError(cause, FOLDER, false)).toMatchObject(expected);
    },
  );

  test.each([
    ['EIO', { directory: FOLDER, problem: 'failing' }],
    ['ENXIO', { directory: FOLDER, problem: 'failing' }],
    ['ENOENT', { directory: FOLDER }],
  ])('%s has the details %j when the folder is gone', (code, details) => {
    expect(asFolderError(systemError(code), FOLDER, false)).toHaveProperty('details', details);
  });

  test.each(['EIO', 'EINVAL', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EREMOTEIO'])(
    '%s names the kind of file system if that is no disk',
    (problem) => {
      const details = (kind?: string) =>
        Reflect.get(
          asFolderError(systemError(problem), FOLDER, true, () => kind)!,
          'details',
        );
      expect(details('rclone')).toEqual({ directory: FOLDER, problem, fileSystem: 'rclone' });
      expect(details()).toEqual({ directory: FOLDER, problem });
    },
  );

  test.each(['EACCES', 'EROFS'])('%s has nothing to do with the kind of file system', (problem) => {
    const error = asFolderError(systemError(problem), FOLDER, true, () => 'rclone');
    expect(error).toHaveProperty('details', { directory: FOLDER, problem });
  });

  test.each([
    ['an error of this program', new HoldfastError('destination_full', { directory: '/elsewhere' })],
    ['a wrong argument', systemError('ERR_INVALID_ARG_TYPE')],
    ['an abort', systemError('ABORT_ERR')],
    ['an error without a code', new TypeError('a bug')],
  ])('stays as it is if it is %s', (_, error) => {
    expect(asFolderError(error, FOLDER, true)).toBe(error);
    expect(asFolderError(error, FOLDER, false)).toBe(error);
  });
});
