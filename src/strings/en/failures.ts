import type { FailureFormats, FailureSentences } from '../failure-types.ts';
import { usageFailuresEn } from './usage-failures.ts';
import { keyFailuresEn } from './key-failures.ts';
import { restoreFailuresEn } from './restore-failures.ts';
import { storeFailuresEn } from './store-failures.ts';
import { windowFailuresEn } from './window-failures.ts';
import { reasonsEn } from './reasons.ts';

const moment = (time: string, formats: FailureFormats): string =>
  Number.isNaN(Date.parse(time)) ? time : formats.dateTime(time);

const minutes = (milliseconds: number, formats: FailureFormats): string =>
  formats.duration(Math.round(Math.abs(milliseconds) / 60_000) * 60);

const sentences: FailureSentences = {
  ...usageFailuresEn,
  ...windowFailuresEn,
  ...restoreFailuresEn,
  ...storeFailuresEn,
  ...keyFailuresEn,

  // requests
  set_unknown: (details) => ({
    what: `The backup set “${details.set}” no longer exists.`,
    todo: 'Choose one under Backup sets.',
  }),
  set_exists: (details) => ({
    what: `You already have a backup set “${details.set}”.`,
    todo: 'Choose another name.',
  }),
  destination_unknown: (details) => ({
    what:
      details.destination === undefined
        ? 'This destination was removed.'
        : `The destination “${details.destination}” no longer exists.`,
    todo: 'Choose a different destination under Settings.',
  }),
  destination_exists: (details) => ({
    what: `You already have a destination “${details.destination}”.`,
    todo: 'Choose another name.',
  }),
  path_not_found: (details) => ({
    what: `${details.path} is not in this restore point.`,
    todo: 'Go back to the folder above and choose again, or look in another restore point.',
  }),
  no_restore_point: (details, formats) => ({
    what:
      details.time !== undefined
        ? `There is no restore point from ${moment(details.time, formats)} or before.`
        : 'There is no restore point yet.',
    todo: details.time !== undefined ? 'Choose a later one.' : 'Back up first; then you can restore from here.',
  }),
  time_invalid: (details) => ({
    what: `“${details.time}” is not a valid time.`,
    todo: 'Choose one from the list.',
  }),
  not_set_up: () => ({
    what: 'Holdfast is not set up on this computer yet.',
    todo: 'Choose where your backups go.',
  }),
  already_set_up: (details) => ({
    what: `Holdfast is set up on this computer already, with ${details.destination}.`,
    todo: 'Close this window and open it again to see your backups.',
  }),

  // sources
  source_missing: (details) => ({
    what: `${details.path} cannot be found. Nothing was recorded as deleted.`,
    todo: 'Connect its disk, restore the folder, or remove it from the set.',
  }),
  source_unreadable: (details) => ({
    what: `${details.path} cannot be read.`,
    todo: 'Check that you have permission to open it, then back up again.',
  }),
  'source_unreadable:reserved-path': (details) => ({
    what: `Backups keep Holdfast’s own entries at ${details.path}.`,
    todo: 'Choose another folder.',
  }),
  source_not_mounted: (details) => ({
    what: `${details.path} is a mount point whose disk is missing. Nothing was recorded as deleted.`,
    todo: 'Connect the disk and back up again. If you no longer need it, remove it from the set.',
  }),
  source_empty: (details) => ({
    what: `${details.path} is suddenly empty; the last backup found files there. Nothing was recorded as deleted.`,
    todo: 'Check that its disk is connected. If it is meant to be empty, remove it from the set.',
  }),

  command_failed: ({ exitCode }) => ({
    what:
      exitCode === undefined
        ? 'The command before the backup was ended. No backup was made.'
        : `The command before the backup failed with exit code ${exitCode}. No backup was made.`,
    todo: 'See what it wrote in the set, under Before and after.',
  }),
  'command_failed:timeout': ({ seconds }, formats) => ({
    what: `The command before the backup did not finish within ${formats.duration(seconds)} and was ended. No backup was made.`,
    todo: 'See what it wrote in the set, under Before and after, or give it more time.',
  }),
  'command_failed:not-started': () => ({
    what: 'The command before the backup cannot be started. No backup was made.',
    todo: 'Check in the set, under Before and after, that its program exists and can be executed.',
  }),

  // keys and sign-in
  keychain_unavailable: () => ({
    what: 'This computer’s keychain cannot be used right now.',
    todo: 'Unlock it, or sign in to your desktop again. Your keys stay where they are.',
  }),
  phrase_invalid: () => ({
    what: 'This is not a recovery phrase.',
    todo: 'Compare it with your recovery kit, word by word.',
  }),
  'phrase_invalid:words': (details) => ({
    what: `A recovery phrase has 24 words; this one has ${details.count}.`,
    todo: 'Enter all 24 words in their order.',
  }),
  'phrase_invalid:unknown-word': (details) => ({
    what: `Word ${details.position}, “${details.word}”, is not used in recovery phrases.`,
    todo: details.suggestion !== undefined ? `Did you mean “${details.suggestion}”?` : 'Check how it is spelled.',
  }),
  'phrase_invalid:checksum': () => ({
    what: 'The words are valid, but one is wrong or out of order.',
    todo: 'Compare them with your recovery kit, word by word.',
  }),
  phrase_other_account: ({ backupSet }) =>
    backupSet === undefined
      ? {
          what: 'This is a valid recovery phrase, but it does not open these backups.',
          todo: 'Use the phrase you were shown when these backups were set up, or choose another destination.',
        }
      : {
          what: 'Another computer of this account was set up before this one, and its backups have another key. Nothing was backed up, since its recovery phrase would not open it.',
          todo: 'Set this computer up again with the recovery phrase of the other one. The phrase that was shown here opens nothing.',
        },
  phrase_needed: () => ({
    what: 'Another computer was set up at this destination first, and only its recovery phrase opens the backups there.',
    todo: 'Enter the phrase from its recovery kit, or choose another destination.',
  }),
  passphrase_wrong: () => ({
    what: 'This passphrase does not open these backups.',
    todo: 'Try again, or use your recovery phrase.',
  }),
  password_wrong: () => ({
    what: 'The service does not accept this e-mail address and password.',
    todo: 'Check both and try again.',
  }),
  code_needed: () => ({
    what: 'The service also requires a code.',
    todo: 'Enter the six digits that your authenticator app shows.',
  }),
  code_wrong: () => ({
    what: 'The service does not accept this code.',
    todo: 'Wait for your authenticator app’s next code and enter that one; each works once.',
  }),
  provider_refused: (details) => ({
    what:
      details.detail !== undefined
        ? `The sign-in in your browser did not succeed: ${details.detail}.`
        : 'The sign-in in your browser did not succeed.',
    todo: 'Try again. If it keeps happening, ask the operator of the service whether you have an account there.',
  }),
  signed_out: () => ({
    what: 'Your session at the service has ended.',
    todo: 'Sign in again. Your restore points stay where they are.',
  }),
  device_refused: () => ({
    what: 'The service no longer recognizes this computer; it may have been revoked.',
    todo: 'Start new backups at this service (Settings, Destination), or ask the owner of your account. Your restore points stay where they are.',
  }),
  device_cloned: () => ({
    what: 'Another computer is using the identity of this one, probably because its disk was copied.',
    todo: 'Start new backups at this destination under another name (Settings, Destination). Your restore points stay where they are.',
  }),
  clock_wrong: (details, formats) => ({
    what:
      details.aheadMs !== undefined
        ? `This computer’s clock is ${minutes(details.aheadMs, formats)} ${details.aheadMs > 0 ? 'ahead of' : 'behind'} the service’s.`
        : 'The clocks of this computer and the service differ too much.',
    todo: 'Set the clock in your system’s settings and try again.',
  }),
  permission_denied: (details) =>
    details.bucket !== undefined
      ? {
          what: `${details.bucket} does not accept these keys.`,
          todo: 'Check the access key, the endpoint and the region, and what the keys may do there.',
        }
      : {
          what: 'You do not have permission to do this at the service.',
          todo: 'Sign in with an account that does, or ask the owner of the account.',
        },

  'permission_denied:fresh-code-needed': () => ({
    what: 'The service asks for a new code from your authenticator app.',
    todo: 'Do this on the service’s web page, or sign in again and try within ten minutes.',
  }),
  'permission_denied:first-computer': () => ({
    what: 'The first computer of this account has to be set up by its owner or an admin.',
    todo: 'Ask them to set theirs up first. You will then need their recovery phrase.',
  }),

  // the service
  service_unreachable: (details) => ({
    what: `${details.address} cannot be reached.`,
    todo: 'Check the address and your network connection, then try again.',
  }),
  'service_unreachable:certificate': (details) => ({
    what: `This computer does not trust the certificate of ${details.address}.`,
    todo: 'Check the address. If the service is your own, ask its operator for a certificate that this computer trusts.',
  }),
  'service_unreachable:host-key': (details) => ({
    what: `The server of ${details.address} presents a different host key than before.`,
    todo: 'The server was reinstalled, or someone is impersonating it. Compare the new key in Settings, Destination; nothing is sent until then.',
  }),
  'service_unreachable:tls': (details) => ({
    what: `No encrypted connection to ${details.address} could be made.`,
    todo: 'Check the address and its port, and whether the service uses https.',
  }),
  service_broken: (details) => ({
    what: `${details.address} responds, but not like a backup service.`,
    todo: 'Check the address, and whether your network’s sign-in page is in the way.',
  }),
  service_error: (details) => ({
    what:
      details.detail !== undefined
        ? `The service could not do this: ${details.detail}.`
        : 'The service could not do this.',
    todo: 'Try again later. If it keeps happening, contact the operator of the service.',
  }),
  service_busy: () => ({
    what: 'The service is busy right now.',
    todo: 'Try again in a few minutes; nothing is lost.',
  }),
  service_answer_suspicious: () => ({
    what: 'The service’s data does not match what this computer has seen before. It may be outdated or altered.',
    todo: 'Do not delete anything. Ask the operator of the service whether it was restored from an old copy.',
  }),
  quota_exceeded: () => ({
    what: 'Your account’s storage is full.',
    todo: 'Get more storage, remove old restore points, or leave something out of the set.',
  }),
  retention_refused: () => ({
    what: 'These restore points cannot be removed yet.',
    todo: 'The retention of the set shows what keeps them. If the destination is damaged, repair it first.',
  }),

  // storage and disks
  destination_full: (details) => ({
    what: `${details.directory ?? 'The destination of your backups'} has no space left.`,
    todo: 'Free up some space there. The next backup resumes where this one stopped.',
  }),
  destination_unwritable: (details) => ({
    what: `${details.directory} cannot be written to.`,
    todo: 'Check that you have write permission there, and that its disk is not write-protected.',
  }),
  destination_missing: (details) => ({
    what: `${details.directory} cannot be found, or no longer contains your backups.`,
    todo: 'Connect the right disk and try again.',
  }),
  'destination_missing:bucket': (details) => ({
    what: `There is no bucket at ${details.directory}.`,
    todo: 'Check its name, the endpoint and the region.',
  }),
  'destination_missing:rclone': (details) => ({
    what: `rclone cannot open ${details.directory}.`,
    todo: 'Try it with “rclone lsd”, and correct the remote with “rclone config”.',
  }),
  'destination_missing:forged': (details) => ({
    what: `The file holdfast.json in ${details.directory} was altered: it does not match the backups in this folder.`,
    todo: 'Run “holdfast repair” on a computer that already backs up there. It writes the file again.',
  }),
  'destination_missing:exchanged': (details) => ({
    what: `${details.directory} contains backups of another computer.`,
    todo: 'Connect the right disk, or put the right folder back. If only the file holdfast.json was exchanged, “holdfast repair” writes it again.',
  }),
  'destination_missing:damaged': (details) => ({
    what: `${details.directory} is damaged: nothing can be read from it or added to it.`,
    todo: 'Check its disk. If you have a copy of that folder, put it back.',
  }),
  home_busy: () => ({
    what: 'Another program is using these backups, perhaps Holdfast in a terminal.',
    todo: 'Try again when that is done.',
  }),
  home_damaged: (details) => ({
    what: `${details.file ?? 'A file of Holdfast’s own'} is damaged.`,
    todo:
      details.kept !== undefined
        ? `An earlier copy is kept at ${details.kept}. Your restore points are not affected.`
        : 'Your restore points are not affected: your recovery phrase opens them again on any computer.',
  }),
  'home_damaged:earlier-version': (details) => ({
    what: 'This computer was set up by an earlier version of Holdfast, whose backups this version cannot continue.',
    todo: `Move ${details.file ?? 'the settings'} away and start Holdfast again: it then sets up new backups in an empty folder.`,
  }),
  'home_damaged:newer-version': () => ({
    what: 'A newer version of Holdfast has been used on this computer.',
    todo: 'Install the newest version.',
  }),

  // data
  chunk_missing: () => ({
    what: 'Part of this backup is missing at the destination.',
    todo: 'Check the backups under Backup sets. Check the disk too, or contact the operator of the service.',
  }),
  chunk_tampered: () => ({
    what: 'Part of this backup was altered, or belongs to another backup.',
    todo: 'Check the backups under Backup sets, and contact the operator of the service.',
  }),
  chunk_corrupt: () => ({
    what: 'Part of this backup is damaged.',
    todo: 'Check the backups under Backup sets. Check the disk too, or contact the operator of the service.',
  }),
  file_size_mismatch: (details) => ({
    what: `${details.path ?? 'A file'} does not have the size it had when it was backed up.`,
    todo: 'Try an earlier restore point.',
  }),
  tree_invalid: ({ reason }) => ({
    what:
      reason === 'missing'
        ? 'This restore point has no list of files that proves what was backed up.'
        : 'The list of files of this restore point is incomplete or was altered.',
    todo: 'Choose an earlier restore point, and contact the operator of the service.',
  }),
  sources_keep_changing: () => ({
    what: 'The files kept changing while they were read, so the backup could not be completed.',
    todo: 'Close the program that writes to them or leave them out, then back up again.',
  }),
  'interrupted:repeatedly': () => ({
    what: 'It was interrupted repeatedly and no longer resumes automatically.',
    todo: 'Restore again: files already restored are not downloaded again.',
  }),
  interrupted: () => ({
    what: 'It was stopped before it finished.',
    todo: 'Start it again: it resumes where it left off.',
  }),
};

/** Texts for failures in the window, and in the CLI where it has no sentence of its own. */
export const failuresEn = {
  unknown: (code: string) => ({
    what: `An unexpected error occurred (${code}).`,
    todo: 'Try again. If it keeps happening, export the diagnostics in Settings and ask for help with them.',
  }),
  reasons: reasonsEn,
  sentences,
};
