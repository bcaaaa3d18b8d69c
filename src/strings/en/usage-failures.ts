import type { FailureSentences } from '../failure-types.ts';

/** Sentences for invalid requests: `usage`, by its problems. */
type UsageSentences = Pick<FailureSentences, Extract<keyof FailureSentences, `usage${string}`>>;

export const usageFailuresEn: UsageSentences = {
  usage: (details) => ({ what: details.message, todo: 'Check what you entered and try again.' }),
  'usage:service-address': (details) => ({
    what: `“${details.address}” is not the address of a service.`,
    todo: 'Enter it like https://backup.example.org.',
  }),
  'usage:target-relative': (details) => ({
    what: `“${details.target}” is not an absolute path.`,
    todo: 'Choose the folder in the list.',
  }),
  'usage:file-unreadable': (details) => ({
    what: `The file ${details.file} cannot be read${details.reason === undefined ? '' : ` (${details.reason})`}.`,
    todo: 'Check its name and permissions.',
  }),
  'usage:file-empty': (details) => ({
    what: `The file ${details.file} is empty.`,
    todo: 'Put the secret on its first line.',
  }),
  'usage:schedule': (details) => ({
    what: `“${details.schedule}” is not a schedule.`,
    todo: 'Choose one from the list, or check the cron rule.',
  }),
  'usage:preset': (details) => ({
    what: `There is no ready-made rule “${details.preset}”.`,
    todo: 'Choose one from the list.',
  }),
  'usage:set-name': (details) => ({
    what: `“${details.name}” cannot be the name of a backup set.`,
    todo: 'Use 1 to 100 characters, without a space at its beginning or end.',
  }),
  'usage:set-without-paths': () => ({
    what: 'A backup set needs at least one folder.',
    todo: 'Choose what you want to back up.',
  }),
  'usage:hook-command': () => ({
    what: 'This is not a command.',
    todo: 'Enter a line for the shell, or a list in JSON of a program and its arguments.',
  }),
  'usage:ping-address': (details) => ({
    what: `“${details.address}” cannot be told about backups.`,
    todo: 'Enter an address that begins with https://, without a user name.',
  }),
  'usage:nested-paths': (details) => ({
    what: `${details.inner} is inside ${details.outer}, which is in the set too.`,
    todo: 'Remove one of the two; a folder is always backed up with everything in it.',
  }),
  'usage:inside-own-folder': (details) => ({
    what: `${details.path} is inside ${details.folder}, where Holdfast keeps its own data.`,
    todo: 'Choose another folder.',
  }),
  'usage:exact-without-rules': (details) => ({
    what: `“${details.set}” is not a backup set of this computer, so it is not known what it leaves out.`,
    todo: 'Restore it without moving away what did not exist then.',
  }),
  'usage:exact-unread': (details) => ({
    what: `The backup of ${details.restorePoint} could not read many files, so it is not known what existed then.`,
    todo: 'Choose another restore point, or restore this one without moving away what did not exist then.',
  }),
  'usage:path-escape': (details) => ({
    what: `${details.path} is not a path in this restore point.`,
    todo: 'Choose it in the list.',
  }),
  'usage:destination-foreign': (details) => ({
    what: `There are other files in ${details.directory}, and no backups of Holdfast.`,
    todo: 'Choose an empty folder, or a new one.',
  }),
  'usage:destination-newer': (details) => ({
    what: `A newer version of Holdfast has written to ${details.directory}.`,
    todo: 'Install the newest version on this computer.',
  }),
  'usage:device-unknown': () => ({
    what: 'This computer is not among those of your account.',
    todo: 'Look at the list again, or sign in with another account.',
  }),
  'usage:devices-without-service': () => ({
    what: 'Your backups go to storage of your own, which cannot lock computers out.',
    todo: 'To lock a computer out, take away its access to that storage.',
  }),
  'usage:rotation-own-device': () => ({
    what: 'This computer cannot remove itself.',
    todo: 'Change the key on another computer that keeps its backups there.',
  }),
  'usage:code-of-service': () => ({
    what: 'A service has no way to give a new computer the key by a code.',
    todo: 'Set the new computer up with your recovery phrase or passphrase.',
  }),
  'usage:run-unknown': () => ({
    what: 'This entry is no longer kept.',
    todo: 'Go back to the list.',
  }),
  'usage:factor-missing': (details) => ({
    what: 'Your account has no second factor yet.',
    todo: `Open ${details.address} in your browser, set one up and come back.`,
  }),
  'usage:device-id-needed': () => ({
    what: 'This service does not add new computers automatically.',
    todo: 'Choose an existing one, or ask the operator.',
  }),
  'usage:bucket-address': (details) => ({
    what: `“${details.bucket}” is not the address of a bucket.`,
    todo: 'Enter it like s3://my-bucket or s3://my-bucket/folder.',
  }),
  'usage:bucket-endpoint': (details) => ({
    what: `“${details.endpoint}” is not an endpoint.`,
    todo: 'Enter it like https://s3.example.org, without anything after it.',
  }),
  'usage:bucket-keys': () => ({
    what: 'A bucket needs an access key.',
    todo: 'Enter the access key and the secret key.',
  }),
  'usage:rclone-missing': (details) => ({
    what:
      details.found === undefined
        ? 'rclone is not installed on this computer, or it cannot be started.'
        : `This computer has ${details.found}, which is too old.`,
    todo: `Install rclone ${details.needed} or newer from rclone.org, and set up your cloud drive with “rclone config”.`,
  }),
  'usage:rclone-unreadable': () => ({
    what: 'rclone cannot read its configuration.',
    todo: 'Run “rclone listremotes” in a terminal to see why. A configuration with a password of its own cannot be used.',
  }),
  'usage:bucket-unconditional': (details) => ({
    what: `The storage of ${details.bucket} cannot keep the backups of two computers from overwriting each other.`,
    todo: 'Choose other storage, or have this one updated.',
  }),
  'usage:bucket-without-locks': (details) => ({
    what: `The bucket ${details.bucket} has no object lock, or the keys may not ask for it.`,
    todo: 'Choose a bucket that was created with object lock, or leave the option out.',
  }),
  'usage:ssh-host': (details) => ({
    what: `“${details.host}” is not the name of a server.`,
    todo: 'Enter a name or an IP address like nas.local, and the folder in its own field.',
  }),
  'usage:sftp-address': (details) => ({
    what: `“${details.address}” is not the address of a folder on an SSH server.`,
    todo: 'Enter it like sftp://anna@nas.local/backups, without a password.',
  }),
  'usage:webdav-address': (details) => ({
    what: `“${details.address}” is not the address of a WebDAV folder.`,
    todo: 'Enter it like https://cloud.example.org/dav/backups, without a password.',
  }),
  'usage:rclone-address': (details) => ({
    what: `“${details.address}” does not name a remote of rclone.`,
    todo: 'Enter it like drive:backups. “rclone config” sets up remotes.',
  }),
  'usage:host-key-unconfirmed': (details) => ({
    what: `The host key of ${details.address} has not been confirmed: ${details.fingerprint}.`,
    todo: 'Compare it with the one that the server’s operator names.',
  }),
  'usage:host-key-without-ssh': (details) => ({
    what: `${details.address} is not an SSH server, so it has no host key.`,
    todo: 'Nothing needs to be accepted there.',
  }),
  'usage:ssh-key-missing': (details) => ({
    what: `There is no SSH key on this computer to sign in to ${details.address} with.`,
    todo: 'Choose a key file, or enter a password.',
  }),
  'usage:limit-without-service': () => ({
    what: 'Network limits apply to services only; your backups go to storage of your own.',
    todo: 'Leave them empty.',
  }),
  'usage:check-of-service': ({ address }) => ({
    what: `${address} is a service, which looks after its own storage.`,
    todo: 'Check the restore points of your backup sets instead.',
  }),
  'usage:passphrase-empty': () => ({
    what: 'The passphrase is empty.',
    todo: 'Enter one.',
  }),
  'usage:destination-kind': () => ({
    what: 'Your backups are at a different kind of destination.',
    todo: 'Begin new backups there instead.',
  }),
  'usage:destination-same': (details) => ({
    what: `Your backups already go to ${details.directory}.`,
    todo: 'Choose a different destination.',
  }),
  'usage:destination-other': (details) => ({
    what: `${details.directory} does not hold the backups of this computer.`,
    todo: 'Choose where they are now, or begin new backups there.',
  }),
  'usage:destination-last': () => ({
    what: 'This is the only destination.',
    todo: 'Add another one before you remove it.',
  }),
  'usage:destination-name': (details) => ({
    what: `“${details.name}” cannot be the name of a destination.`,
    todo: 'Choose a name of 1 to 100 characters on one line.',
  }),
  'usage:destination-older': (details) => ({
    what: `${details.directory} lacks the newest backup of “${details.set}”: it may be an older copy.`,
    todo: 'Choose the destination that has all of them, or begin new backups there.',
  }),
};
