import { spawnSync } from 'node:child_process';

/** Debian's own Python, which sees Debian's packages; another `python3` on the PATH may not. */
export const PYTHON = '/usr/bin/python3';

/** Returns whether Debian's Python can import all of `modules`. */
export function pythonHas(...modules: readonly string[]): boolean {
  return spawnSync(PYTHON, ['-c', ['import sys', ...modules.map((name) => `import ${name}`)].join('\n')]).status === 0;
}
