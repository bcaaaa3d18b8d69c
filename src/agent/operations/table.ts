import type { AgentMethods } from '../../ipc/contract/contract.ts';
import type { AgentParts } from '../context/agent-parts.ts';

/**
 * An operation takes the parts of an agent, its input, and what it gets besides: the signal that ends it, and functions that are told of its
 * progress. An input that a person or a script gives can be written as JSON, but for streams and the functions of limits.
 */
export type Operation = (parts: AgentParts, input: never, run: never) => unknown;

export interface OperationEntry {
  /** Loads the module with the first call: a command starts with what it needs, and nothing else. */
  readonly load: () => Promise<Operation>;
  /** True if the agent host performs it in a thread of its own, since it works for longer than a call may take. */
  readonly isLong?: true;
  /** The call of the window that is this operation and nothing besides: the agent host serves it from here. */
  readonly call?: keyof AgentMethods;
  /** True if the app state follows from what such a call changes. */
  readonly changesHome?: true;
}

/** Every operation, by the name of the agent's method. */
export const OPERATIONS = {
  // Runs
  backup: { load: async () => (await import('./backup/backup.ts')).backUp, isLong: true },
  restore: { load: async () => (await import('./restore/restore.ts')).restore, isLong: true },
  undoRestore: { load: async () => (await import('./restore/undo-restore.ts')).undo, isLong: true },
  verify: { load: async () => (await import('./verify.ts')).verify, isLong: true },
  drill: { load: async () => (await import('./drill/drill.ts')).drill, isLong: true },
  check: { load: async () => (await import('./check.ts')).checkDestination, isLong: true },
  repair: { load: async () => (await import('./check.ts')).repairDestination, isLong: true },
  exportPoint: { load: async () => (await import('./export/export.ts')).exportPoint, isLong: true },
  planFreeing: { load: async () => (await import('./free.ts')).planFreeing, isLong: true, call: 'destination.space' },
  freeSpace: {
    load: async () => (await import('./free.ts')).freeSpace,
    isLong: true,
    call: 'destination.free',
    changesHome: true,
  },
  copyDestination: { load: async () => (await import('./copy-destination.ts')).copyDestination },
  watch: { load: async () => (await import('./watch.ts')).watchSet },
  mount: { load: async () => (await import('./mount/mount.ts')).mount },

  // Restore points
  locateSet: { load: async () => (await import('./restore/locate-set.ts')).locateSet },
  points: { load: async () => (await import('./points.ts')).points },
  pointsEverywhere: { load: async () => (await import('./points.ts')).pointsEverywhere },
  nearestPoints: { load: async () => (await import('./points.ts')).nearestPoints },
  pinnedPoints: { load: async () => (await import('./points.ts')).pinnedPoints },
  restoreSources: { load: async () => (await import('./restore/restore-sources.ts')).restoreSources },
  readContent: { load: async () => (await import('./restore/read-content.ts')).readContent },
  list: { load: async () => (await import('./list.ts')).list },
  openHistory: { load: async () => (await import('./history/open-history.ts')).openHistory },
  undoableRestore: { load: async () => (await import('./restore/undo-restore.ts')).lastUndoable },
  retention: { load: async () => (await import('./retention/retention.ts')).performRetention },
  retentionPolicy: {
    load: async () => (await import('./retention/retention-policy.ts')).shownRetentionPolicy,
    call: 'sets.retention',
  },
  saveRetentionPolicy: {
    load: async () => (await import('./retention/retention-policy.ts')).saveRetentionPolicy,
    call: 'sets.retention.save',
  },
  previewRetentionPolicy: {
    load: async () => (await import('./retention/retention-policy.ts')).previewRetentionPolicy,
    call: 'sets.retention.preview',
  },
  policy: { load: async () => (await import('./retention/retention.ts')).performPolicy },
  devices: { load: async () => (await import('./devices.ts')).devices },
  revokeDevice: { load: async () => (await import('./devices.ts')).revokeDevice },

  // Sets
  sets: { load: async () => (await import('./sets.ts')).sets },
  set: { load: async () => (await import('./sets.ts')).oneSet },
  addSet: { load: async () => (await import('./sets.ts')).addSet, call: 'sets.add', changesHome: true },
  saveSet: { load: async () => (await import('./sets.ts')).saveSet, call: 'sets.save', changesHome: true },
  removeSet: { load: async () => (await import('./sets.ts')).removeSet, call: 'sets.remove', changesHome: true },
  hooks: { load: async () => (await import('./hooks.ts')).hooksOfSet, call: 'sets.hooks' },
  changeHooks: {
    load: async () => (await import('./hooks.ts')).changeHooks,
    call: 'sets.hooks.save',
    changesHome: true,
  },
  timers: { load: async () => (await import('./timers/switch-timer.ts')).timerStates },
  switchTimer: { load: async () => (await import('./timers/switch-timer.ts')).switchTimer },

  // Reports
  status: { load: async () => (await import('./status.ts')).statusOf },
  report: { load: async () => (await import('./report/period-report.ts')).periodReport },
  sendReport: { load: async () => (await import('./report/send-report.ts')).sendReport },
  sendStoredReport: { load: async () => (await import('./report/report-file.ts')).sendStoredReport },
  drillCertificate: {
    load: async () => (await import('./drill/certificate.ts')).drillCertificate,
    call: 'drill.certificate',
  },

  // Destinations
  setup: { load: async () => (await import('./setup.ts')).setup },
  destinations: { load: async () => (await import('./destinations.ts')).listDestinations },
  addDestination: { load: async () => (await import('./destinations.ts')).addDestination },
  removeDestination: {
    load: async () => (await import('./destinations.ts')).removeDestination,
    call: 'destinations.remove',
    changesHome: true,
  },
  changeDestination: {
    load: async () => (await import('./destinations.ts')).changeDestination,
    call: 'destinations.change',
    changesHome: true,
  },
  moveDestination: { load: async () => (await import('./change-destination.ts')).moveDestination },
  beginElsewhere: { load: async () => (await import('./change-destination.ts')).beginElsewhere },
  returnToFormer: {
    load: async () => (await import('./change-destination.ts')).returnToFormer,
    call: 'destination.return',
    changesHome: true,
  },
  hostKeys: { load: async () => (await import('./host-key.ts')).hostKeys, call: 'destination.host-key' },
  acceptHostKey: {
    load: async () => (await import('./host-key.ts')).acceptHostKey,
    call: 'destination.accept-host-key',
    changesHome: true,
  },
  signIn: { load: async () => (await import('./sign-in.ts')).signInAgain },
  renewWriter: { load: async () => (await import('./renew-writer.ts')).renewWriter },

  // Keys
  planRotation: { load: async () => (await import('./keys/rotate-key.ts')).planRotation },
  rotateKey: { load: async () => (await import('./keys/rotate-key.ts')).rotateKey },
  hasPassphrase: { load: async () => (await import('./keys/change-passphrase.ts')).hasPassphrase },
  changePassphrase: { load: async () => (await import('./keys/change-passphrase.ts')).changePassphrase },
  newKeyCode: { load: async () => (await import('./keys/new-code.ts')).newCode, call: 'key.code' },
  adoptPhrase: { load: async () => (await import('./keys/adopt-phrase.ts')).adoptPhrase },
  recoveryPhrase: { load: async () => (await import('./recovery-phrase.ts')).recoveryPhrase },
} as const satisfies Readonly<Record<string, OperationEntry>>;

export type OperationName = keyof typeof OPERATIONS;
