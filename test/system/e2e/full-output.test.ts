import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { programFile } from '../../helpers/program.ts';
import { programEnvironment } from '../../helpers/warm-program/run-program.ts';
import { Workplace } from './workplace.ts';

describe.skipIf(!existsSync('/dev/full'))('a standard output that takes nothing', () => {
  const workplace = new Workplace();
  beforeAll(() => workplace.setUp());
  afterAll(() => workplace[Symbol.dispose]());

  test.each([
    ['an object', ['status', '--json']],
    ['a list', ['destination', 'list', '--json']],
    ['a mistake', ['nonsense', '--json']],
    ['lines', ['status']],
  ])('is a failure for %s', (_what, words) => {
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', 'exec "$@" >/dev/full', 'sh', process.execPath, programFile('cli'), ...words],
      { env: programEnvironment(workplace.home, workplace.folder), encoding: 'utf8' },
    );
    expect(stderr).toContain('The standard output could not be written: ENOSPC');
    expect(status).toBe(1);
  });
});
