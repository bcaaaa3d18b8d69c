import type { Describe } from '../failure-sentence.ts';

/** What cannot be done as it was asked for: `usage`, by its problems. */
export const usageFailuresEn = {
  usage: (facts) => ({
    what: facts.text(
      'message',
      facts.has('address')
        ? `“${facts.text('address')}” is not the address of a service.`
        : 'This does not work like that.',
    ),
    todo: facts.has('address') ? 'Enter it like https://backup.example.org.' : 'Check what you entered and try again.',
  }),
  'usage:schedule': (facts) => ({
    what: `“${facts.text('schedule')}” is not a schedule.`,
    todo: 'Choose one from the list, or check the cron rule.',
  }),
  'usage:preset': (facts) => ({
    what: `There is no ready-made rule “${facts.text('preset')}”.`,
    todo: 'Choose one from the list.',
  }),
  'usage:set-name': (facts) => ({
    what: `“${facts.text('name')}” cannot be the name of a backup set.`,
    todo: 'Use 1 to 100 characters, without a space at its beginning or end.',
  }),
  'usage:set-without-paths': () => ({
    what: 'A backup set needs at least one folder.',
    todo: 'Choose what you want to back up.',
  }),
  'usage:nested-paths': (facts) => ({
    what: `${facts.text('inner', 'One folder')} lies inside ${facts.text('outer', 'another one')}, which is in the set too.`,
    todo: 'Take one of the two out; a folder is always backed up with everything in it.',
  }),
  'usage:inside-own-folder': (facts) => ({
    what: `${facts.text('path', 'This folder')} lies inside ${facts.text('folder', 'a folder')}, where Holdfast keeps its own data.`,
    todo: 'Choose another folder.',
  }),
  'usage:path-escape': (facts) => ({
    what: `${facts.text('path', 'This')} is not a path in this restore point.`,
    todo: 'Choose it in the list.',
  }),
  'usage:destination-foreign': (facts) => ({
    what: `There are other files in ${facts.text('directory', 'this folder')}, and no backups of Holdfast.`,
    todo: 'Choose an empty folder, or a new one.',
  }),
  'usage:destination-newer': (facts) => ({
    what: `A newer version of Holdfast has written to ${facts.text('directory', 'this folder')}.`,
    todo: 'Install the newest version on this computer.',
  }),
  'usage:device-unknown': () => ({
    what: 'This computer is not among those of your account.',
    todo: 'Look at the list again, or sign in with another account.',
  }),
  'usage:devices-without-service': () => ({
    what: 'Your backups go to a folder or a bucket, which cannot lock computers out.',
    todo: 'To keep a computer away, take the folder or the keys of the bucket from it.',
  }),
  'usage:run-unknown': () => ({
    what: 'This entry is not kept any more.',
    todo: 'Go back to the list.',
  }),
  'usage:factor-missing': (facts) => ({
    what: 'Your account has no second factor yet.',
    todo: `Open ${facts.text('address', 'the service')} in your browser, set one up and come back.`,
  }),
  'usage:device-id-needed': () => ({
    what: 'This service does not take new computers by itself.',
    todo: 'Choose one that it knows, or ask whoever runs it.',
  }),
  'usage:bucket-address': (facts) => ({
    what: `“${facts.text('bucket')}” is not the address of a bucket.`,
    todo: 'Enter it like s3://my-bucket or s3://my-bucket/folder.',
  }),
  'usage:bucket-endpoint': (facts) => ({
    what: `“${facts.text('endpoint')}” is not an endpoint.`,
    todo: 'Enter it like https://s3.example.org, without anything after it.',
  }),
  'usage:bucket-keys': () => ({
    what: 'A bucket needs an access key.',
    todo: 'Enter the access key and the secret key.',
  }),
  'usage:bucket-unconditional': (facts) => ({
    what: `Where ${facts.text('bucket', 'this bucket')} is kept, backups of two computers could overwrite each other.`,
    todo: 'Choose other storage, or have this one updated.',
  }),
  'usage:limit-without-service': () => ({
    what: 'Network limits are for services only; your backups go to a folder or a bucket.',
    todo: 'Leave them empty.',
  }),
  'usage:passphrase-empty': () => ({
    what: 'The passphrase is empty.',
    todo: 'Enter one.',
  }),
} satisfies Readonly<Record<string, Describe>>;
