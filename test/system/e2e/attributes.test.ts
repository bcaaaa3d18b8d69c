import { chmodSync, mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { compareTrees } from '../../helpers/tree/compare.ts';
import { canTrace } from '../repository/power-loss/place.ts';
import { Workplace, type RestoreAnswer } from './workplace.ts';

let place: Workplace;
let source: string;
let target: string;

beforeEach(async () => {
  place = new Workplace();
  source = place.path('letters');
  target = place.path('restored');
  mkdirSync(source);
  for (const name of ['1', '2', '3', '4', '5', '6']) {
    writeFileSync(join(source, name), `letter ${name}`);
    chmodSync(join(source, name), 0o640);
    utimesSync(join(source, name), 1_700_000_000, 1_700_000_000);
  }
  await place.setUp();
  await place.addSet('letters', source);
  await place.json(['backup', 'letters']);
});
afterEach(() => place[Symbol.dispose]());

type Answer = RestoreAnswer & { readonly attributes_not_restored: number; readonly files_resumed: number };

/** Restores with calls that fail, or kill the program. @param inject what strace makes of a call */
async function restoreUnder(inject: string): Promise<{ readonly status: number | null; readonly stdout: string }> {
  const under = [
    'strace',
    '-f',
    '-qq',
    '-o',
    '/dev/null',
    '-e',
    `trace=${inject.split(':')[0]}`,
    '-e',
    `inject=${inject}`,
  ];
  return await place.start(['restore', 'letters', '--to', target, '--json'], place.home, under).ended;
}

describe.skipIf(!canTrace())('attributes that a disk has no room for', () => {
  test('are all named in the JSON, and set by the same command once there is room', async () => {
    const ended = await restoreUnder('fchmod:error=ENOSPC');
    expect(ended.status).toBe(3);
    const { warnings, attributes_not_restored: count } = JSON.parse(ended.stdout) as Answer;
    expect(warnings).toEqual(
      ['1', '2', '3', '4', '5', '6'].map((name) => ({
        path: join(source, name),
        reason: 'mode-not-restored',
        detail: 'ENOSPC',
      })),
    );
    expect(count).toBe(6);
    expect(statSync(join(target, 'letters', '3')).mode & 0o777).toBe(0o600);
    const again = await place.json<Answer>(['restore', 'letters', '--to', target]);
    expect(again).toMatchObject({ warnings: [], attributes_not_restored: 0, files_resumed: 6 });
    expect(await compareTrees(source, join(target, 'letters'))).toEqual([]);
  });

  test('are named to people, too', async () => {
    const words = ['restore', 'letters', '--to', target];
    const under = ['strace', '-f', '-qq', '-o', '/dev/null', '-e', 'trace=fchmod', '-e', 'inject=fchmod:error=EDQUOT'];
    const { status, stdout, stderr } = await place.start(words, place.home, under).ended;
    expect(status).toBe(3);
    expect(stdout).toMatch(/^ {2}Attributes not set +6$/m);
    for (const name of ['1', '6']) {
      expect(stderr).toContain(
        `warning: ${join(source, name)}: was restored, but its permissions could not be set (EDQUOT)`,
      );
    }
  });

  test('are right when the program was killed before it set them', async () => {
    expect((await restoreUnder('fchmod:signal=KILL:when=3')).status).not.toBe(0);
    expect(await place.json<Answer>(['restore', 'letters', '--to', target])).toMatchObject({ warnings: [] });
    expect(await compareTrees(source, join(target, 'letters'))).toEqual([]);
  });
});

test('attributes that differ in the original place are named, and set if everything is overwritten', async () => {
  chmodSync(join(source, '2'), 0o600);
  for (const words of [['--dry-run'], []]) {
    const ended = await place.run('restore', 'letters', '--in-place', ...words);
    expect(ended.status).toBe(0);
    expect(ended.stderr).not.toContain('warning');
    expect(ended.stdout).toContain(`but permissions, owner or time differ and stay as they are`);
    expect(ended.stdout).toContain(`\n  ${join(source, '2')}`);
  }
  const left = await place.json<object>(['restore', 'letters', '--in-place', '--conflict', 'skip']);
  expect(left).toMatchObject({ attributes_left: [join(source, '2')], attributes_left_total: 1, files_unchanged: 6 });
  await place.json(['restore', 'letters', '--in-place', '--conflict', 'overwrite']);
  expect(statSync(join(source, '2')).mode & 0o777).toBe(0o640);
});
