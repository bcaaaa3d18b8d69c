import { diskProblemOf } from '../base/errors/failure.ts';
import type { Failure } from '../base/errors/failure.ts';
import { failures } from '../strings/compiled/en/failures.ts';
import { unknownWords, wordsOf } from '../strings/failure-sentence.ts';
import type { FailureSentences, FailureWords } from '../strings/failure-types.ts';
import { durationText, figureText, sizeText, timeText } from './text.ts';
import { sourceSentences } from './source-sentences.ts';
import { homeSentences } from './home-sentences.ts';
import { spaceSentences } from './space-sentences.ts';
import { withSystemCode } from './system-code.ts';
import { setUnknown } from './unknown-set.ts';

const SHOWN_CONFLICTS = 20;
const RUN_AGAIN =
  'Run the command again. If it fails again, the storage has lost or changed data: report the names above to its operator.';
const HOOKS_TODO = 'See the command and what it wrote with: holdfast set hooks NAME';

const inBrackets = (text: string | undefined): string => (text === undefined || text === '' ? '' : ` (${text})`);

/** The sentences that differ in a terminal: they name a command, an option or an environment variable. */
const terminalSentences: Partial<FailureSentences> = {
  usage: ({ problem, message }) => ({
    what: message,
    todo:
      problem === 'unavailable'
        ? 'List the commands of this version with: holdfast --help'
        : 'Run the command with --help to see its options.',
  }),
  'usage:schedule': ({ schedule, forms }) => ({
    what: `"${schedule}" is not a schedule.`,
    todo: `Use one of these forms: ${typeof forms === 'string' ? forms : forms.join(', ')}.`,
  }),
  'usage:preset': ({ preset, known }) => ({
    what: `There is no exclusion preset named "${preset}".`,
    todo: `Choose one of: ${known.join(', ')}.`,
  }),
  'usage:set-without-paths': () => ({
    what: 'A backup set needs at least one folder or file.',
    todo: 'Name them after the set: holdfast set add NAME PATH...',
  }),
  'usage:path-escape': ({ path }) => ({
    what: `"${path}" is not an absolute path without "." and "..".`,
    todo: 'Enter the path as "holdfast ls" shows it.',
  }),
  'usage:target-relative': ({ target }) => ({
    what: `"${target}" is not an absolute path.`,
    todo: 'Give --to an absolute path.',
  }),
  'usage:device-unknown': ({ device, known = [] }) => ({
    what: `The destination has no device "${device}".`,
    todo: `Choose one of: ${known.length === 0 ? 'none' : known.join(', ')}.`,
  }),
  'usage:device-id-needed': () => ({
    what: 'This service cannot register a new device.',
    todo: 'Pass the id of an existing device with --device-id.',
  }),
  'usage:bucket-keys': () => ({
    what: 'A bucket needs keys, and there are none.',
    todo: 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment.',
  }),
  'usage:limit-without-service': ({ directory }) => ({
    what: `${directory} is not a service, and limits apply to services only.`,
    todo: 'Leave out --limit-upload and --limit-download.',
  }),
  'usage:sftp-address': ({ address }) => ({
    what: `"${address}" is not the address of a folder on an SSH server.`,
    todo: 'Write it like sftp://anna@nas.local/backups, with /~/ for a folder of the user. A password goes to --password-file.',
  }),
  'usage:webdav-address': ({ address }) => ({
    what: `"${address}" is not the address of a WebDAV folder.`,
    todo: 'Write it like davs://anna@cloud.example.org/dav/backups. A password goes to --password-file.',
  }),
  'usage:rclone-address': ({ address }) => ({
    what: `"${address}" does not name a remote of rclone.`,
    todo: 'Write it like rclone:drive:backups; "rclone listremotes" lists the remotes.',
  }),
  'usage:rclone-missing': ({ program, needed, found }) => ({
    what: found === undefined ? `There is no "${program}", or it cannot be started.` : `The ${found} here is too old.`,
    todo: `Install rclone ${needed} or newer from rclone.org, in a folder of PATH.`,
  }),
  'usage:host-key-unconfirmed': ({ address, fingerprint }) => ({
    what: `Nobody has confirmed the host key of ${address}. It is ${fingerprint}.`,
    todo: `Compare it on the server with "ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub". If it is right, add --host-key ${fingerprint}`,
  }),
  'usage:ssh-key-missing': ({ address }) => ({
    what: `There is no SSH key to sign in to ${address} with, and no SSH agent runs.`,
    todo: 'Name a key with --identity FILE, or a password with --password-file FILE.',
  }),
  'usage:check-of-service': ({ address }) => ({
    what: `${address} is a service, which looks after its own storage.`,
    todo: 'Check its restore points with: holdfast verify NAME --all',
  }),
  'usage:passphrase-empty': () => ({
    what: 'The passphrase is empty.',
    todo: 'Put one into the file that --passphrase-file names.',
  }),

  ...spaceSentences,
  ...homeSentences,
  ...sourceSentences,
  set_unknown: setUnknown,
  set_exists: ({ set }) => ({
    what: `A backup set named "${set}" already exists.`,
    todo: 'Choose another name, or remove the old set from this home first with: holdfast set remove NAME',
  }),
  destination_unknown: ({ destination, known = [] }) => ({
    what:
      destination === undefined
        ? 'This destination was removed.'
        : `There is no destination named "${destination}" on this home.`,
    todo: known.length === 0 ? 'List them with: holdfast destination list' : `Choose one of: ${known.join(', ')}.`,
  }),
  destination_exists: ({ destination }) => ({
    what: `A destination named "${destination}" already exists.`,
    todo: 'Choose another name with: --name NAME',
  }),
  path_not_found: ({ path, parent = '', names = [] }) => ({
    what: `${path} is not in this restore point.`,
    todo:
      names.length === 0
        ? 'List what it contains with: holdfast ls NAME'
        : `${parent === '' ? 'The top level' : parent} contains: ${names.join(', ')}.`,
  }),
  no_restore_point: ({ time, nearest = [] }) => ({
    what: `There is no restore point${time === undefined ? '' : ` at or before ${time}`}.`,
    todo:
      nearest.length > 0
        ? `The nearest are: ${nearest.join(', ')}.`
        : 'List the restore points of this set with: holdfast points NAME',
  }),
  'no_restore_point:not-exact': ({ time, nearest = [] }) => ({
    what: `No restore point has exactly the time ${time}, and none was removed.`,
    todo: `Enter a time as "holdfast points" lists it.${nearest.length > 0 ? ` The nearest are: ${nearest.join(', ')}.` : ''}`,
  }),
  'no_restore_point:removed': ({ time }) => ({ what: `The restore point of ${time} is gone.`, todo: 'Use another.' }),
  'no_restore_point:no-earlier': ({ later }) => ({
    what: `No restore point before the one of ${later} is known here, so there is nothing to compare it with.`,
    todo: 'List the restore points of this set with: holdfast points NAME',
  }),
  time_invalid: ({ time }) => ({
    what: `"${time}" is not a time that Holdfast understands.`,
    todo: 'Write it like 2026-11-21T14:05:00Z, 2026-11-21, "2 hours ago", "yesterday 14:00" or latest.',
  }),
  'time_invalid:future': ({ time }) => ({
    what: `"${time}" is in the future, and restore points are in the past.`,
    todo: 'Enter a time in the past, or latest for the newest one.',
  }),
  not_set_up: () => ({
    what: 'Holdfast is not set up on this home.',
    todo: 'Choose where backups go: holdfast setup --destination DIR',
  }),
  already_set_up: ({ destination }) => ({
    what: `This home is already set up, with ${destination}.`,
    todo: 'To back up to another place as well: holdfast destination add. To begin anew, choose another home with --home.',
  }),

  command_failed: ({ exitCode }) => ({
    what: `The command before the backup ${exitCode === undefined ? 'was ended' : `failed with exit code ${exitCode}`}. No backup was made.`,
    todo: HOOKS_TODO,
  }),
  'command_failed:timeout': ({ seconds }) => ({
    what: `The command before the backup did not finish within ${durationText(seconds)} and was ended. No backup was made.`,
    todo: HOOKS_TODO,
  }),
  'command_failed:not-started': () => ({
    what: 'The command before the backup cannot be started. No backup was made.',
    todo: HOOKS_TODO,
  }),
  sources_keep_changing: () => ({
    what: 'Files kept changing while they were read, so no consistent backup could be made.',
    todo: 'Close the program that writes to them, or leave them out with --exclude, and run the backup again.',
  }),

  keychain_unavailable: ({ problem }) => ({
    what: `The system's keychain protects the keys of this home and cannot be used here${inBrackets(problem)}.`,
    todo: 'Run this in the desktop session of the user who owns the keychain. The app can move the keys to a file.',
  }),
  'keychain_unavailable:no-key': () => ({
    what: "The system's keychain protects the keys of this home and has no key for it.",
    todo: 'If the keychain was lost, set up a new home with your recovery phrase: holdfast setup --recovery-phrase-file FILE',
  }),
  'keychain_unavailable:no-answer': () => ({
    what: "The system's keychain protects the keys of this home and does not respond.",
    todo: 'Unlock it, and try again.',
  }),
  phrase_needed: () => ({
    what: 'Another computer was set up at this destination first, and this home does not have the key of the backups there.',
    todo: 'Adopt it with the recovery phrase of that computer: add --recovery-phrase-file FILE',
  }),
  'key_outdated:removed': () => ({
    what: 'This computer was removed from these backups when their key was changed.',
    todo: 'To back up again, set up a new home with the new recovery phrase: holdfast setup --home DIR --destination … --recovery-phrase-file FILE',
  }),
  key_outdated: () => ({
    what: 'The key of these backups was changed, and this computer does not have the new one. What was backed up before can be restored.',
    todo: 'To back up again, enter the new recovery phrase: holdfast key adopt --recovery-phrase-file FILE',
  }),
  code_needed: () => ({
    what: 'The service requires a code from your authenticator app.',
    todo: 'Pass it with --code 123456.',
  }),
  signed_out: () => ({
    what: 'The service has ended the session of this home.',
    todo: 'Sign in again: holdfast destination sign-in --email E --password-file F --code 123456. Sets, settings and restore points stay.',
  }),
  device_refused: ({ deviceId }) => ({
    what: `The service does not accept the key of ${deviceId === undefined ? 'this device' : `device ${deviceId}`}.`,
    todo: 'It may have been revoked. With another key: holdfast destination sign-in --device-key-file F. Before the setup: check the device id and its key.',
  }),
  device_cloned: () => ({
    what: 'Another computer is using the identity of this one, or this home was restored from a copy that is older than its last backup.',
    todo: 'Continue here with a new identity: holdfast destination renew. If this is the copy, it becomes another computer with --device-name NAME. Sets, settings and restore points stay.',
  }),
  permission_denied: (details) =>
    details.bucket === undefined
      ? {
          what: `The service does not permit this${details.detail === undefined ? '' : `: ${details.detail}`}.`,
          todo: "Ask the account's owner for the permission that this device lacks.",
        }
      : {
          what: `${details.bucket} refuses these keys${inBrackets(details.detail)}.`,
          todo: 'Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, the endpoint and the region, and the permissions of the keys.',
        },

  'permission_denied:fresh-code-needed': () => ({
    what: 'The service takes a fresh code of your second factor for this: the last one is older than ten minutes.',
    todo: "Do it on the service's page, or within ten minutes after signing in.",
  }),
  'permission_denied:authentication': ({ address }) => ({
    what: `${address} does not accept the sign-in.`,
    todo: 'Check the user, and the password of --password-file or the key of --identity.',
  }),
  'permission_denied:private-key': ({ address }) => ({
    what: `The private key for ${address} cannot be read.`,
    todo: 'If it has a passphrase, put that into a file and name it with --password-file. A public key (.pub) does not sign in.',
  }),

  'service_unreachable:host-key': ({ address }) => ({
    what: `The host key of ${address} is not the one that was confirmed.`,
    todo: 'Somebody may be posing as this server. If you know that its key was changed, compare it and accept the new one: "holdfast host-key".',
  }),
  service_unreachable: ({ address, reason }) => ({
    what: `${address} cannot be reached${inBrackets(reason)}.`,
    todo: 'Check the address and your network connection, then run the command again.',
  }),
  service_broken: ({ address, field, contentType }) =>
    field === undefined
      ? {
          what: `${address} responds, but not like a backup service${contentType === undefined || contentType === '' ? '' : ` (it sent ${contentType})`}.`,
          todo: "Check the service's address, and whether a proxy or a sign-in page is in the way.",
        }
      : {
          what: `The response of ${address} does not match the interface, at "${field}".`,
          todo: 'Check the address. If it is right, report this to the operator of the service.',
        },
  service_error: ({ status, detail }) => ({
    what: `The service failed with status ${status ?? 'unknown'}${detail === undefined ? '' : `: ${detail}`}.`,
    todo: 'Try again later. If it fails again, report this message to the operator of the service.',
  }),
  service_busy: ({ retryAfterSeconds }) => ({
    what: 'The service is too busy.',
    todo: `Try again ${retryAfterSeconds === undefined ? 'later' : `in ${retryAfterSeconds} seconds`}; nothing is lost.`,
  }),
  retention_refused: ({ reason }) => ({
    what: `That is not possible${inBrackets(reason)}.`,
    todo: 'See which restore points are kept and why with: holdfast retention show NAME',
  }),

  target_unwritable: ({ target, reason }) => {
    if (reason === 'ELOOP') {
      return {
        what: `${target} is a link now, and was a folder in the backup. A restore does not follow it.`,
        todo: 'Move the link away, or restore to another folder with --to.',
      };
    }
    return diskProblemOf(reason) === 'failing'
      ? {
          what: `The disk of ${target} reports errors${inBrackets(reason)}: it was unplugged, or it is failing.`,
          todo: 'Connect it again, check it and its cable, and try again, or write to another place.',
        }
      : {
          what: `${target} cannot be written to${inBrackets(reason)}.`,
          todo: 'Write to another place, or get write permission there.',
        };
  },
  target_inside_source: ({ target, source }) => ({
    what: `${target} is inside a folder that is backed up${inBrackets(source)}.`,
    todo: 'Choose a folder outside of it with --to.',
  }),
  target_conflict: ({ conflicts, total }) => {
    const shown = conflicts.slice(0, SHOWN_CONFLICTS).map((path) => `\n  ${path}`);
    const more = total > shown.length ? `\n  … and ${figureText(total - shown.length)} more` : '';
    return {
      what: `These paths already exist, so nothing was written:${shown.join('')}${more}`,
      todo: 'Choose what happens to them with --conflict skip, overwrite or keep-both, or restore to an empty folder.',
    };
  },
  home_busy: ({ command = 'unknown', pid, since = 'a moment ago' }) => ({
    what: `Another process is using this home: "${command}", process ${pid ?? 'unknown'}, since ${since}.`,
    todo: 'Wait until it has finished, or stop it; its progress is kept.',
  }),
  home_unwritable: (details) => {
    const { what, todo } = failures.sentences.home_unwritable(details, formats);
    return { what, todo: `${todo} Or choose another home with --home.` };
  },
  home_damaged: ({ file = 'A file of the home', problem, kept }) => {
    if (file.endsWith('catalog.sqlite')) {
      return {
        what: `${file} is damaged${inBrackets(problem)}.`,
        todo: 'Move it away: Holdfast creates it again, and the next backup reads every file once.',
      };
    }
    if (kept !== undefined) {
      return {
        what: problem === 'missing' ? `${file} is missing.` : `${file} cannot be read as settings.`,
        todo: `The copy from before its last change is ${kept}; check it and copy it over.`,
      };
    }
    return {
      what: `${file} is damaged${inBrackets(problem)}.`,
      todo: 'Move the home away and set up again with --recovery-phrase-file and --device-id; no backup is lost.',
    };
  },
  'home_damaged:newer-version': ({ file = 'A file of the home' }) => ({
    what: `${file} was written by a newer version of Holdfast.`,
    todo: 'Install the newest version here.',
  }),
  chunk_missing: ({ chunk }) => ({
    what: `The storage lacks a chunk that is needed, or cannot read it${inBrackets(chunk)}.`,
    todo: RUN_AGAIN,
  }),
  'chunk_tampered:epoch': () => ({
    what: 'A chunk is sealed with a newer key than this computer has.',
    todo: 'Enter the new recovery phrase: holdfast key adopt --recovery-phrase-file FILE',
  }),
  chunk_tampered: ({ chunk }) => ({
    what: `A chunk cannot be opened: it was changed, or another key sealed it${inBrackets(chunk)}.`,
    todo: RUN_AGAIN,
  }),
  chunk_corrupt: ({ chunk }) => ({
    what: `The content of a chunk does not match its hash${inBrackets(chunk)}.`,
    todo: RUN_AGAIN,
  }),
  tree_invalid: ({ reason }) => ({
    what:
      reason === 'missing'
        ? 'This restore point has no list of files that proves what was backed up.'
        : `The file list of this restore point is incomplete or was altered${inBrackets(reason)}.`,
    todo:
      'Try an earlier restore point with --at, and report this to the operator of the storage. ' +
      'To restore what the service sends without proof, use --accept-unverified.',
  }),
  interrupted: () => ({
    what: 'Interrupted.',
    todo: 'Run the same command again: it continues where it stopped.',
  }),
};

const sentences: FailureSentences = { ...failures.sentences, ...terminalSentences };
const formats = { bytes: sizeText, dateTime: timeText, duration: durationText };

/** Returns what happened and what to do, in the characters of every terminal. */
export function failureText(failure: Failure): FailureWords {
  const { what, todo } = wordsOf(failure, sentences, formats) ?? unknownWords(failure.code, failures.unknown);
  return { what: plain(withSystemCode(what, failure)), todo: plain(todo) };
}

function plain(text: string): string {
  return text.replaceAll(/[“”]/g, '"').replaceAll('’', "'").replaceAll('\u00A0', ' ');
}
