import { diskProblemOf } from '../../base/failure.ts';
import type { FailureSentences } from '../failure-types.ts';

type RestoreKeys = 'undo_nothing' | `mount_failed${string}` | `target_${string}`;

export const restoreFailuresEn: Pick<FailureSentences, Extract<keyof FailureSentences, RestoreKeys>> = {
  target_full: (details, formats) => ({
    what:
      details.needed !== undefined && details.free !== undefined
        ? `${details.target} has ${formats.bytes(details.free)} free, but ${formats.bytes(details.needed)} are needed.`
        : `There is not enough space at ${details.target}.`,
    todo: 'Free up some space or choose another disk. The same restore resumes where it left off.',
  }),
  target_unwritable: (details) =>
    diskProblemOf(details.reason) === 'failing'
      ? {
          what: `The disk of ${details.target} reports errors: it was unplugged, or it is failing.`,
          todo: 'Connect it again, check it and its cable, and restore again, or choose another folder.',
        }
      : {
          what: `${details.target} cannot be written to.`,
          todo: 'Choose another folder, or check that you have write permission there.',
        },
  'target_unwritable:gone': (details) => ({
    what: `${details.target} no longer exists.`,
    todo: 'Restore again, to this folder or another one.',
  }),
  target_inside_source: (details) => ({
    what: `${details.target} is inside a folder that is backed up.`,
    todo: 'Choose a folder outside of it.',
  }),
  target_conflict: () => ({
    what: 'Some of these files already exist, so nothing was written.',
    todo: 'Choose what should happen to them, or an empty folder.',
  }),
  undo_nothing: () => ({
    what: 'No restore of the last seven days can be undone.',
    todo: 'What a restore to the original place replaced is in the folder “Before restore” beside it.',
  }),
  mount_failed: (details) => ({
    what: `Backups cannot be mounted at ${details.mountpoint}${details.detail ? `: ${details.detail}` : ''}.`,
    todo: 'Choose an empty folder of your own.',
  }),
  'mount_failed:system': () => ({
    what: 'Backups can be mounted on Linux only.',
    todo: 'Restore what you need to an empty folder instead.',
  }),
  'mount_failed:device': () => ({
    what: 'This computer has no FUSE: /dev/fuse is missing.',
    todo: 'Load it with “sudo modprobe fuse”. In a container, the host has to allow it.',
  }),
  'mount_failed:program': () => ({
    what: 'The program fusermount3 is missing.',
    todo: 'Install the package “fuse3”.',
  }),
  'mount_failed:stale': (details) => ({
    what: `What was mounted at ${details.mountpoint} has ended, and its mount is still there.`,
    todo: `Remove it with “fusermount3 -u ${details.mountpoint}”.`,
  }),
  'mount_failed:missing': (details) => ({
    what: `${details.mountpoint} is not a folder.`,
    todo: 'Make the folder first, or choose another one.',
  }),
  'mount_failed:not-empty': (details) => ({
    what: `${details.mountpoint} is not empty.`,
    todo: 'Choose an empty folder: what is in it could not be seen while backups are mounted there.',
  }),
};
