// Compiled from the catalogues by `npm run texts`. Do not edit.
import { messagesOf } from '../../messages.ts';

const m = messagesOf('en');

export const destination = {
  title: 'Another destination',
  done: 'Your backups go here now.',
  add: {
    open: 'Add another destination…',
    hint: 'Backups then go to both places. The recovery phrase stays the same, and the first backup there sends everything.',
    title: 'Back up to this destination, too?',
    others: 'Your other backups continue as before.',
    phrase: 'The recovery phrase is the same for all of your backups.',
    sends: 'The first backup here sends everything.',
    sendsBytes: (bytes: string): string => `The first backup here sends everything, about ${m.text(bytes)}.`,
    confirm: 'Add destination',
    added: (name: string): string => `Backups now go to “${m.text(name)}”, too.`,
    continued: (name: string): string => `Backups now go to “${m.text(name)}”, too, and continue the earlier ones there.`,
  },
  move: {
    open: 'Locate moved backups…',
    hint: 'The disk has another path, or the server or service another address, password or key.',
    title: 'Where are your backups now?',
    intro: (location: string): string => `They were at ${m.text(location)}. Holdfast first looks for them at the new destination.`,
    kinds: {
      folder: 'Choose the folder that your backups are in now.',
      service: 'Enter the current address of the service.',
      bucket: 'Enter the current address of the bucket, with its keys.',
      sftp: 'Enter the current address of the SSH server.',
      webdav: 'Enter the current address of the WebDAV server.',
      rclone: 'Enter the current remote of rclone.',
    },
    look: 'Find backups',
  },
  begin: {
    open: 'Change destination…',
    hint: 'Your backup sets, settings and recovery phrase stay. The next backup stores everything at the new destination.',
    title: 'Start new backups here?',
    stays: (location: string): string => `The backups at ${m.text(location)} stay there, and you can switch back to them.`,
    keeps: 'Your backup sets, settings and recovery phrase stay the same.',
    brings: 'The next backup stores everything here.',
    bringsBytes: (bytes: string): string => `The next backup stores everything here, about ${m.text(bytes)}.`,
    littleFree: (free: string): string => `Only ${m.text(free)} free. That may not be enough for all of your files.`,
    begin: 'Start here',
  },
  former: {
    title: 'Earlier destinations',
    text: 'These backups are still there. Switch back to continue there.',
    until: (when: string): string => `Until ${m.text(when)}`,
    again: 'Switch back',
    againLabel: (location: string): string => `Switch back to ${m.text(location)}`,
    confirmTitle: 'Switch back to this destination?',
    confirmText: (location: string): string => `Backups then go to ${m.text(location)} again. Your current backups stay where they are. Holdfast first checks that the earlier ones are still there.`,
    replaced: 'Replaces',
    confirmSeveral: (location: string, name: string): string => `Backups then go to ${m.text(location)} instead of “${m.text(name)}”, whose backups stay where they are. Holdfast first checks that the earlier ones are still there.`,
  },
};
