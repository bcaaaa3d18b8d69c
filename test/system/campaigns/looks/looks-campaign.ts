import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';

const ROOT = dirname(dirname(dirname(dirname(import.meta.dirname))));
/** The tests that try several languages, sizes and schemes. */
const OF_LOOKS = ['test/app/renderer', 'test/app/screens'];

/**
 * Runs the tests of the window in every language, size and scheme, rather than in those that decide (`test/app/renderer/appearance.ts`).
 *
 * @param only a folder or file of these tests
 * @returns the exit status
 */
export function runLooksCampaign(only?: string): number {
  const { status } = spawnSync('npx', ['vitest', 'run', ...(only === undefined ? OF_LOOKS : [only])], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, HOLDFAST_TESTS: 'all' },
  });
  return status ?? 1;
}
