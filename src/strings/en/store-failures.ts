import type { FailureSentences } from '../failure-types.ts';

/** Formats what a store answered. */
const answered = (detail: string | undefined): string => (detail === undefined ? '' : ` (${detail})`);

/** Sentences for stores of files, mostly when they are set up. */
export const storeFailuresEn = {
  'permission_denied:authentication': (details) => ({
    what: `${details.address} does not accept the sign-in.`,
    todo: 'Check the user, and the password or the key.',
  }),
  'permission_denied:private-key': (details) => ({
    what: `The private key for ${details.address} cannot be read.`,
    todo: 'Check its file and its passphrase. A public key (.pub) does not sign in.',
  }),
  'permission_denied:sftp': (details) => ({
    what: `${details.address} accepts the sign-in, but offers no files.`,
    todo: 'Ask the server’s operator to allow SFTP for this user.',
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
    what: `A file that was written to ${details.directory} came back changed.`,
    todo: 'Ask the operator of this store, or choose another one.',
  }),
  'destination_unfit:refuse': (details) => ({
    what: `${details.directory} failed when a file was written under a name that exists${answered(details.detail)}.`,
    todo: 'Ask the operator of this store, or choose another one.',
  }),
  'destination_unfit:list': (details) => ({
    what: `The files of ${details.directory} cannot be listed${answered(details.detail)}.`,
    todo: 'Allow this user to list folders there, or choose another folder.',
  }),
  'destination_unfit:unlisted': (details) => ({
    what: `${details.directory} does not list a file that was just written.`,
    todo: 'Ask the operator of this store, or choose another one.',
  }),
  'destination_unfit:delete': (details) => ({
    what: `Deleting a file of ${details.directory} failed${answered(details.detail)}.`,
    todo: 'Allow this user to delete there, or choose another folder.',
  }),
} satisfies Partial<FailureSentences>;
