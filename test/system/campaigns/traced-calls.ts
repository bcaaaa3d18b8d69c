/** System calls that change a file system. Those by which threads wake each other are not among them. */
export const CHANGING_CALLS = [
  'pwrite64',
  'pwritev',
  'fsync',
  'fdatasync',
  'syncfs',
  'ftruncate',
  'fallocate',
  'mkdir',
  'rename',
  'renameat2',
  'link',
  'symlink',
  'unlink',
  'utimensat',
  'futimens',
  'fchmod',
  'copy_file_range',
] as const;

/** What strace does to one call, and, if it lasts, to each later one of the same thread. */
export interface Injection {
  readonly call: string;
  /** Counted from 1 in each thread. */
  readonly at: number;
  readonly isLasting: boolean;
  /** As strace writes it: `error=ENOSPC`, `signal=KILL`. */
  readonly effect: string;
}

/** Returns the words of a strace that records the calls of a program in `log`, or does something to some of them. */
export function straceOf(log: string, injection: Injection | undefined): string[] {
  // With a filter in the kernel strace is faster, and sends no signals.
  const isSignal = injection?.effect.startsWith('signal=');
  const words = ['strace', '-f', ...(isSignal ? [] : ['--seccomp-bpf']), '-s', '0', '-e', 'signal=none', '-o', log];
  if (!injection) return [...words, '-e', `trace=${CHANGING_CALLS.map((call) => `?${call}`).join(',')}`];
  const { call, at, effect, isLasting } = injection;
  return [...words, '-e', `trace=${call}`, '-e', `inject=${call}:${effect}:when=${at}${isLasting ? '+' : ''}`];
}

/** Returns how often one thread made each call at most, by what strace recorded. */
export function countCalls(recorded: string): ReadonlyMap<string, number> {
  const threads = new Map<string, number>();
  for (const [, thread, call] of recorded.matchAll(/^(?<thread>\d+) +(?<call>\w+)\(/gm)) {
    const key = `${thread} ${call}`;
    threads.set(key, (threads.get(key) ?? 0) + 1);
  }
  const counts = new Map<string, number>();
  for (const [key, count] of threads) {
    const call = key.split(' ')[1]!;
    counts.set(call, Math.max(count, counts.get(call) ?? 0));
  }
  return counts;
}
