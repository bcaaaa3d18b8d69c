import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const PAGE_BYTES = Number(execFileSync('getconf', ['PAGESIZE'], { encoding: 'utf8' }));
const TICKS_A_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/**
 * Returns the resident bytes of a process and its descendants; shared pages count for each of them. A process
 * that has just exited counts as zero.
 */
export function residentBytes(pid: number): number {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
    return pages * PAGE_BYTES + residentBytesOfChildren(pid);
  } catch {
    return 0;
  }
}

/** The same without the process itself. */
export function residentBytesOfChildren(pid: number): number {
  return childrenOf(pid).reduce((sum, child) => sum + residentBytes(child), 0);
}

/** User and system time that a living process has used so far, with all its threads, and children that have ended. */
export function cpuSecondsOf(pid: number): number {
  // The second field is the program's name in parentheses, which may contain anything; the third comes after the last one.
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_A_SECOND;
}

/** The kernel lists a child under the thread that started it. */
function childrenOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}
