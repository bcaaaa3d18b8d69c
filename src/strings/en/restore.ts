import { countedSentenceOf } from '../plural.ts';
import { restoreLookEn } from './restore-look.ts';
import { restoreTimelineEn } from './restore-timeline.ts';

const count = countedSentenceOf('en');

/** Texts of the window: restore. */
export const restoreEn = {
  unknownPath: (path: string) => `No backup set includes ${path}, so there are no previous versions of it.`,
  none: 'Nothing to restore yet',
  noneHint: 'After the first backup, your files appear here as they were at each restore point.',
  noPoints: 'This backup set has no restore points yet.',
  source: 'Backup set',
  destination: 'Destination',
  nearest: 'Nearest destination',
  sourceOf: (set: string, device: string) => `${set} · ${device}`,
  here: 'this computer',
  time: {
    label: 'Restore point',
    older: 'Older restore point',
    newer: 'Newer restore point',
    calendar: 'Days with restore points',
    marked: 'Days in bold have restore points.',
    previousMonth: 'Previous month',
    nextMonth: 'Next month',
    list: 'Restore points, newest first',
    pinned: 'Pinned: always kept',
    newest: 'newest',
    summary: (files: string, bytes: string) => `${files}, ${bytes}`,
    gone: 'The restore point you were looking for no longer exists. This is the newest.',
    earlier: (points: number) =>
      count(
        points,
        'One earlier restore point: choose an earlier day',
        '# earlier restore points: choose an earlier day',
      ),
  },
  files: (files: number) => count(files, '1 file', '# files'),
  browser: {
    label: 'Files in this restore point',
    path: 'Folder',
    top: 'All folders',
    up: 'One folder up',
    name: 'Name',
    size: 'Size',
    modified: 'Changed',
    choose: 'Chosen',
    chosen: 'chosen',
    partly: 'partly chosen',
    withFolder: 'chosen with its folder',
    folder: 'folder',
    link: 'link',
    reading: (entries: string) => `${entries} so far…`,
    entries: (entries: number) => count(entries, '1 entry', '# entries'),
    empty: 'This folder is empty.',
    deleted: 'deleted',
    deletedBefore: (entries: number) => count(entries, '1 deleted before', '# deleted before'),
    last: (when: string) => `Last: ${when}`,
    gone: (name: string) => `“${name}” did not exist at this time. This is the nearest folder that did.`,
    keys: 'Arrow keys move, with Shift they choose. Enter opens, Space chooses one item, Control+A all items. Backspace goes to the parent folder, the menu key opens a menu. Type a name to jump to it.',
    tooMany: (most: string) => `More than ${most} items: choose their folder instead`,
    jumping: (start: string) => `Jump to “${start}”`,
    notFound: (start: string) => `Nothing here begins with “${start}”`,
  },
  menu: {
    label: (name: string) => `Actions for “${name}”`,
    open: 'Open',
    look: 'Quick look',
    versions: 'Versions…',
    copyPath: 'Copy path',
  },
  look: restoreLookEn,
  timeline: restoreTimelineEn,
  chosen: {
    nothing: 'Nothing chosen.',
    none: 'Nothing chosen. Choose files and folders, or restore everything.',
    some: (folders: number, files: number) =>
      [
        ...(folders > 0 ? [count(folders, '1 folder', '# folders')] : []),
        ...(files > 0 ? [count(files, '1 file', '# files')] : []),
      ].join(' and '),
    leftOut: (entries: number) => count(entries, 'without 1 entry', 'without # entries'),
    lookingUp: 'Looking for your selection at this time…',
    missing: (entries: number) =>
      count(
        entries,
        'One chosen item did not exist at this time and is left out.',
        '# chosen items did not exist at this time and are left out.',
      ),
    noneThere: 'Nothing you chose existed at this time. Choose another time or other items.',
    sentence: (what: string) => `${what} chosen`,
    sized: (what: string, bytes: string) => `${what} chosen (${bytes})`,
    clear: 'Clear',
    restore: 'Restore…',
    restoreOne: (name: string) => `Restore “${name}”…`,
    restoreAll: 'Restore everything…',
    all: 'Everything in this restore point',
    more: (entries: number) => count(entries, 'and one more', 'and # more'),
  },
  filters: {
    label: 'Filters',
    kind: 'Kind',
    kinds: { any: 'Any kind', file: 'Files', directory: 'Folders' },
    size: 'Size',
    sizes: { any: 'Any size', small: 'Up to 1 MB', medium: '1 to 100 MB', large: '100 MB or more' },
    changed: 'Changed',
    times: {
      any: 'Changed at any time',
      week: 'Changed in the last 7 days',
      month: 'Changed in the last 30 days',
      year: 'Changed in the last year',
      before: 'Changed more than a year ago',
    },
    deletedOnly: 'Deleted only',
  },
  find: {
    field: 'Find in all backups',
    hint: 'Find a file or folder by name, in all backups',
    label: 'Found in your backups',
    found: (files: number) => (files === 0 ? 'No results' : count(files, '1 result', '# results')),
    more: (files: number) => `Only the first ${files} are shown: type more of the name.`,
    filling: (known: number, total: number) => `${known} of ${total} restore points have been searched so far.`,
    nothing: (text: string) => `No name contains “${text}”`,
    nothingHint: 'Try a shorter part of the name. Folders are found, too.',
    place: (set: string, folder: string) => `${folder} · ${set}`,
    deleted: (when: string) => `Deleted. Last backed up ${when}.`,
    versions: (versions: number) => count(versions, 'One version', '# versions…'),
    look: 'Quick look',
    lookAt: (name: string, versions: number) => `“${name}”: ${count(versions, 'quick look', 'look at # versions')}`,
    restoreVersion: (name: string, modified: string) => `Restore “${name}” of ${modified}…`,
  },
  /** In a sentence. */
  toPlace: (folder: string | null, items: number) =>
    folder === null ? (items === 1 ? 'to its original place' : 'to their original places') : `to ${folder}`,
  target: {
    title: 'Restore',
    what: 'What',
    from: (set: string, when: string) => `From “${set}”, ${when}`,
    where: 'Where to',
    places: {
      original: {
        title: 'Put back where it was',
        hint: 'Missing folders are created. Files that have not changed are left alone.',
      },
      folder: { title: 'Another folder', hint: 'Items keep their names in this folder.' },
    },
    to: 'To this folder',
    toNone: 'No folder chosen yet',
    choose: 'Choose folder…',
    chooseOther: 'Other folder…',
    chooseTitle: 'Choose a folder to restore to',
    conflict: 'If a file already exists',
    conflictInPlace: 'If a file has changed since',
    replaceInPlace: 'The restored file takes its place. The current one is moved to a folder beside it.',
    conflicts: {
      'keep-both': { title: 'Keep both', hint: 'The restored file gets a new name. Nothing is replaced.' },
      skip: { title: 'Keep the existing file', hint: 'Only missing files are restored.' },
      overwrite: { title: 'Replace it', hint: 'The restored file takes its place. The existing file is lost.' },
      exact: {
        title: 'Make the folder exactly as it was',
        hint: 'Changed files are replaced. What did not exist then moves to a folder beside it. Excluded files stay.',
      },
    },
    start: 'Start restoring',
    startLater: 'Restore afterwards',
    busy: {
      backup: (set: string) => `“${set}” is being backed up. The restore begins as soon as that has finished.`,
      verify: (set: string) => `“${set}” is being checked. The restore begins as soon as that has finished.`,
      drill: (set: string) => `A test restore of “${set}” is running. The restore begins as soon as that has finished.`,
      check: (_set: string) => 'The destination is being checked. The restore begins as soon as that has finished.',
      repair: (_set: string) => 'The destination is being repaired. The restore begins as soon as that has finished.',
      copy: (_set: string) => 'Restore points are being copied. The restore begins as soon as that has finished.',
      restore: (set: string) => `“${set}” is being restored. This restore begins as soon as that has finished.`,
      other: (_set: string) =>
        'Another program is using your backups. The restore begins as soon as that has finished.',
    },
  },
  plan: {
    title: 'What will happen',
    working: 'Calculating what would be written…',
    writes: (files: string, bytes: string) => `${files}, ${bytes} will be written.`,
    nothing: 'Nothing to write: all files already exist.',
    // Files and links.
    conflicts: {
      'keep-both': (files: number) =>
        count(
          files,
          'One item already exists: the restored one gets a new name.',
          '# items already exist: the restored ones get new names.',
        ),
      skip: (files: number) =>
        count(files, 'One item already exists and is left unchanged.', '# items already exist and are left unchanged.'),
      overwrite: (files: number) =>
        count(files, 'One item already exists and will be replaced.', '# items already exist and will be replaced.'),
    },
    noConflicts: 'None of them exists yet.',
    inPlace: {
      'keep-both': (files: number) =>
        count(
          files,
          'One item has changed: the restored one gets a new name.',
          '# items have changed: the restored ones get new names.',
        ),
      skip: (files: number) =>
        count(files, 'One item has changed and is left as it is.', '# items have changed and are left as they are.'),
      overwrite: (files: number) =>
        count(
          files,
          'One item has changed and will be replaced. Its current version is kept.',
          '# items have changed and will be replaced. Their current versions are kept.',
        ),
    },
    noChanges: 'No other file is affected.',
    /** @param of all that have changed */
    newer: (files: number, of: number) =>
      of === 1
        ? 'It was changed after this backup.'
        : count(files, 'One of them was changed after this backup.', '# of them were changed after this backup.'),
    unchanged: (files: number) => count(files, 'One file is the same already.', '# files are the same already.'),
    surplus: (files: number, bytes: string) =>
      count(
        files,
        `One file (${bytes}) did not exist then and moves to a folder beside.`,
        `# files (${bytes}) did not exist then and move to a folder beside.`,
      ),
    noSurplus: 'There is nothing that did not exist then.',
    fetch: (bytes: string) => `${bytes} to download.`,
    more: (files: number) => count(files, 'and one more', 'and # more'),
    room: (bytes: string) => `${bytes} free.`,
    noRoom: (missing: string) =>
      `There is not enough space: ${missing} more needed. Choose another folder, or free up space first.`,
  },
  waiting: {
    sentence: {
      backup: (set: string, run: string, to: string) =>
        `“${set}” will be restored ${to} as soon as the backup of “${run}” has finished.`,
      verify: (set: string, run: string, to: string) =>
        `“${set}” will be restored ${to} as soon as the check of “${run}” has finished.`,
      drill: (set: string, run: string, to: string) =>
        `“${set}” will be restored ${to} as soon as the test restore of “${run}” has finished.`,
      check: (set: string, _run: string, to: string) =>
        `“${set}” will be restored ${to} as soon as the check of the destination has finished.`,
      repair: (set: string, _run: string, to: string) =>
        `“${set}” will be restored ${to} as soon as the repair of the destination has finished.`,
      copy: (set: string, _run: string, to: string) =>
        `“${set}” will be restored ${to} as soon as the copy of restore points has finished.`,
      restore: (set: string, _run: string, to: string) =>
        `“${set}” will be restored ${to} as soon as the other restore has finished.`,
      other: (set: string, _run: string, to: string) =>
        `“${set}” will be restored ${to} as soon as nothing else is using your backups.`,
    },
    forget: 'Do not restore',
    failed: 'A restore is unfinished and will not resume automatically.',
  },
  run: {
    title: 'Restoring',
    phases: {
      scanning: 'Scanning files',
      planning: 'Calculating what to write',
      uploading: 'Writing',
      downloading: 'Fetching and writing',
      committing: 'Finishing',
      finishing: 'Finishing',
      stopping: 'Stopping',
    },
    label: (set: string) => `Restoring “${set}”`,
    files: (done: string, total: string) => `Files: ${done} of ${total}`,
    filesSoFar: (done: string) => `Files: ${done}`,
    bytes: (done: string, total: string) => `${done} of ${total}`,
    left: (span: string) => `${span} left`,
    stop: 'Stop',
    leave: 'You can keep working. It continues if you leave this view.',
    to: (folder: string | null) => (folder === null ? 'To its original place' : `To ${folder}`),
  },
  undo: {
    last: (set: string, when: string) => `Restored: “${set}”, ${when}.`,
    offer: 'You can undo this restore for seven days.',
    begun: (set: string, when: string) => `The restore of “${set}” is not completely undone: ${when}.`,
    what: (replaced: number, created: number) =>
      [
        ...(replaced > 0 ? [count(replaced, 'One file was replaced.', '# files were replaced.')] : []),
        ...(created > 0 ? [count(created, 'One file was added.', '# files were added.')] : []),
      ].join(' '),
    undo: 'Undo restore',
    dismiss: 'Dismiss: no longer offer to undo this restore here',
    goOn: 'Finish undoing',
    done: 'The restore is undone.',
    partly: 'The restore is undone as far as possible.',
    putBack: (files: number) =>
      files === 0 ? 'It had replaced nothing.' : count(files, 'One item is as it was.', '# items are as they were.'),
    movedTo: (files: number, folder: string) =>
      count(files, `The restored file is now in ${folder}.`, `The # restored files are now in ${folder}.`),
    showMoved: 'Show what was restored',
    notUndone: (files: number) => count(files, 'One item stays as it is', '# items stay as they are'),
    reason: (reason: string) =>
      reason === 'changed'
        ? 'changed since the restore'
        : reason === 'gone'
          ? 'the version before is no longer there'
          : reason === 'invalid'
            ? 'the record of the restore is damaged'
            : reason === 'older'
              ? 'an older version that was kept'
              : reason === 'attributes'
                ? 'its owner or special rights were not changed back'
                : `it could not be moved (${reason})`,
  },
  result: {
    title: {
      succeeded: 'Restored',
      warnings: 'Restored, with warnings',
      partly: 'Partly restored',
      failed: 'Not restored',
      cancelled: 'Stopped',
      interrupted: 'Interrupted',
    },
    done: (files: string, bytes: string, to: string) => `${files} (${bytes}) restored ${to}.`,
    unchanged: (files: number) => count(files, 'One file was the same already.', '# files were the same already.'),
    keptIn: (folder: string) => `What was replaced is in ${folder}.`,
    showKept: 'Show what was replaced',
    nothing: 'Nothing was written.',
    cancelledHint: 'Files already restored stay there. Unfinished files were not kept.',
    skipped: (files: number) =>
      count(
        files,
        'One file already existed and was left unchanged.',
        '# files already existed and were left unchanged.',
      ),
    failures: (files: number) => count(files, 'One file could not be restored', '# files could not be restored'),
    failuresHint: 'All others are complete. Trying again restores only what is missing.',
    listed: (files: string) => `The first ${files} are listed.`,
    warnings: (warnings: number) => count(warnings, 'One warning', '# warnings'),
    retry: 'Try those again',
    again: 'Try again',
    elsewhere: 'Change and try again…',
    show: 'Show in file manager',
    finish: 'Done',
  },
};
