/** Paths of the control plane, relative to the service's base address. */
export const ENDPOINTS = {
  backupInit: '/functions/v1/backup/init',
  backupPresign: '/functions/v1/backup/presign',
  backupProgress: '/functions/v1/backup/progress',
  backupComplete: '/functions/v1/backup/complete',
  restoreManifest: '/functions/v1/restore/manifest',
  restorePresign: '/functions/v1/restore/presign',
  token: '/auth/v1/token',
  factorVerify: '/auth/v1/factors/:factor_id/verify',
  deviceAuth: '/functions/v1/auth/device',
  devices: '/rest/v1/devices',
  // Holdfast's extensions. The agent has a fallback for each.
  capabilities: '/functions/v1/capabilities',
  backupOpen: '/functions/v1/backup/open',
  backupPack: '/functions/v1/backup/pack',
  restorePack: '/functions/v1/restore/pack',
  restoreReport: '/functions/v1/restore/report',
  billingNotices: '/functions/v1/billing/notices',
  backupAbort: '/functions/v1/backup/abort',
  restorePoints: '/rest/v1/restore_points',
  backupSets: '/rest/v1/backup_sets',
  registerDevice: '/functions/v1/devices',
} as const;
