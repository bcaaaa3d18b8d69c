/** Reasons why one file was not backed up or restored completely. */
export const reasonsEn = {
  unknown: (reason: string) => `Something was wrong with it (${reason}).`,
  sentences: {
    // of a backup
    'folder-missing': 'It is missing and was left out. Its last version is kept.',
    'folder-unreadable': 'It cannot be read and was left out. Its last version is kept.',
    'folder-not-mounted': 'Its disk is not connected. It was left out, and its last version is kept.',
    'folder-empty': 'It is suddenly empty and was left out. Its last version is kept.',
    'changed-while-reading': 'It kept changing while it was read. Its previous version is kept, if there is one.',
    growing: 'It kept growing while it was read. Only the part that was written by then is backed up.',
    'permission-denied': 'You do not have permission to read it. Its previous version is kept, if there is one.',
    'path-too-long': 'Its path is too long for this system.',
    'attributes-too-large': 'Its extended attributes are too large; it is backed up without them.',
    'in-use': 'Another program keeps it locked. Its previous version is kept, if there is one.',
    'read-error': 'It could not be read: its disk reports an error.',
    vanished: 'It was deleted before it could be read.',
    'special-file': 'It is not an ordinary file but a socket, a pipe or a device. It is left out.',
    'online-only':
      'It is online only: your cloud drive shows it without its content. It is not backed up. Download it, or have this set fetch such files.',
    'online-only-kept': 'It is online only now. The version that was backed up before is kept.',
    'online-only-folder':
      'This folder is online only. What was backed up before is kept; what is new in it is not backed up.',
    'after-command': 'The command after the backup failed. See what it wrote in the set, under Before and after.',
    'reserved-path': 'Holdfast uses this path for its own data. It is left out.',
    'other-file-system': 'It is on another disk, and this set stays on one. It is left out.',
    unreadable: 'It could not be read.',
    'differs-on-disk':
      'The file on this computer differs from its backup although its size and time are the same. Its disk may be failing.',
    'destination-damaged':
      'Files of your backups are damaged or missing there, or it is an older copy. “holdfast check” names what is affected.',
    'unknown-run':
      'This computer did not create this restore point, and nothing proves it. Someone may have the key of this device: revoke the device, and restore from other restore points.',
    'missing-run':
      'The destination no longer lists this restore point, and this computer did not remove it. If nobody else removed it, it was lost: check the destination.',
    'key-envelope-lost':
      'The service showed a newer key of these backups for this set before. It shows an older state, or withholds something: check the restore points there.',
    'moved-run':
      'The destination states a different time for this restore point than when it was created. Someone may have altered the restore points there.',
    'clock-was-ahead':
      'This restore point has a time in the future: the clock was ahead. Later ones are listed right after it, and a date finds each by when it was made. If the clock is wrong now, correct it.',
    'clock-jumped':
      'This restore point is more than a year later than the one before. If the clock of this computer is wrong, correct it before the next backup.',
    'index-made-anew': 'The local index was damaged and was made anew. Every file was read again.',
    'index-lost-jobs':
      'Some records of earlier runs could not be read. They may include a restore that was not finished.',

    // of a copy
    'copy-damaged':
      'Part of it is missing at the other destination, so it could not be copied. Copy it from a destination that has it.',
    'copy-older':
      'It is older than the newest restore point at the other destination, so that destination no longer accepts it.',
    'copy-no-tree': 'It was created by another program. It was not copied.',

    // of a restore
    'no-tree': 'This backup was created by another program: permissions, links and empty folders are not known.',
    unverified: 'The service sent this. Nothing proves that it is what was backed up.',
    'owner-not-restored': 'It belongs to you now: its owner could not be restored.',
    'mode-not-restored': 'Its permissions could not be restored.',
    'time-not-restored': 'Its time could not be restored.',
    'attribute-not-restored': 'One of its extended attributes could not be restored.',
    chunk_missing: 'Part of it is missing at the destination.',
    chunk_tampered: 'Part of it was altered at the destination, so it was not restored.',
    chunk_corrupt: 'Part of it is damaged at the destination.',
    file_size_mismatch: 'It does not have the size it had when it was backed up.',
    tree_invalid: 'Its entry in the restore point is incomplete or was altered.',
    'tree_invalid:entry-missing': 'The restore point does not contain it.',
    'tree_invalid:missing': 'It is missing, so nothing proves what was backed up.',
    'tree_invalid:unproven': 'A file with its name exists. It is not replaced by something that nothing proves.',
    'tree_invalid:ENOTDIR': 'It is inside something that is not a folder.',
    service_answer_suspicious:
      'The service sent data that is older than, or different from, what the backup itself proves.',
    service_unreachable: 'The service could not be reached.',
    service_broken: 'The service sent an unexpected answer.',
    service_error: 'The service could not send it.',
    service_busy: 'The service was too busy to send it.',
    destination_missing: 'The destination of your backups was no longer connected.',
    target_full: 'There was no space left for it.',
    target_unwritable: 'It could not be written.',
    'target_unwritable:EACCES': 'You do not have permission to write there.',
    'target_unwritable:EPERM': 'You do not have permission to write there.',
    'target_unwritable:EROFS': 'The disk there is write-protected.',
    'target_unwritable:ENAMETOOLONG': 'Its name is too long for the disk there.',
    'target_unwritable:EISDIR': 'A folder with the same name is in its place.',
    'target_unwritable:ENOTDIR': 'A file is in the place of its folder.',
    'target_unwritable:EINVAL': 'Its name is not allowed on the disk there.',
    'target_unwritable:EBUSY': 'Another program has it open, or has just changed it.',
    'target_unwritable:ELINKRIGHT':
      'It is a link. Windows lets only administrators create links, unless its Developer Mode is on.',
    'target_unwritable:EIO': 'The disk there reports an error.',
    interrupted: 'The run stopped before it reached this.',
  },
};
