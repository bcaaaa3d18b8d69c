import { spawn, type ChildProcess } from 'node:child_process';
import { startGuard } from '../../base/guard-process.ts';

/** The mounted file system to unmount. */
export interface MountName {
  /** FUSE's program. */
  readonly program: string;
  /** The name that it got as its source, which no other mount has. */
  readonly source: string;
}

/** `busy` if a program uses it or something else is mounted over it; `gone` if it is not mounted any more, or cannot be unmounted. */
export type UnmountEnd = 'unmounted' | 'busy' | 'gone';

/** Exit codes of the script: nothing of that name is mounted, or something else is mounted over it. */
const GONE = 100;
const COVERED = 101;

/**
 * A function of a shell, `look`, which finds in a list of mounts the place of the file system with the source `$source`, and whether something
 * else is mounted over it or a folder above it. A path would not do: a folder above the mount may have been moved, and somebody else may have
 * mounted something in the same place. `mountList` reads the same list (proc(5), mountinfo). It is no use here: the guard runs after this
 * process has ended, and Node cannot pass a path to a program that is not UTF-8.
 */
export const lookIn = (list: string): string => `
look() {
  place=; over=
  while read -r _ _ _ _ path rest; do
    case " $rest " in *" - fuse.holdfast $source "*) place=$path; over=; continue; esac
    case "$place/" in "$path/"*) over=1; esac
  done <${list}
}
`;

const LOOK = `source=$1; shift
${lookIn('/proc/self/mountinfo')}`;

/** Unmounts it by the program `$0`, which gets the other words as well. The list has some bytes in octal, as a format of printf may. */
const UNMOUNT_PLACE = `
place=$(printf "$(printf %s. "$place" | sed 's/%/%%/g')")
exec "$0" "$@" -- "\${place%.}"
`;

const UNMOUNT = `
${LOOK}
look
[ "$place" ] || exit ${GONE}
[ "$over" ] && exit ${COVERED}
${UNMOUNT_PLACE}
`;

/** How long the program that mounts may take after the end of the process that started it. */
const MOUNTING_SECONDS = 10;

/** Waits for a mount that is under way, and as long as something else is mounted over it. */
const UNMOUNT_LATER = `
${LOOK}
seconds=0
while :; do
  look
  if [ "$over" ]; then seconds=${MOUNTING_SECONDS}
  elif [ "$place" ]; then break
  elif [ "$seconds" -ge ${MOUNTING_SECONDS} ]; then exit ${GONE}
  else seconds=$((seconds + 1)); fi
  sleep 1 || exit
done
${UNMOUNT_PLACE}
`;

const MOST_MESSAGE = 4096;

/**
 * Unmounts a file system.
 *
 * @param isLazy true if it is taken out of the folder tree at once, also while programs use it
 */
export function unmount({ program, source }: MountName, isLazy: boolean): Promise<UnmountEnd> {
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', UNMOUNT, program, source, '-u', ...(isLazy ? ['-z'] : [])], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, LC_ALL: 'C' },
    });
    let message = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (message = (message + text).slice(0, MOST_MESSAGE)));
    child.once('error', () => resolve('gone'));
    child.once('close', (code) => {
      // Before the words comes the path, which may have any words.
      const isBusy = code === COVERED || /: Device or resource busy\s*$/.test(message);
      resolve(code === 0 ? 'unmounted' : isBusy ? 'busy' : 'gone');
    });
  });
}

/**
 * Starts a program that unmounts a file system when this process ends, also by `kill -9`, and also if it is mounted a little later. The option
 * `auto_unmount` does not do so for ordinary users: `fusermount3` runs as root then, which may not look at a mount of theirs.
 */
export function guardMount({ program, source }: MountName): ChildProcess {
  return startGuard(UNMOUNT_LATER, [program, source, '-u', '-z']);
}
