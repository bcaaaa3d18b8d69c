/** Texts of the window: devices. */
export const devicesEn = {
  intro: 'Computers that back up to the same destination.',
  destination: 'Destination',
  thisOne: 'This computer',
  others: 'Other computers',
  statuses: { healthy: 'Up to date', warning: 'Needs attention', offline: 'Not seen for a while', revoked: 'Revoked' },
  lastBackup: 'Last backup',
  lastSeen: 'Last seen',
  never: 'Never',
  noOthers: 'No other computer backs up here',
  noOthersService: 'Sign in to the same service on another computer, and it appears here.',
  noOthersFolder:
    'Your backups go to a folder or a bucket, not to a service. Other computers that use the same destination with your recovery phrase appear here.',
  cannotRevoke: 'Only a service can lock computers out; a folder or a bucket cannot tell them apart.',
  revoke: 'Revoke…',
  revokeOf: (name: string) => `Revoke ${name}`,
  revokeTitle: (name: string) => `Revoke “${name}”?`,
  revokeBody:
    'That computer can no longer back up or restore. Its restore points stay, and you can restore them from here. This cannot be undone; the computer would have to be set up again.',
  revokeDo: 'Revoke',
  signIn: 'Sign in to confirm that it’s you. Your password isn’t stored.',
  revoked: (name: string) => `“${name}” is revoked.`,
};
