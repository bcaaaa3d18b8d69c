// Compiled from the catalogues by `npm run texts`. Do not edit.
import { messagesOf } from '../../messages.ts';

const m = messagesOf('en');

export const devices = {
  intro: 'Computers that back up to the same destination.',
  destination: 'Destination',
  thisOne: 'This computer',
  others: 'Other computers',
  statuses: {
    healthy: 'Up to date',
    new: 'No backup yet',
    warning: 'Needs attention',
    offline: 'Not seen recently',
    alarm: 'Signs of ransomware',
    revoked: 'Revoked',
  },
  lastBackup: 'Last backup',
  lastSeen: 'Last seen',
  never: 'Never',
  noOthers: 'No other computer backs up here',
  noOthersService: 'Sign in to the same service on another computer, and it appears here.',
  noOthersFolder: 'Your backups go to a folder or a bucket, not to a service. Other computers that use the same destination with your recovery phrase appear here.',
  removeHint: 'Removing a computer changes the key of your backups. Your other computers get the new key automatically.',
  remove: 'Remove and change the key…',
  removeOf: (name: string): string => `Remove ${m.text(name)} and change the key`,
  removeTitle: (name: string): string => `Remove “${m.text(name)}” and change the key?`,
  removeBody: 'That computer can no longer open new backups, and anything it writes is ignored. It can still open earlier backups. Its restore points stay, and you can restore them from here.',
  removePhrase: 'You get a new recovery phrase. Write it down: the old one opens only earlier backups.',
  removeDo: 'Remove and change the key',
  revoke: 'Revoke…',
  revokeOf: (name: string): string => `Revoke ${m.text(name)}`,
  revokeTitle: (name: string): string => `Revoke “${m.text(name)}”?`,
  revokeBody: 'That computer can no longer back up or restore. Its restore points stay, and you can restore them from here. This cannot be undone; the computer would have to be set up again.',
  revokeDo: 'Revoke',
  signIn: 'Sign in to confirm that it’s you. Your password isn’t stored.',
  renewTitle: 'Change the key of your backups, too?',
  renewBody: (name: string): string => `“${m.text(name)}” can no longer reach the service, but it still has the key. Whoever gets at your backups in another way could open future ones with it. A new key prevents that.`,
  renewDo: 'Change the key',
  revoked: (name: string): string => `“${m.text(name)}” is revoked.`,
};
