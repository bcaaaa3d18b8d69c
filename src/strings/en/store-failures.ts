import { diskProblemOf } from '../../base/failure.ts';
import type { FailureSentences } from '../failure-types.ts';

/** Formats what a store answered. */
const answered = (detail: string | undefined): string => (detail === undefined ? '' : ` (${detail})`);

/** Sentences for stores of files, and for disks and memory that fail. */
export const storeFailuresEn = {
  'permission_denied:authentication': (details) => ({
    what: `${details.address} does not accept the sign-in.`,
    todo: 'Check the user, and the password or the key.',
  }),
  'permission_denied:private-key': (details) => ({
    what: `The private key for ${details.address} cannot be read.`,
    todo: 'Check the file and its passphrase. You cannot sign in with a public key (.pub).',
  }),
  'permission_denied:sftp': (details) => ({
    what: `${details.address} accepts the sign-in, but offers no files.`,
    todo: 'Ask the server’s operator to allow SFTP for this user.',
  }),
  'permission_denied:bucket-write': (details) => ({
    what: `These keys can read ${details.bucket}, but not write to it.`,
    todo: 'Allow the keys to put objects there, or use other keys.',
  }),
  'permission_denied:bucket-read': (details) => ({
    what: `These keys can write to ${details.bucket}, but not read what they wrote.`,
    todo: 'Allow the keys to get objects there, or use other keys.',
  }),
  'permission_denied:bucket-delete': (details) => ({
    what: `These keys can write to ${details.bucket}, but not delete what they wrote.`,
    todo: 'Allow the keys to delete objects there, or use other keys. Otherwise, old restore points cannot be removed.',
  }),

  destination_unfit: (details) => ({
    what: `${details.directory} cannot hold backups${answered(details.detail)}.`,
    todo: 'Choose another destination.',
  }),
  'destination_unfit:write': (details) => ({
    what: `No files can be written to ${details.directory}${answered(details.detail)}.`,
    todo: 'Allow this user to write there and check that the folder above it exists, or choose another folder.',
  }),
  'destination_unfit:read': (details) => ({
    what: `A file that was written to ${details.directory} cannot be read${answered(details.detail)}.`,
    todo: 'Allow this user to read there, or choose another folder.',
  }),
  'destination_unfit:altered': (details) => ({
    what: `A file that was written to ${details.directory} was different when it was read back.`,
    todo: 'Contact the operator of this storage, or choose another destination.',
  }),
  'destination_unfit:refuse': (details) => ({
    what: `${details.directory} failed when a file that already exists was written again${answered(details.detail)}.`,
    todo: 'Contact the operator of this storage, or choose another destination.',
  }),
  'destination_unfit:list': (details) => ({
    what: `The files of ${details.directory} cannot be listed${answered(details.detail)}.`,
    todo: 'Allow this user to list folders there, or choose another folder.',
  }),
  'destination_unfit:unlisted': (details) => ({
    what: `${details.directory} does not list a file that was just written.`,
    todo: 'Contact the operator of this storage, or choose another destination.',
  }),
  'destination_unfit:delete': (details) => ({
    what: `Deleting a file of ${details.directory} failed${answered(details.detail)}.`,
    todo: 'Allow this user to delete there, or choose another folder.',
  }),

  'destination_unwritable:EIO': (details) => ({
    what: `The disk of ${details.directory} reports errors.`,
    todo: 'Check the disk and its cable. A check that reads all data finds the files that it has lost.',
  }),
  'destination_unwritable:ENOTDIR': (details) => ({
    what: `${details.directory} is damaged: there is a file where a folder should be.`,
    todo: 'Check its disk. If you have a copy of that folder, put it back.',
  }),
  'destination_missing:failing': (details) => ({
    what: `The disk of ${details.directory} reports errors: it was unplugged, or it is failing.`,
    todo: 'Connect it again and try again. If that does not help, check the disk and its cable.',
  }),
  'destination_missing:hidden': (details) => ({
    what: `The backups in ${details.directory} were deleted, but the bucket still has their files.`,
    todo: 'Run “holdfast repair”, or repair the destination in its settings, and change the keys of the bucket.',
  }),
  'destination_missing:undescribed': (details) => ({
    what: `The file holdfast.json in ${details.directory} is damaged, and so is its copy.`,
    todo: 'Run “holdfast repair”. It writes both again.',
  }),

  home_unwritable: ({ file = 'Holdfast’s own folder', problem }) => {
    const disk = diskProblemOf(problem);
    if (disk === undefined) {
      return { what: `${file} cannot be written to.`, todo: 'Check that you have write permission there.' };
    }
    if (disk === 'full') {
      return { what: `The disk of ${file} has no space left.`, todo: 'Free up some space there and try again.' };
    }
    return disk === 'failing'
      ? {
          what: `The disk of ${file} reports an error: it was unplugged, or it is failing.`,
          todo: 'Connect it again, check it and its cable, and try again.',
        }
      : {
          what: `The disk of ${file} reports an error: it is full, it was unplugged, or it is failing.`,
          todo: 'Free up some space there, check the disk and its cable, and try again.',
        };
  },

  system_failed: (details) => ({
    what: `${details.path ?? 'A file'} could not be used (${details.system}).`,
    todo: 'Try again. No backup was harmed.',
  }),
  'system_failed:full': (details) => ({
    what: `There is no space left${details.path === undefined ? ' on a disk of this computer' : ` for ${details.path}`} (${details.system}).`,
    todo: 'Free up some space and try again. No backup was harmed.',
  }),
  'system_failed:disk': (details) => ({
    what: `The disk of ${details.path ?? 'a file that is needed'} reports an error (${details.system}): it was unplugged, or it is failing.`,
    todo: 'Connect it again and try again. If that does not help, check the disk and its cable.',
  }),
  'system_failed:memory': (details) => ({
    what: `This computer has too little free memory (${details.system}).`,
    todo: 'Close other programs and try again. No backup was harmed.',
  }),
  'system_failed:files': (details) => ({
    what: `This computer has too many files open (${details.system}).`,
    todo: 'Close other programs and try again. No backup was harmed.',
  }),
} satisfies Partial<FailureSentences>;
