import { counterOf } from '../plural.ts';

const count = counterOf('en');

/** Counts up to a handful in words. */
const COPIES = ['No copies', 'One copy', 'Two copies', 'Three copies', 'Four copies', 'Five copies'] as const;

/** Texts of the window and the tray: several destinations. */
export const destinationsEn = {
  places: {
    folder: (name: string) => `on “${name}”`,
    bucket: (name: string) => `in the bucket “${name}”`,
    sftp: (name: string) => `on the server “${name}”`,
    webdav: (name: string) => `on the server “${name}”`,
    rclone: (name: string) => `at “${name}”`,
    service: (name: string) => `with the service “${name}”`,
  },
  copies: {
    complete: (copies: number, places: string) => `${COPIES[copies] ?? count(copies, 'copy', 'copies')}: ${places}.`,
    noComplete: 'No complete copy.',
    partial: (places: string) => `Incomplete: ${places}.`,
    none: (places: string) => `None yet: ${places}.`,
    nowhere: (places: string) => `No copy yet: ${places}.`,
    setsOf: (some: number, all: number) => `${some} of ${count(all, 'backup set', 'backup sets')}`,
    noted: (place: string, notes: string) => `${place} (${notes})`,
    absent: 'not connected',
    failed: 'last attempt failed',
    firstFailed: 'first attempt failed',
    behind: 'out of date',
    running: 'first backup running',
    interrupted: 'first backup interrupted',
    oneOnDisk: 'One copy, on a disk at this computer.',
    oneOnServer: 'One copy, on a server in your network.',
    addAnother: 'Add a destination somewhere else, so that you don’t lose both to theft or fire.',
    addElsewhere:
      'All copies are near this computer. Add a destination somewhere else, so that you don’t lose everything to theft or fire.',
  },
  title: 'Destinations',
  run: {
    opening: 'Connecting',
    scanning: 'Scanning files',
    storing: (done: string) => `${done} stored`,
    uploading: (done: string, total: string) => `${done} of ${total}`,
    committing: 'Finishing',
    done: 'Done',
    failed: 'Failed',
    waiting: 'Waiting for the connection',
  },
  check: 'Check…',
  repair: 'Repair…',
  actionsOf: (name: string) => `Actions for “${name}”`,
  rename: {
    open: 'Rename…',
    title: 'Rename this destination',
    name: 'Name',
    submit: 'Rename',
  },
  schedule: {
    open: 'Schedule…',
    title: (name: string) => `Schedule of “${name}”`,
    label: 'When backups go there',
    sets: 'Same as the backup sets',
    setsHint: 'Each set is backed up there on its own schedule.',
    own: 'On its own schedule',
    ownHint: 'All sets are backed up there at these times.',
    manual: 'Manually',
    manualHint: 'Scheduled backups skip it. Only backups that you start go there.',
    submit: 'Save',
    isOwn: (sentence: string) => `Own schedule: ${sentence}`,
  },
  remove: {
    open: 'Remove…',
    title: (name: string) => `Remove “${name}”?`,
    stays: (location: string) => `New backups no longer go to ${location}. The backups there stay.`,
    comeBack: 'To use it again later, add the same destination. Its backups are then continued.',
    confirm: 'Remove',
  },
  standing: {
    running: 'Backing up',
    absent: 'Not connected',
    failed: 'Last attempt failed',
    behind: 'Out of date',
    interrupted: 'Interrupted',
    good: 'Up to date',
    partial: 'Incomplete',
    none: 'No backup yet',
  },
  lastBackup: (ago: string) => `Last backup ${ago}`,
  free: (bytes: string) => `${bytes} free`,
  stored: (bytes: string) => `${bytes} stored`,
  backedUpTo: (some: number, all: number) => `Backed up to ${some} of ${count(all, 'destination', 'destinations')}`,
  inTray: (name: string, standing: string) => `${name}: ${standing}`,
};
