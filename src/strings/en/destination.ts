/** Texts of the window: changing the destination, in Settings. */
export const destinationEn = {
  title: 'Another destination',
  done: 'Your backups go here now.',
  move: {
    open: 'Locate moved backups…',
    hint: 'The disk has another path, or the service or bucket another address or other keys.',
    title: 'Where are your backups now?',
    intro: (place: string) => `So far they were at ${place}. Holdfast looks for them at the new destination first.`,
    kinds: {
      folder: 'Choose the folder that your backups are in now.',
      service: 'Enter the address that the service has now.',
      bucket: 'Enter how the bucket is reached now, with its keys.',
    },
    look: 'Look there',
  },
  begin: {
    open: 'Change destination…',
    hint: 'Your backup sets, settings and recovery phrase stay. The next backup brings everything to the new destination.',
    title: 'Begin new backups here?',
    stays: (place: string) => `The backups at ${place} stay there, and you can go back to them.`,
    keeps: 'Your backup sets, settings and recovery phrase stay the same.',
    brings: 'The next backup brings everything here.',
    bringsBytes: (bytes: string) => `The next backup brings everything here, about ${bytes}.`,
    littleFree: (free: string) => `Only ${free} are free there. That may be too little for all of your files.`,
    begin: 'Begin here',
  },
  former: {
    title: 'Earlier destinations',
    text: 'These backups are still there. Switch back to continue there.',
    until: (when: string) => `Until ${when}`,
    again: 'Go back',
    againLabel: (place: string) => `Go back to ${place}`,
    confirmTitle: 'Go back to this destination?',
    confirmText: (place: string) =>
      `Backups then go to ${place} again. The backups that you have now stay where they are. Holdfast looks first whether your backups are still there.`,
  },
};
