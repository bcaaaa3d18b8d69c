import type { RunWarning } from '../../../jobs/run-warning.ts';
import type { RestoreFailure } from '../../../restore/types.ts';
import { printable } from '../../text.ts';
import { signsText } from '../alarm.ts';

/** The reasons of warnings in words; an unlisted reason is shown unchanged. */
export const REASONS: Readonly<Record<string, string>> = {
  'folder-missing':
    'is missing and was left out; its last version is kept. If it is gone for good, remove it from the set',
  'folder-unreadable': 'cannot be read and was left out; its last version is kept',
  'folder-not-mounted':
    'is on a disk that is not connected, and was left out; its last version is kept. If it is gone for good, exclude it, or accept that once with --accept PATH',
  'folder-empty':
    'has no files any more and was left out; its last version is kept. If that is right, accept that once with --accept PATH',
  'folder-other-disk':
    'has another disk than before; what the earlier one had is kept, and files of the same names on this one are not backed up. If the earlier one is gone for good, or this one is to be backed up in its place, accept that once with --accept PATH',
  'name-of-other-disk':
    'has the name of a file of another disk that was here, whose last version is kept, and was not backed up. Rename it, or accept it once with --accept PATH',
  'folder-subvolume':
    'is the empty place of a btrfs subvolume, as after a rollback to a snapshot, and was left out; its last version is kept. Move the subvolume back there, or accept once that it is gone with --accept PATH',
  'not-stored':
    'could not be read during the backup, and its destination had no version of it; the restore point is without it',
  'leads-elsewhere': 'leads elsewhere than before, by a link; what it leads to now was backed up',
  'changed-while-reading': 'kept changing while it was read; its previous version is kept if there is one',
  'database-changing':
    'is a database that a program kept writing to; its previous version is kept as a whole if there is one. To have the database make a copy first, with SQLite: holdfast set hooks NAME --before "sqlite3 FILE \'.backup FILE.copy\'"',
  'database-too-large':
    'is a database that is in use and larger than the space that is free for a copy of it in the home of Holdfast; its previous version is kept if there is one. Free space there, or back up while no program uses the database',
  'database-postgresql':
    'is the data folder of a PostgreSQL server, which wrote to it while it was backed up file by file; restored, it may not start. Have the server make a copy before the backup: holdfast set hooks NAME --before "pg_dumpall --file=FOLDER/all.sql"',
  'database-mysql':
    'is the data folder of a MySQL or MariaDB server, which wrote to it while it was backed up file by file; restored, it may not start. Have the server make a copy before the backup: holdfast set hooks NAME --before "mysqldump --all-databases --single-transaction --result-file=FOLDER/all.sql"',
  'database-mongodb':
    'is the data folder of a MongoDB server, which wrote to it while it was backed up file by file; restored, it may not start. Have the server make a copy before the backup: holdfast set hooks NAME --before "mongodump --out=FOLDER"',
  'library-photos':
    'is a library that Photos wrote to while it was backed up file by file; the newest pictures in it may not be of the same moment. A backup while Photos is closed has all',
  growing: 'kept growing while it was read; only the part that was written by then is backed up',
  'permission-denied': 'cannot be read: permission denied',
  'path-too-long': 'has a path too long for this system',
  'attributes-too-large': 'has extended attributes too large to be read; it is backed up without them',
  'in-use': 'is locked by another program; its previous version is kept if there is one',
  'read-error': 'could not be read: its disk reports an error',
  vanished: 'was deleted before it could be read',
  'differs-on-disk':
    'differs on this disk from its backup although size and time are the same: the disk may be failing',
  'special-file': 'is a socket, pipe or device',
  'online-only': 'is online only and was not backed up',
  'online-only-kept': 'is online only now; its last version is kept',
  'online-only-folder': 'is a folder that is online only; what is new in it was not backed up',
  'system-functions-missing':
    'has extended attributes and access rights that this installation cannot read or write; install Holdfast again',
  'after-command': 'the command after the backup failed; see what it wrote with: holdfast set hooks NAME',
  'owner-not-restored': 'was restored, but its owner could not be set',
  'mode-not-restored': 'was restored, but its permissions could not be set',
  'time-not-restored': 'was restored, but its time could not be set',
  'attribute-not-restored': 'was restored, but some of its extended attributes could not be set',
  'attributes-shared':
    'keeps its permissions, owner and time: it has other names (hard links) that this restore does not know',
  'reserved-path': 'is a path that Holdfast uses for its own data',
  'other-file-system': 'is on another file system',
  'destination-damaged':
    'has damaged or missing files, or is older than before; see what is affected with: holdfast check',
  'unknown-run':
    'is a restore point that this computer did not create and that nothing proves; someone may have the key of this device',
  'missing-run':
    'is a restore point that the destination no longer lists; unless someone removed it, it was lost there',
  'key-envelope-lost':
    'is a set for which the service showed a newer key of these backups before; it shows an older state or withholds something',
  'moved-run': 'is a restore point for which the destination states a different time than when it was created',
  'clock-was-ahead':
    'is a restore point in the future: the clock was ahead; later ones are listed right after it, and --at finds each by when it was made; if the clock is wrong now, correct it',
  'clock-jumped':
    'is a restore point more than a year later than the one before; if the clock of this computer is wrong, correct it before the next backup',
  'index-made-anew': 'the local index was damaged and was made anew; every file was read again',
  'index-lost-jobs': 'some records of earlier runs could not be read; they may include a restore that was not finished',
  'no-tree': 'was backed up by another program: modes, links and empty folders are not known',
  unverified: 'was sent by the service; nothing proves that it is what was backed up',
  'service-answer-malformed':
    'is a service that listed restore points or sets in a form that cannot be read; there may be more than are shown',
  'service-totals':
    'is a set for which the totals in the service’s list of files are wrong; the backup itself proves what it contains',
  'service-unknown-chunks':
    'is a set for which the service asked for data that is not part of this backup; nothing of it was sent',
  service_answer_suspicious: 'the service sent an older or different state than the backup proves',
};

/** Reasons of attributes that could not be set by a restore. */
export const ATTRIBUTE_REASONS: ReadonlySet<string> = new Set([
  'owner-not-restored',
  'mode-not-restored',
  'time-not-restored',
  'attribute-not-restored',
  'attributes-shared',
]);

export function warningText(warning: RunWarning): string {
  return warningTextAt(warning, undefined);
}

/** @param place name of the destination that warns; `undefined` if there is one */
export function warningTextAt({ path, reason, detail }: RunWarning, place: string | undefined): string {
  if (reason === 'ransomware-signs') return `${printable(path)}: ${signsText(path, detail?.split(' ') ?? [], place)}`;
  return `${printable(path)}: ${REASONS[reason] ?? reason}${detail === undefined ? '' : ` (${printable(detail)})`}`;
}

export function failureText({ path, chunk, reason, detail }: RestoreFailure): string {
  const more = [detail, chunk].filter((part) => part !== undefined);
  return `${printable(path)}: ${reason}${more.length === 0 ? '' : ` (${more.join(', ')})`}`;
}

/** The warnings in the JSON output. */
export function failureJson({ path, chunk, reason, detail }: RestoreFailure): object {
  return { path, chunk: chunk ?? null, reason, ...(detail === undefined ? {} : { detail }) };
}
