/** A file or folder that a call was given as a descriptor. */
export interface Descriptor {
  readonly number: number;
  readonly path: string;
}

/** A call that has returned without an error, as `strace -f -y -xx` prints it. */
export interface SystemCall {
  readonly name: string;
  /** Lines of the log at which it began and ended. */
  readonly begun: number;
  readonly ended: number;
  readonly arguments: string;
  readonly result: number;
  /** The file that `openat` opened. */
  readonly opened: Descriptor | undefined;
}

/** Calls that change files, or that make changes durable. A call that is not known makes the parser of operations fail. */
export const TRACED = [
  'open',
  'openat',
  'creat',
  'write',
  'pwrite64',
  'writev',
  'pwritev',
  'pwritev2',
  'truncate',
  'ftruncate',
  'fallocate',
  'copy_file_range',
  'sendfile',
  'rename',
  'renameat',
  'renameat2',
  'link',
  'linkat',
  'symlink',
  'symlinkat',
  'mknod',
  'mknodat',
  'unlink',
  'unlinkat',
  'rmdir',
  'mkdir',
  'mkdirat',
  'fsync',
  'fdatasync',
  'sync_file_range',
  'syncfs',
  'sync',
] as const;

/** Words of a command that records the calls of a program and of all its threads and children. */
export function straceCommand(log: string): string[] {
  const trace = `trace=${TRACED.join(',')}`;
  return ['strace', '-f', '-y', '-xx', '-s', String(1 << 28), '-e', 'signal=none', '-e', trace, '-o', log];
}

const LINE = /^(?<pid>\d+) +(?<rest>.*)$/;
const RESUMED = /^<\.\.\. (?<name>\w+) resumed>(?<rest>.*)$/;
const COMPLETE = /^(?<name>\w+)\((?<arguments>.*)\) += (?<result>-?\d+|\?)(?<extra>.*)$/;

/**
 * Parses a log of a program that has ended by itself.
 *
 * @returns the calls in the order in which they returned
 * @throws Error for a line of another form
 */
export function parseLog(text: string): readonly SystemCall[] {
  const calls: SystemCall[] = [];
  const begun = new Map<string, { readonly line: number; readonly text: string }>();
  for (const [number, line] of text.split('\n').entries()) {
    const { pid, rest } = LINE.exec(line)?.groups ?? {};
    if (pid === undefined || rest === undefined || /^(\+\+\+|---)/.test(rest)) continue;
    if (rest.endsWith('<unfinished ...>')) {
      begun.set(pid, { line: number, text: rest.slice(0, -'<unfinished ...>'.length) });
      continue;
    }
    const resumed = RESUMED.exec(rest)?.groups;
    const before = resumed && begun.get(pid);
    const call = callIn(before ? before.text + resumed['rest'] : rest, before?.line ?? number, number);
    if (call) calls.push(call);
  }
  return calls;
}

/** Returns `undefined` for a call that failed. A thread that its process ends has one with an unknown result. */
function callIn(text: string, begun: number, ended: number): SystemCall | undefined {
  const { name, arguments: words, result, extra } = COMPLETE.exec(text)?.groups ?? {};
  if (name === undefined || words === undefined) throw new Error(`strace: ${text.slice(0, 200)}`);
  const value = Number(result);
  if (Number.isNaN(value) || value < 0) return undefined;
  return { name, begun, ended, arguments: words, result: value, opened: descriptorsIn(`${result}${extra}`)[0] };
}

/** The descriptors among the arguments, in order. Those of files that have no name any more are left out. */
export function descriptorsIn(words: string): Descriptor[] {
  return [...words.matchAll(/(?<number>\d+|AT_FDCWD)<(?<path>[^>]*)>(?!\(deleted\))/g)].map(({ groups }) => ({
    number: groups!['number'] === 'AT_FDCWD' ? -100 : Number(groups!['number']),
    path: bytesOf(groups!['path']!).toString(),
  }));
}

/** The strings among the arguments, in order. */
export function stringsIn(words: string): Buffer[] {
  return [...words.matchAll(/"(?<text>(?:\\x[0-9a-f]{2})*)"(?<more>\.\.\.)?/g)].map(({ groups }) => {
    if (groups!['more']) throw new Error('strace has cut a string');
    return bytesOf(groups!['text']!);
  });
}

/** A number is an argument of its own, in decimal. */
export function numberAt(words: string, index: number): number {
  return Number(words.split(', ').at(index));
}

function bytesOf(escaped: string): Buffer {
  return escaped.startsWith('\\x') ? Buffer.from(escaped.replaceAll('\\x', ''), 'hex') : Buffer.from(escaped);
}
