/** Texts of the window: changing the destination, in Settings. */
export const destinationEn = {
  title: 'Another destination',
  done: 'Your backups go here now.',
  move: {
    open: 'Locate moved backups…',
    hint: 'The disk has another path, or the server or service another address, password or key.',
    title: 'Where are your backups now?',
    intro: (location: string) => `They were at ${location}. Holdfast first looks for them at the new destination.`,
    kinds: {
      folder: 'Choose the folder that your backups are in now.',
      service: 'Enter the current address of the service.',
      bucket: 'Enter the current address of the bucket, with its keys.',
      sftp: 'Enter the current address of the SSH server.',
      webdav: 'Enter the current address of the WebDAV server.',
      rclone: 'Enter the current remote of rclone.',
    },
    look: 'Look there',
  },
  begin: {
    open: 'Change destination…',
    hint: 'Your backup sets, settings and recovery phrase stay. The next backup stores everything at the new destination.',
    title: 'Begin new backups here?',
    stays: (location: string) => `The backups at ${location} stay there, and you can go back to them.`,
    keeps: 'Your backup sets, settings and recovery phrase stay the same.',
    brings: 'The next backup stores everything here.',
    bringsBytes: (bytes: string) => `The next backup stores everything here, about ${bytes}.`,
    littleFree: (free: string) => `Only ${free} free. That may not be enough for all of your files.`,
    begin: 'Begin here',
  },
  former: {
    title: 'Earlier destinations',
    text: 'These backups are still there. Switch back to continue there.',
    until: (when: string) => `Until ${when}`,
    again: 'Go back',
    againLabel: (location: string) => `Go back to ${location}`,
    confirmTitle: 'Go back to this destination?',
    confirmText: (location: string) =>
      `Backups then go to ${location} again. Your current backups stay where they are. Holdfast first looks whether the earlier ones are still there.`,
  },
};
