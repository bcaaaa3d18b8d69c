/** Texts of the window: devices. */
export const devicesEn = {
  intro: 'Computers that back up to the same destination.',
  destination: 'Destination',
  thisOne: 'This computer',
  others: 'Other computers',
  statuses: {
    healthy: 'Up to date',
    new: 'No backup yet',
    warning: 'Needs attention',
    offline: 'Not seen for a while',
    alarm: 'Looks like ransomware',
    revoked: 'Revoked',
  },
  lastBackup: 'Last backup',
  lastSeen: 'Last seen',
  never: 'Never',
  noOthers: 'No other computer backs up here',
  noOthersService: 'Sign in to the same service on another computer, and it appears here.',
  noOthersFolder:
    'Your backups go to a folder or a bucket, not to a service. Other computers that use the same destination with your recovery phrase appear here.',
  removeHint: 'Removing a computer changes the key of your backups. The others get the new one by themselves.',
  remove: 'Remove and change the key…',
  removeOf: (name: string) => `Remove ${name} and change the key`,
  removeTitle: (name: string) => `Remove “${name}” and change the key?`,
  removeBody:
    'That computer cannot open anything that is backed up from now on, and nothing that it writes counts. What was backed up before it can still open. Its restore points stay, and you can restore them from here.',
  removePhrase:
    'You get a new recovery phrase, which you should write down. The old one opens only what was backed up before.',
  removeDo: 'Remove and change the key',
  revoke: 'Revoke…',
  revokeOf: (name: string) => `Revoke ${name}`,
  revokeTitle: (name: string) => `Revoke “${name}”?`,
  revokeBody:
    'That computer can no longer back up or restore. Its restore points stay, and you can restore them from here. This cannot be undone; the computer would have to be set up again.',
  revokeDo: 'Revoke',
  signIn: 'Sign in to confirm that it’s you. Your password isn’t stored.',
  revoked: (name: string) => `“${name}” is revoked.`,
};
