import { describe, expect, test } from 'vitest';
import { HoldfastError } from '../../../../src/base/errors/errors.ts';
import { failureOf } from '../../../../src/base/errors/failure.ts';
import { failureText } from '../../../../src/cli/failure-sentences.ts';

function systemError(code: string, path?: string): Error {
  return Object.assign(new Error(code), { code, ...(path !== undefined && { path }) });
}

describe('a failure of the system is no bug', () => {
  test.each([
    ['EIO', 'disk', /reports an error \(EIO\)/],
    ['ENODEV', 'disk', /unplugged/],
    ['ESTALE', 'disk', /unplugged/],
    ['ENOSPC', 'full', /no space left for \/mnt\/a/],
    ['EDQUOT', 'full', /no space left for \/mnt\/a/],
    ['ENOMEM', 'memory', /too little free memory/],
    ['SQLITE_NOMEM', 'memory', /too little free memory/],
    ['EMFILE', 'files', /too many files open/],
  ])('%s', (system, problem, sentence) => {
    const failure = failureOf(systemError(system, '/mnt/a'));
    expect(failure).toEqual({ code: 'system_failed', details: { problem, path: '/mnt/a', system } });
    expect(failureText(failure!).what).toMatch(sentence);
  });

  test.each([
    ['EMFILE', 'files', /too many files open/],
    ['ENFILE', 'files', /too many files open/],
    ['ENOMEM', 'memory', /too little free memory/],
  ])('%s is none of the destination, the target or the home that it met', (system, problem, sentence) => {
    for (const error of [
      new HoldfastError('destination_unwritable', { directory: '/mnt/a', problem: system }),
      new HoldfastError('home_unwritable', { file: '/mnt/a', problem: system }),
      new HoldfastError('target_unwritable', { target: '/mnt/a', reason: system }),
      new HoldfastError('source_unreadable', { path: '/mnt/a', problem: system }),
    ]) {
      const failure = failureOf(error);
      expect(failure).toEqual({ code: 'system_failed', details: { problem, path: '/mnt/a', system } });
      expect(failureText(failure!).what).toMatch(sentence);
    }
  });

  test('a thread that cannot be started', () => {
    const error = Object.assign(new Error('Worker initialization failure: EMFILE'), { code: 'ERR_WORKER_INIT_FAILED' });
    expect(failureOf(error)).toEqual({ code: 'system_failed', details: { problem: 'files', system: 'EMFILE' } });
  });

  test.each([
    ['Unknown system error -122', 'EDQUOT', 'full'],
    ['Unknown system error -69', 'EDQUOT', 'full'],
    ['Unknown system error -116', 'ESTALE', 'disk'],
    ['Unknown system error -123', 'ENOMEDIUM', 'disk'],
  ])('%s, for which Node has no name (%s)', (unnamed, system, problem) => {
    const details = { problem, path: '/mnt/a', system };
    expect(failureOf(systemError(unnamed, '/mnt/a'))).toEqual({ code: 'system_failed', details });
    // As a call that blocks says it.
    const number = Number(unnamed.slice(unnamed.indexOf('-')));
    const blocking = Object.assign(systemError('UNKNOWN', '/mnt/a'), { errno: number });
    expect(failureOf(blocking)).toEqual({ code: 'system_failed', details });
  });

  test.each([
    ['SQLITE_CORRUPT', 'home_damaged', /is damaged \(SQLITE_CORRUPT\)/],
    ['SQLITE_CORRUPT_INDEX', 'home_damaged', /is damaged/],
    ['SQLITE_NOTADB', 'home_damaged', /is damaged/],
    ['SQLITE_CANTOPEN', 'home_unwritable', /cannot be written to/],
    ['SQLITE_FULL', 'home_unwritable', /has no space left \(SQLITE_FULL\)/],
    ['SQLITE_IOERR_SHMSIZE', 'home_unwritable', /reports an error: it is full, it was unplugged, or it is failing/],
  ])('%s', (system, code, sentence) => {
    const failure = failureOf(systemError(system));
    expect(failure).toEqual({ code, details: { problem: system } });
    expect(failureText(failure!).what).toMatch(sentence);
  });

  test.each([
    ['EACCES', /cannot be written to \(EACCES\)/],
    ['EROFS', /cannot be written to \(EROFS\)/],
    ['ENOSPC', /has no space left \(ENOSPC\)/],
    ['EIO', /reports an error: it was unplugged, or it is failing \(EIO\)/],
  ])('%s of a file of the home', (problem, sentence) => {
    expect(failureText({ code: 'home_unwritable', details: { file: '/h/settings.json', problem } }).what).toMatch(
      sentence,
    );
  });

  test.each(['ENOENT', 'ERR_INVALID_ARG_TYPE', 'SQLITE_ERROR', 'constructor'])('other than %s', (code) => {
    expect(failureOf(systemError(code))).toBeUndefined();
  });
});
