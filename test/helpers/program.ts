import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isBundleCurrent } from '../../scripts/build/is-bundle-current.ts';

const root = dirname(dirname(import.meta.dirname));

const ENTRIES = {
  cli: ['main.cjs', 'src/cli/main.ts'],
  'agent-host': ['agent-host.cjs', 'src/agent/host/main.ts'],
} as const;

const bundle = isBundleCurrent() ? readFileSync(join(root, 'dist/current'), 'utf8').trim() : undefined;

/**
 * Returns the program that people run: the bundle, which starts in a third of the time, or the sources if they are newer.
 *
 * @returns a module to start Node with
 */
export function programFile(name: keyof typeof ENTRIES): string {
  const [bundled, source] = ENTRIES[name];
  return bundle === undefined ? join(root, source) : join(root, 'dist', bundle, bundled);
}
