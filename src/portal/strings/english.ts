// Written by `npm run texts` from the English catalogue. Do not edit.

/** The texts of a language. */
export interface Strings {
  entrance: {
    signIn: string; email: string; password: string; newPassword: string; passwordHint: string; next: string; forgotten: string; recoverTitle: string;
    recoverLead: string; recoverSend: string; recoverSent: string; resetTitle: string; resetLead: string; codeTitle: string; factor: string;
    recovery: string; recoveryCode: string; useApp: string; back: string; setUpTitle: string; setUpLead: string; setUpToken: string;
    setUpTokenHint: string; joinTitle: string; joinLead: string; enrolTitle: string; enrolLead: string; enrolSecret: string; qr: string;
    codesTitle: string; codesLead: string; codesKept: string; download: string; or: string; provider: (name: string) => string;
    providerRefused: string; providerStale: string;
  };
  security: {
    title: string; lead: (email: string) => string; password: string; passwordLead: string; changePassword: string; currentPassword: string;
    passwordChanged: string; factors: string; addFactor: string; factorName: string; factorNameHint: string; presentCodeHint: string;
    removeFactor: string; removeFactorOf: (name: string) => string; removeFactorTitle: (name: string) => string; lastFactor: string;
    recoveryCodes: string; codesLeft: (number: number) => string; newCodes: string; newCodesBody: string; sessions: string; session: string;
    address: string; lastUsed: string; thisOne: string; endSession: string; endSessionOf: (name: string) => string; unknownProgram: string;
  };
  passkeys: {
    title: string; lead: string; add: string; addLead: string; name: string; nameHint: string; codeHint: string; use: string; or: string;
    addedAt: (ago: string) => string; usedAt: (ago: string) => string; remove: string; removeOf: (name: string) => string;
    removeTitle: (name: string) => string; removeBody: string;
  };
  team: {
    title: string; lead: string; email: string; role: string; roles: Readonly<Record<string, string>>; roleHints: Readonly<Record<string, string>>;
    mfa: string; mfaOn: string; mfaOff: string; joined: (day: string) => string; invite: string; inviteTitle: string; invited: string;
    invitedBody: (email: string) => string; invitedByMail: (email: string) => string; invitedUnmailed: (email: string) => string; invitations: string;
    expires: string; withdraw: string; withdrawOf: (email: string) => string; withdrawBody: string; remove: string;
    removeOf: (email: string) => string; removeTitle: (email: string) => string; removeBody: string; you: string; used: string;
    usedOf: (used: string, quota: string) => string; quota: string; quotaOf: (email: string) => string; quotaLead: (used: string) => string;
    changeRole: string; changeRoleOf: (email: string) => string; resetFactor: string; resetFactorOf: (email: string) => string;
    resetFactorTitle: (email: string) => string; resetFactorBody: string; lastActive: string; show: string; everybody: string;
    filters: {
      no_factor: string; inactive: string;
    };
    sort: string;
    orders: {
      email: string; active: string; used: string; joined: string;
    };
    devices: (devices: number) => string; removeSeveral: (count: number) => string;
  };
  audit: {
    title: string; lead: string; time: string; what: string; who: string; address: string; none: string; service: string; formerMember: string;
    older: string; end: string; restorePointOf: (time: string) => string; limitOf: (bytes: string) => string; noLimit: string;
    days: (number: string) => string; kinds: Readonly<Record<string, string>>; everything: string;
    groups: {
      sign_in: string; team: string; devices: string; restore_points: string; webhooks: string; plan: string; erasure: string;
    };
    everybody: string; device: string; everyDevice: string; formerDevice: string; from: string; to: string; clear: string; saveCsv: string;
    saveLines: string; endOfMatches: string; nothingYet: string; searchOlder: string; before: string; after: string; allEvents: string;
    fields: Readonly<Record<string, string>>;
  };
  attention: {
    title: string; nothing: string; moreDevices: (number: number) => string; muted: string; mutedText: string; mutedOut: string; show: string;
    showOf: (name: string) => string; alarm: (set: string, device: string) => string; alarmText: (raised: string, reasons: string) => string;
    alarmPoint: (point: string) => string; alarmGood: (point: string) => string; alarmNoGood: string; alarmOut: (device: string) => string;
    reasons: Readonly<Record<string, string>>; held: string; heldText: (since: string) => string; heldOut: string; lost: (number: number) => string;
    lostText: string; lostOut: string; limit: (percent: string) => string; full: string; limitText: (used: string, limit: string) => string;
    limitOut: string; fullOut: string; payment: string; paymentText: (day: string) => string; paymentOut: string;
    webhookFails: (url: string) => string; webhookSince: (time: string) => string; webhookFailsOut: (time: string) => string;
    webhookOff: (url: string) => string; webhookOffText: (time: string) => string; webhookOffOut: string;
    offline: (device: string, seen: string) => string; offlineOut: string; failed: (set: string, device: string) => string;
    failedText: (ended: string, why: string) => string;
    failures: {
      aborted: string; expired: string; none: string;
    };
    failedOut: (device: string) => string; late: (device: string) => string; lateOut: (device: string) => string; new: (device: string) => string;
    newText: (registered: string) => string; newOut: (device: string) => string; lastBackup: (time: string) => string; noBackup: string;
  };
  device: {
    all: string; gone: string; owner: string; registered: string; health: string; healthLabel: (good: number, bad: number) => string;
    days: {
      completed: string; failed: string; both: string; none: string;
    };
    dayLabel: (day: string, state: string) => string; sets: string; noSets: string; moreSets: (number: number) => string; runs: string;
    runsHint: string; noRuns: string; started: string; result: string; duration: string; newData: string; running: string; completed: string;
    failed: string; suspicious: string; warnings: (number: number) => string;
  };
  pages: {
    search: string; range: (from: string, to: string, all: string) => string; previous: string; next: string; nothing: string; nothingHint: string;
    everyStatus: string; counted: (text: string, number: string) => string; selectShown: string; select: (name: string) => string;
    selected: (count: number) => string; clearSelection: string; andMore: (count: number) => string; progress: (tried: string, all: string) => string;
    severalDone: (count: number) => string; severalLeft: (count: number) => string; failedRow: (name: string, why: string) => string;
    untriedRow: (name: string) => string;
  };
  erasure: {
    title: string; lead: string; none: string; begin: string; what: string; due: string; dueOn: (time: string) => string;
    doneOn: (time: string) => string; gone: string; cancel: string; cancelOf: (what: string) => string; dialogTitle: string;
    memberOf: (email: string) => string; memberTitle: (email: string) => string; memberBody: string; wait: string; keepFirst: string;
    download: string; submit: string; scopes: Readonly<Record<string, string>>; ofSet: (device: string, set: string) => string;
    ofDevice: (device: string) => string; ofMember: (email: string) => string; ofAccount: string;
  };
  common: {
    loading: string; retry: string; cancel: string; close: string; save: string; done: string; copy: string; copied: string;
    invalid: {
      missing: string; email: string; url: string; short: (characters: number) => string; other: string;
    };
    never: string; actions: string; code: string; codeHint: string; freshCode: string; freshCodeLead: string; confirmHint: string;
  };
  shell: {
    skip: string; sections: string; openSections: string; messages: string; signOut: string; language: string; whyNoFiles: string;
  };
  noFiles: {
    title: string; body: string[];
  };
  sections: {
    overview: string; devices: string; backups: string; webhooks: string; team: string; security: string; audit: string;
  };
  overview: {
    title: string; stored: string; storedOf: (used: string, quota: string) => string; saved: string; nothingSaved: string; savedHint: string;
    devices: string; lastBackup: string; noQuota: string; storageChart: string; storageLabel: (value: string) => string; newChart: string;
    newLabel: (value: string) => string; noRuns: string; attention: (number: number) => string; allWell: string; otherAttention: string;
    nothingYet: string; nothingYetHint: string;
  };
  devices: {
    title: string; lead: string; name: string; status: string; lastBackup: string; lastSeen: string; rename: string;
    renameOf: (name: string) => string; revoke: string; revokeOf: (name: string) => string; revokeTitle: (name: string) => string; revokeBody: string;
    none: string; noneHint: string; states: Readonly<Record<string, string>>; revokeSeveral: (count: number) => string; revokeSeveralBody: string;
  };
  backups: {
    title: string; lead: string; set: string; device: string; points: string; newest: string; files: string; size: string; show: string;
    showOf: (name: string) => string; pointsOf: (name: string, device: string) => string; time: string; none: string; noneHint: string;
    more: (number: number) => string;
  };
  webhooks: {
    title: string; lead: string; add: string; url: string; urlHint: string; events: string; allEvents: string; chosenEvents: string;
    everyEvent: string; countOfEvents: (number: number) => string; state: string; active: string; disabled: string; failing: string; test: string;
    tested: string; replay: string; replayRange: string;
    ranges: {
      'failed-day': string; 'failed-month': string; 'all-hour': string; 'all-day': string;
    };
    replayed: (number: number) => string; created: string; secretTitle: string; secretBody: string; rotated: string;
    secretOf: (url: string) => string; newSecret: string; edit: string; editOf: (url: string) => string; enable: string;
    enableOf: (url: string) => string; enableBody: string; remove: string; removeOf: (url: string) => string; removeTitle: string; removeBody: string;
    deliveries: string; deliveriesOf: (url: string) => string; event: string; time: string; answer: string; tries: (number: number) => string;
    delivered: string; queued: string; waiting: string; givenUp: string; noAnswer: string; body: string; resend: string; resent: string; none: string;
    noneHint: string; noDeliveries: string;
  };
  failures: Readonly<Record<string, string>>; failureWith: (detail: string) => string; failureOther: (code: string) => string;
  waitSeconds: (seconds: number) => string;
  plan: {
    title: string; none: string; limit: (bytes: string) => string; noLimit: string; since: (day: string) => string; used: (bytes: string) => string;
    elsewhere: string; change: string; changeLead: string; name: string; nameHint: string; limitField: string; limitHint: string; limitWrong: string;
    paymentFailed: (day: string) => string; notePaid: string; noteFailed: string; noteFailedLead: string; reason: string; reasonHint: string;
    amount: string; amountHint: string; currency: string; currencyHint: string;
  };
  retention: {
    stays: string; pinned: string; pin: string; pinOf: (time: string) => string; unpin: string; unpinOf: (time: string) => string;
    reasons: Readonly<Record<string, string>>; goes: string; goesLater: (day: string) => string; everything: string;
    policy: (parts: string) => string; endsOf: (periods: string) => string;
    parts: {
      keep_all_days: (number: number) => string; hourly: (number: number) => string; daily: (number: number) => string;
      weekly: (number: number) => string; monthly: (number: number) => string; yearly: (number: number) => string;
    };
    minimum: (days: number) => string; held: (day: string) => string; release: string; releaseTitle: string; releaseBody: string;
    freeing: (bytes: string, day: string) => string; change: string; changeOf: (name: string) => string; lead: string;
    fields: {
      keep_all_days: string; hourly: string; daily: string; weekly: string; monthly: string; yearly: string;
    };
    keepEverything: string; preview: string; previewNone: string; previewSome: (points: number) => string; keepsNothing: string; back: string;
  };
}
