// Written by `npm run texts` from the English catalogue. Do not edit.
import type { FailureSentences } from './failure-types.ts';

/** The texts of a language. */
export interface Strings {
  account: {
    email: string; password: string; missing: string; signIn: string; or: string; provider: string; providerHint: string; waiting: string;
    stopWaiting: string; over: string; choose: string; totp: string; recovery: string; code: string; codeHint: string; recoveryCode: string;
    recoveryHint: string; otherCode: string; wrong: string; wrongOther: string; short: string; confirm: string; notKept: string; account: string;
    service: string; computer: string; signsIn: string;
    signsInBy: {
      key: string; person: string;
    };
    sessions: string; sessionsAsk: string; showSessions: string; showSessionsTitle: string; signedInAs: (email: string) => string; signOut: string;
    noSessions: string; unknownProgram: string; thisOne: string; lastUsed: (ago: string) => string; signedInOn: (moment: string) => string;
    onlyThis: string; end: string; endOf: (name: string) => string; endTitle: (name: string) => string; endText: string; endDo: string;
    endOthers: string; endOthersTitle: string; endOthersText: string; endOthersDo: string;
  };
  activity: {
    running: string;
    titles: {
      backup: (set: string) => string; restore: (set: string) => string; undo: (set: string) => string; export: (set: string) => string;
      mount: (place: string) => string; verify: (set: string) => string; drill: (set: string) => string; check: (place: string) => string;
      repair: (place: string) => string; copy: (place: string) => string;
    };
    restoreOf: (name: string, more: number, set: string) => string; restoredWhere: (folder: string | null) => string;
    outcomes: {
      succeeded: string; warnings: string; failed: string; cancelled: string; interrupted: string;
    };
    triggers: {
      person: string; schedule: string; missed: string; change: string; resume: string;
    };
    took: (length: string) => string; openFor: (length: string) => string; warnings: (warnings: number) => string;
    filters: {
      set: string; allSets: string; kind: string; allKinds: string;
      kinds: {
        backup: string; restore: string; undo: string; export: string; mount: string; verify: string; drill: string; check: string; repair: string;
        copy: string;
      };
      destination: string; allDestinations: string; outcome: string; allOutcomes: string;
      outcomes: {
        succeeded: string; warnings: string; failed: string; cancelled: string; interrupted: string;
      };
      clear: string;
    };
    list: string; older: string; none: string; noneHint: string; noneOfFilter: string; noneOfFilterHint: string;
    phases: {
      scanning: string; uploading: string; committing: string; planning: string; downloading: string; finishing: string; stopping: string;
    };
    checking: string; archiving: string; mounted: string; undoing: string;
    waiting: {
      service_unreachable: string; service_silent: string; service_busy: string; destination_unreachable: string; destination_busy: string;
    };
    waitingOther: string;
    slow: {
      asked: string; 'on-battery': string; 'person-active': string;
    };
    doneOf: (done: string, total: string) => string; files: (files: number) => string; filesOf: (done: string, files: number) => string;
    left: (length: string) => string; progress: (title: string) => string; details: string; detailsOf: (title: string) => string; stop: string;
    stopOf: (title: string) => string;
    stopTitles: {
      backup: string; restore: string; undo: string; export: string; verify: string; drill: string; check: string; repair: string; copy: string;
    };
    stopBodies: {
      backup: string; restore: string; undo: string; export: string; verify: string; drill: string; check: string; repair: string; copy: string;
    };
    keepGoing: string; back: string; backupNow: string; restoreFailed: string; restoreAgain: string; verifyAgain: string;
    verifyTitle: (set: string) => string; verifyBody: string; verifySample: string; verifySampleHint: string; verifyAll: string;
    verifyAllHint: string; verifyStart: string;
    check: {
      again: string; repair: string; repairTitle: string; repairTitleAt: (place: string) => string; repairText: string; repairStart: string;
      reading: string; points: string; found: string; sound: string; storedOnce: string; damagedTitle: string; damaged: (files: number) => string;
      listWrong: string; lostTitle: string; lost: (files: number) => string; heals: (files: number) => string; healsNone: string;
      repairedTitle: string; nothingToRepair: string; repaired: (files: number) => string; shown: (files: number) => string;
      mended: (files: number) => string; mendable: string; moved: (files: number) => string; allKept: string; recovered: (points: number) => string;
      mayIncludeRemoved: string; lostPoints: (points: number) => string; losses: string;
      lossOf: (set: string, device: string, point: string) => string;
      lossOfMany: (set: string, device: string, points: number, first: string, last: string) => string;
      lossMany: (path: string, files: number) => string; lossPoint: string; lossOther: string; lossHere: string; findings: string;
      problems: {
        missing: string; hash: string; sealed: string; content: string; signature: string; size: string; length: string; hidden: string;
        unnamed: string; 'newer-version': string;
      };
      more: (files: number) => string; figureStored: string; figureRead: string; figurePoints: string; dialogTitle: string;
      dialogTitleAt: (place: string) => string; dialogText: string; quick: string; quickHint: string; sample: string; sampleHint: string;
      samplePercent: string; all: string; allHint: string; start: string;
    };
    alreadyRunning: string; suspicious: string;
    changes: {
      title: string; browse: string; unknown: string; first: string; since: (moment: string) => string; none: (moment: string) => string;
      sentence: (changes: string, bytes: string, isMore: boolean) => string; added: (files: number) => string; changed: (files: number) => string;
      removed: (files: number) => string;
      states: {
        added: string; changed: string; removed: string;
      };
      sizes: (before: string, after: string) => string; more: (entries: number) => string; cut: string;
    };
    figures: string; figureFiles: string; figureSkipped: string; figureSize: string; figureRead: string; figureWritten: string; figureChecked: string;
    figureSent: string; figureReceived: string; figureCompared: string; figureOnDisk: string; figureLeftOut: string;
    leftOut: (files: string, bytes: string) => string; leftOutAtLeast: (files: string, bytes: string) => string; figureKnown: string;
    figureTime: string; figurePutBack: string; figureMovedAside: string; figureReadErrors: string; figureCopied: string; restoredTo: string;
    archiveFile: string; mountFolder: string; movedTo: string; originalPlace: string; figureUnchanged: string; showFolder: string;
    restorePoint: string; steps: string;
    states: {
      queued: string; waiting: string; scanning: string; uploading: string; committing: string; succeeded: string; 'succeeded-with-warnings': string;
      failed: string; cancelling: string; cancelled: string; interrupted: string;
    };
    planned: string; fetching: string; copying: string; comparing: string; problems: string; problemsAll: string;
    problemsFailed: (files: string) => string; problemsWarned: (files: string) => string; problemsSearch: string; problemsNone: string;
    problemsMore: (files: number) => string; problemsShown: (shown: number, all: string) => string; problemFailed: string; problemWarned: string;
    wholePoint: string; copy: string; copied: string;
  };
  common: {
    product: string;
    views: {
      home: string; sets: string; restore: string; activity: string; devices: string; settings: string;
    };
    health: {
      'not-set-up': string; 'at-risk': string; attention: string; running: string; waiting: string; paused: string; protected: string;
    };
    title: (view: string) => string; skip: string; sections: string; of: (what: string, name: string) => string; quoted: (text: string) => string;
    said: (what: string, how: string) => string; withControl: (isMac: boolean, key: string) => string; messages: string;
    invalid: {
      missing: string; email: string; url: string; short: (characters: number) => string; other: string;
    };
    cancel: string; close: string; save: string; back: string; next: string; retry: string; loading: string; backUpNow: string; stop: string;
    remove: string; more: string;
  };
  destination: {
    title: string; done: string;
    add: {
      open: string; hint: string; title: string; others: string; phrase: string; sends: string; sendsBytes: (bytes: string) => string;
      confirm: string; added: (name: string) => string; continued: (name: string) => string;
    };
    move: {
      open: string; hint: string; title: string; intro: (location: string) => string;
      kinds: {
        folder: string; service: string; bucket: string; sftp: string; webdav: string; rclone: string;
      };
      look: string;
    };
    begin: {
      open: string; hint: string; title: string; stays: (location: string) => string; keeps: string; brings: string;
      bringsBytes: (bytes: string) => string; littleFree: (free: string) => string; begin: string;
    };
    former: {
      title: string; text: string; until: (when: string) => string; again: string; againLabel: (location: string) => string; confirmTitle: string;
      confirmText: (location: string) => string; replaced: string; confirmSeveral: (location: string, name: string) => string;
    };
  };
  destinationChoice: {
    label: string; freeOf: (free: string, total: string) => string; sameDiskHint: string; hasBackups: string;
    kinds: {
      external: string; internal: string; network: string; system: string;
    };
    folder: string; folderHint: string; chooseFolder: string; chooseOther: string; chosenFolder: string; service: string; serviceHint: string;
    serviceAddress: string; serviceAddressHint: string; bucketAddress: string; bucketAddressHint: string; endpoint: string; endpointHint: string;
    region: string; accessKeyId: string; secretAccessKey: string; server: string; serverHint: string; serverKind: string;
    servers: {
      sftp: string; webdav: string; bucket: string; rclone: string;
    };
    serverHints: {
      sftp: string; webdav: string; bucket: string; rclone: string;
    };
    user: string; password: string; folderThere: string; sshHost: string; sshHostHint: string; sshUserHint: string; sshFolderHint: string;
    signIn: string;
    signIns: {
      password: string; 'key-file': string; default: string;
    };
    defaultKeyHint: string; keyFile: string; keyFileHint: string; chooseKeyFile: string; choose: string; passphrase: string; passphraseHint: string;
    webdavAddress: string; webdavAddressHint: string; webdavUserHint: string; appPasswordHint: string; remote: string; remoteHint: string;
    rcloneFolderHint: string; lookingForRemotes: string; noRemotes: string; installRclone: string; lookAgain: string;
    hostKey: {
      title: (host: string) => string; text: string; fingerprint: string; compare: string; confirm: string;
    };
    goodToKnow: string;
    cautions: {
      overwrites: string; grows: string; versions: string; races: string; 'power-cut': string; 'read-only': string;
    };
    unencrypted: string; moreOptions: string; parity: string; noParity: string; parityShare: (percent: number) => string; parityHint: string;
    objectLock: string; noObjectLock: string; objectLockDays: (days: number) => string; objectLockHint: string; choiceMissing: string;
    folderMissing: string; missing: string;
  };
  destinations: {
    places: {
      folder: (name: string) => string; bucket: (name: string) => string; sftp: (name: string) => string; webdav: (name: string) => string;
      rclone: (name: string) => string; service: (name: string) => string;
    };
    copies: {
      complete: (copies: number, places: string) => string; noComplete: string; partial: (places: string) => string; none: (places: string) => string;
      nowhere: (places: string) => string; setsOf: (some: number, all: number) => string; noted: (place: string, notes: string) => string;
      absent: string; failed: string; firstFailed: string; behind: string; running: string; interrupted: string; oneOnDisk: string;
      oneOnServer: string; addAnother: string; addElsewhere: string;
    };
    title: string;
    run: {
      opening: string; scanning: string; storing: (done: string) => string; uploading: (done: string, total: string) => string; committing: string;
      done: string; failed: string; waiting: string;
    };
    check: string; repair: string; actionsOf: (name: string) => string;
    rename: {
      open: string; title: string; name: string; submit: string;
    };
    schedule: {
      open: string; title: (name: string) => string; label: string; sets: string; setsHint: string; own: string; ownHint: string; manual: string;
      manualHint: string; submit: string; isOwn: (sentence: string) => string;
    };
    remove: {
      open: string; title: (name: string) => string; stays: (location: string) => string; comeBack: string; confirm: string;
    };
    standing: {
      running: string; absent: string; failed: string; behind: string; interrupted: string; good: string; partial: string; none: string;
    };
    lastBackup: (ago: string) => string; free: (bytes: string) => string; stored: (bytes: string) => string;
    backedUpTo: (some: number, all: number) => string; inTray: (name: string, standing: string) => string;
  };
  devices: {
    intro: string; destination: string; thisOne: string; others: string;
    statuses: {
      healthy: string; new: string; warning: string; offline: string; alarm: string; revoked: string;
    };
    lastBackup: string; lastSeen: string; never: string; noOthers: string; noOthersService: string; noOthersFolder: string; removeHint: string;
    remove: string; removeOf: (name: string) => string; removeTitle: (name: string) => string; removeBody: string; removePhrase: string;
    removeDo: string; revoke: string; revokeOf: (name: string) => string; revokeTitle: (name: string) => string; revokeBody: string; revokeDo: string;
    signIn: string; renewTitle: string; renewBody: (name: string) => string; renewDo: string; revoked: (name: string) => string;
  };
  drill: {
    title: string; never: string; hint: string; passed: (set: string, when: string) => string; failed: (set: string, when: string) => string;
    facts: (files: number, bytes: string) => string; failures: (files: number) => string; start: string; startSet: (set: string) => string;
    save: string; details: string;
    certificate: {
      title: string; lead: string; device: string; issued: string; version: string; set: (set: string) => string; destination: string; tested: string;
      point: string; size: string; restored: string; sample: string; chosen: (newest: string, random: string) => string; compared: string;
      onDisk: string; filesOf: (files: number) => string; sized: (files: string, bytes: string) => string; result: string; passed: string;
      failed: (files: number) => string; digest: string; list: string; first: (files: string) => string; none: string; footer: string;
    };
  };
  failures: {
    unknown: {
      what: (code: string) => string; todo: string;
    };
    sentences: FailureSentences;
    reasons: {
      unknown: (reason: string) => string;
      sentences: {
        'folder-missing': string; 'folder-unreadable': string; 'folder-not-mounted': string; 'folder-empty': string; 'folder-other-disk': string;
        'name-of-other-disk': string; 'folder-subvolume': string; 'not-stored': string; 'leads-elsewhere': string; 'changed-while-reading': string;
        'database-changing': string; 'database-too-large': string; 'database-postgresql': string; 'database-mysql': string;
        'database-mongodb': string; 'library-photos': string; growing: string; 'permission-denied': string; 'path-too-long': string;
        'attributes-too-large': string; 'in-use': string; 'read-error': string; vanished: string; 'special-file': string; 'online-only': string;
        'online-only-kept': string; 'online-only-folder': string; 'system-functions-missing': string; 'after-command': string;
        'reserved-path': string; 'other-file-system': string; unreadable: string; 'differs-on-disk': string; 'destination-damaged': string;
        'ransomware-signs': string; 'unknown-run': string; 'missing-run': string; 'key-envelope-lost': string; 'moved-run': string;
        'service-answer-malformed': string; 'service-totals': string; 'service-unknown-chunks': string; 'clock-was-ahead': string;
        'clock-jumped': string; 'index-made-anew': string; 'index-lost-jobs': string; 'copy-damaged': string; 'copy-older': string;
        'copy-no-tree': string; 'no-tree': string; unverified: string; 'owner-not-restored': string; 'mode-not-restored': string;
        'time-not-restored': string; 'attribute-not-restored': string; 'attributes-shared': string; chunk_missing: string; chunk_tampered: string;
        chunk_corrupt: string; file_size_mismatch: string; tree_invalid: string; 'tree_invalid:entry-missing': string; 'tree_invalid:missing': string;
        'tree_invalid:unproven': string; 'tree_invalid:ENOTDIR': string; service_answer_suspicious: string; service_unreachable: string;
        service_broken: string; service_error: string; service_busy: string; destination_missing: string; target_full: string;
        target_unwritable: string; 'target_unwritable:EACCES': string; 'target_unwritable:EPERM': string; 'target_unwritable:EROFS': string;
        'target_unwritable:ENAMETOOLONG': string; 'target_unwritable:EISDIR': string; 'target_unwritable:ENOTDIR': string;
        'target_unwritable:EINVAL': string; 'target_unwritable:EBUSY': string; 'target_unwritable:ELINKRIGHT': string;
        'target_unwritable:EIO': string; interrupted: string;
      };
    };
  };
  home: {
    state: {
      notSetUp: string; notSetUpHint: string; damaged: string; noAgent: string; protected: string; protectedOnOneDisk: string; atRisk: string;
      attention: string; lastBackup: (ago: string) => string; somethingWrong: string; running: string; backup: (set: string, part: string) => string;
      restore: (set: string, part: string) => string; undo: (set: string, part: string) => string; export: (set: string, part: string) => string;
      verify: (set: string, part: string) => string; drill: (set: string, part: string) => string; check: (place: string, part: string) => string;
      repair: (place: string, part: string) => string; copy: (place: string, part: string) => string; looking: string; preparing: string;
      scanned: (part: string) => string; stopping: string; finishing: string; waiting: (reason: string) => string; waitingSomehow: string;
      paused: string; pausedUntil: (moment: string) => string; restorable: (sets: number) => string; justNow: string;
    };
    needs: {
      noSet: string; firstBackup: (set: string, place?: string) => string; failed: (set: string, place?: string) => string;
      noBackupFor: (set: string, days: number, place?: string) => string; warnings: (set: string, files: number, place?: string) => string;
      generalWarnings: (set: string, warnings: number, place?: string) => string;
      folders: {
        missing: (folder: string, set: string) => string; unreadable: (folder: string, set: string) => string;
        'not-mounted': (folder: string, set: string) => string; empty: (folder: string, set: string) => string;
        'other-disk': (folder: string, set: string) => string; subvolume: (folder: string, set: string) => string;
      };
      destinationMissing: (location: string) => string; placeMissing: (place: string) => string; signedOut: (place?: string) => string;
      clockWrong: string; phraseUnconfirmed: string; verificationFailed: (set: string, place?: string) => string;
      destinationDamaged: (place?: string) => string; pointsUnlisted: (place?: string) => string;
      contentMissing: (files: number, place?: string) => string; pointsMissing: (points: number, place?: string) => string; agentRestarted: string;
      restoreUnfinished: (set: string) => string; restoreWaitsFor: (set: string, location: string) => string; restoreWaits: (set: string) => string;
      suspiciousRun: (set: string) => string; suspiciousRunElsewhere: string; reportFailed: string; commandFailed: (set: string) => string;
    };
    reasons: {
      battery: string; batteryAt: (percent: string) => string; batteryUntil: (percent: string, least: string) => string; metered: string;
      network: string; networkNamed: (name: string) => string; paused: string; pausedUntil: (moment: string) => string;
      otherRun: (set: string) => string; busy: string; busyHolder: (holder: string) => string; destination: (location: string) => string;
      retry: (moment: string) => string; retryCutOff: (moment: string) => string;
    };
    decision: {
      manual: string; next: (moment: string) => string; nextNow: string; watching: string; watchingPartly: string; quiet: (moment: string) => string;
      waiting: (reason: string, since: string) => string;
      running: {
        person: (moment: string) => string; schedule: (moment: string) => string; missed: (moment: string) => string;
        change: (moment: string) => string; resume: (moment: string) => string;
      };
    };
    check: {
      next: (moment: string) => string; nextNow: string; waiting: (reason: string, since: string) => string; running: (moment: string) => string;
    };
    lateness: {
      asleep: (span: string) => string; off: (span: string) => string; waited: (span: string) => string;
      because: (span: string, reason: string) => string;
      reasons: {
        battery: string; metered: string; network: string; paused: string; 'other-run': (set: string) => string; busy: string;
        destination: (location: string) => string; retry: string;
      };
      busy: (span: string) => string;
    };
    actions: {
      chooseFolders: string; showActivity: string; showRun: string; dismiss: string; checkDamage: string; repair: string; signIn: string;
      compareHostKeys: string; confirmPhrase: string; checkDestination: string; restoreAgain: string; pause: string; pauseHour: string;
      pauseTomorrow: string; pauseOpen: string; resume: string; backUpSet: (set: string) => string; stopRun: (set: string) => string;
      showReport: string;
    };
    clockGoesOn: string; lastGood: (moment: string) => string;
    ways: {
      locate: string; another: string; folders: string; freeSpace: string; restore: string; schedule: string;
    };
    space: {
      title: (name: string) => string; now: (bytes: string) => string; nothing: string; interrupted: (bytes: string) => string; sole: string;
      later: {
        others: (bytes: string, day: string) => string; locked: (bytes: string, day: string) => string;
      };
      waits: (bytes: string, day: string, computers: string) => string;
      stopped: {
        damage: string; alarm: string; loss: string;
      };
      confirm: string; busy: string; keepFewer: string; freed: (bytes: string, name: string) => string; versions: string;
      keptVersions: (bytes: string, name: string) => string; kept: (bytes: string, name: string) => string; full: string;
    };
    needsTitle: string;
    needHints: {
      'no-set': string; 'first-backup': string; 'no-backup-for': string; warnings: string; 'folder-missing': string; 'destination-missing': string;
      'signed-out': string; 'phrase-unconfirmed': string; 'verification-failed': string; 'destination-damaged': string; 'points-unlisted': string;
      'content-missing': string; 'restore-unfinished': string; 'command-failed': string;
    };
    noSchedule: string;
    resumed: {
      title: (set: string) => string; partly: (set: string, files: number) => string; failed: (set: string) => string;
    };
    generalWarningsHint: string; otherDiskHint: string;
    restarted: {
      interrupted: (run: string) => string; resumes: string; nothingRan: string;
    };
    needHintsThere: {
      'first-backup': string; 'signed-out': string;
    };
    trouble: {
      title: string;
      problems: {
        ends: string; silent: string;
      };
      todo: string; save: string; saved: (path: string) => string; showData: string; lines: string;
    };
    alarm: {
      seen: {
        mass_rewrite: string; mass_encryption: string; mass_deletion: string; mass_damage: string; known_names: string;
      };
      held: (moment: string) => string; look: string; restore: string; release: string; releaseTitle: string; releaseText: string;
      releaseElsewhere: string; releaseSignIn: (service: string) => string; releaseAction: string;
    };
    run: {
      backup: (set: string) => string; restore: (set: string) => string; undo: (set: string) => string; export: (set: string) => string;
      verify: (set: string) => string; drill: (set: string) => string; check: (place: string) => string; repair: (place: string) => string;
      copy: (place: string) => string;
      triggers: {
        person: string; schedule: string; missed: string; change: string; resume: string;
      };
      restoreResumed: string; progress: string; bytes: string; files: string; speed: string; left: string;
      of: (done: string, total: string) => string; unknown: string; finishing: string; current: string; scanned: string;
      ofAbout: (done: string, total: string) => string;
      phases: {
        scanning: string; storing: string; uploading: string; committing: string; planning: string; downloading: string; finishing: string;
        stopping: string;
      };
      waitsFor: string; gently: string;
    };
    sets: {
      title: string; never: string; last: (ago: string) => string; lastFailed: (ago: string) => string; lastCancelled: (ago: string) => string;
      holds: (files: number, bytes: string) => string; resumable: string; all: string;
    };
    storage: {
      title: string; protected: string; stored: string; deduplicated: string; deduplicatedHint: string; compressed: string; free: string;
      thins: (set: string, size: string) => string; thin: string; at: string; grew: (bytes: string, days: number) => string;
      shrank: (bytes: string, days: number) => string; same: (days: number) => string; fullSoon: (day: string) => string;
      full: (month: string) => string; fullAt: (name: string, sentence: string) => string; together: string;
    };
    days: {
      title: string; summary: (good: number, all: number) => string; none: string; succeeded: (runs: number) => string;
      warnings: (runs: number) => string; failed: (runs: number) => string; day: (day: string, what: string) => string;
      sent: (what: string, size: string) => string;
    };
    oneDisk: {
      title: string; hint: string; add: string;
    };
    updated: {
      title: string; hint: string;
    };
  };
  lock: {
    state: {
      protectedOnOneDisk: string; protected: string; running: string; restoring: string; verifying: string; drilling: string; repairing: string;
      copying: string; undoing: string; exporting: string; part: (percent: string) => string; waiting: string; paused: string; attention: string;
      atRisk: string; seeWhat: string;
    };
    title: string; password: string; unlock: string; withSystem: string; waits: (length: string) => string; forgotten: string; phraseTitle: string;
    phrase: string; phraseHint: string; phraseText: string; back: string; panel: string; panelText: string; isOn: string; isOnHint: string;
    onClose: string; idle: string; idleHint: string;
    idleMinutes: {
      never: string; minutes: (minutes: number) => string;
    };
    now: string; change: string; systemToo: string; setTitle: string; setText: string; changeTitle: string; removeTitle: string; removeText: string;
    current: string; next: string; nextHint: string; repeat: string; repeatFirst: string; tooShort: (least: number) => string; different: string;
    set: string; changeDo: string; remove: string; confirmText: string;
  };
  onboarding: {
    title: string; steps: string;
    step: {
      destination: string; phrase: string; folders: string;
    };
    destination: {
      title: string; intro: string; test: string; existing: string; existingTitle: string; existingIntro: string; new: string; open: string;
    };
    signIn: {
      title: string; intro: (location: string) => string;
    };
    factor: {
      title: string; intro: string;
    };
    ready: {
      title: string; written: string; free: (free: string) => string; littleFree: (free: string) => string; sameDisk: string;
      signedInAs: (email: string) => string; deviceName: string; deviceNameHint: string; deviceNameMissing: string; device: string; newDevice: string;
      asDevice: (name: string) => string; adoptTitle: string; adoptText: string; opensBy: string; phrase: string; keyCode: string;
      keyCodeHint: string; keyCodeMissing: string; passphrase: string; passphraseMissing: string; phraseCount: (words: number) => string;
      phraseMissing: string; use: string; noBackups: string; adopt: string;
    };
    saved: {
      title: string; text: string;
    };
    phrase: {
      title: string; intro: string; words: string; word: (position: number) => string; save: string; saved: (path: string) => string;
      savedHint: string; copy: string; copyCaution: string; copyAnyway: string; copied: string; next: string; later: string; laterTitle: string;
      laterText: string; laterAnyway: string; laterNot: string; done: string; doneHint: string;
    };
    confirm: {
      title: string; intro: string; wrong: (position: number) => string; look: string; submit: string;
    };
    adopted: {
      title: string; intro: string; found: (sets: number, names: string) => string; restore: string; restoreHint: string;
      continueSet: (set: string) => string; continueHint: (device: string) => string; fresh: string; freshHint: string;
    };
    recommended: {
      title: string; titleChanged: string; none: string;
      short: {
        privateNames: string; startAtLogin: string; checksMonthly: string; drillsWeekly: string; thinsOut: string;
      };
      choices: {
        privateNames: string; startAtLogin: string; checksMonthly: string; drillsWeekly: string; thinsOut: string;
      };
      hints: {
        privateNames: string; startAtLogin: string; checksMonthly: string; drillsWeekly: string; thinsOut: string;
      };
    };
    folders: {
      title: string; intro: string; label: string;
      kinds: {
        documents: string; pictures: string; desktop: string; music: string; videos: string; downloads: string; projects: string; home: string;
      };
      add: string; addTitle: string; counting: string; size: (bytes: string, files: number) => string; within: (folder: string) => string;
      unreadable: (items: number) => string; notCounted: string; total: string; totalSoFar: string; tooMuch: (free: string) => string; name: string;
      defaultName: string; nameMissing: string; often: string;
      schedules: {
        hourly: string; daily: string; manual: string;
      };
      none: string; passedOver: string; start: string; later: string;
    };
  };
  report: {
    mail: {
      well: (device: string) => string; look: (device: string, some: number, all: number) => string; period: (from: string, to: string) => string;
      setAt: (set: string, place: string) => string; lastBackup: string; never: string; contains: string;
      contents: (files: number, size: string) => string; backups: string; made: (count: number) => string; failed: (count: number) => string;
      stopped: (count: number) => string; sent: string; lastFailure: string; warning: string; warned: (files: number, reason: string) => string;
      signs: (time: string) => string; testRestore: string; untested: string; tested: (when: string, files: number, different: number) => string;
      storage: (place: string) => string; used: string; more: (used: string, more: string) => string; less: (used: string, less: string) => string;
      footer: string; footerAlone: string;
    };
    panel: {
      title: string; lead: string; setUp: string; send: string; when: (day: string, time: string, to: string) => string;
      next: (when: string) => string; sent: (ago: string) => string; failed: (ago: string) => string; running: string; preview: string;
      previewTitle: string; subject: (text: string) => string; test: string; tested: (to: string) => string; change: string; remove: string;
      removeTitle: string; removeText: string; removeAction: string;
    };
    form: {
      title: string; save: string; to: string; toHint: string; toWrong: string; from: string; fromHint: string; fromWrong: string; host: string;
      hostHint: string; hostWrong: string; security: string; tls: (port: number) => string; starttls: (port: number) => string; port: string;
      user: string; password: string; passwordHint: string; passwordKept: string; passwordMissing: string; day: string; time: string; names: string;
      namesHint: string;
    };
  };
  restore: {
    unknownPath: (path: string) => string; none: string; noneHint: string; noPoints: string; source: string; destination: string; nearest: string;
    sourceOf: (set: string, device: string) => string; here: string; elsewhere: string;
    away: {
      title: (destination: string) => string; hint: string;
    };
    time: {
      label: string; older: string; newer: string; calendar: string; marked: string; previousMonth: string; nextMonth: string; list: string;
      pinned: string; newest: string; summary: (files: string, bytes: string) => string; gone: string; missingPoints: (points: number) => string;
      movedPoints: (points: number) => string; earlier: (points: number) => string;
    };
    files: (files: number) => string;
    browser: {
      label: string; path: string; top: string; up: string; name: string; size: string; modified: string; choose: string; chosen: string;
      partly: string; withFolder: string; folder: string; package: string; link: string; reading: (entries: string) => string;
      entries: (entries: number) => string; empty: string; deleted: string; deletedBefore: (entries: number) => string;
      last: (when: string) => string; gone: (name: string) => string; keys: (all: string) => string; gridKeys: (all: string) => string;
      controlA: string; view: string; list: string; grid: string; tooMany: (most: string) => string; jumping: (start: string) => string;
      notFound: (start: string) => string;
    };
    menu: {
      label: (name: string) => string; open: string; contents: string; look: string; versions: string; copyPath: string;
    };
    chosen: {
      nothing: string; none: string; away: (destination: string) => string; some: (folders: number, files: number) => string;
      leftOut: (entries: number) => string; lookingUp: string; missing: (entries: number) => string; noneThere: string;
      sentence: (what: string) => string; sized: (what: string, bytes: string) => string; clear: string; restore: string;
      restoreOne: (name: string) => string; restoreAll: string; ways: string; all: string; more: (entries: number) => string; archive: string;
      archiveOne: (name: string) => string; archiveAll: string; mount: string;
    };
    mount: {
      shown: (set: string) => string; openShort: string; busy: (set: string) => string; ending: (set: string) => string;
      open: (set: string) => string; end: (set: string) => string; endNow: (set: string) => string;
    };
    archive: {
      saved: string; partly: string; none: string; done: (files: string, bytes: string, file: string) => string; damaged: string;
    };
    filters: {
      label: string; kind: string;
      kinds: {
        any: string; file: string; directory: string;
      };
      size: string;
      sizes: {
        any: string; small: string; medium: string; large: string;
      };
      changed: string;
      times: {
        any: string; week: string; month: string; year: string; before: string;
      };
      deletedOnly: string;
    };
    find: {
      field: string; hint: string; label: string; found: (files: number) => string; more: (files: number) => string;
      filling: (known: number, total: number) => string; nothing: (text: string) => string; nothingHint: string;
      place: (set: string, folder: string) => string; deleted: (when: string) => string; notHere: (when: string) => string;
      versions: (versions: number) => string; look: string; lookAt: (name: string, versions: number) => string;
      restoreVersion: (name: string, modified: string) => string;
    };
    toPlace: (folder: string | null, items: number) => string;
    target: {
      title: string; what: string; from: (set: string, when: string) => string; fromSet: (set: string) => string; where: string;
      places: {
        original: {
          title: string; hint: string;
        };
        folder: {
          title: string; hint: string;
        };
      };
      to: string; toNone: string; choose: string; chooseOther: string; chooseTitle: string; conflict: string; conflictInPlace: string;
      replaceInPlace: string;
      conflicts: {
        'keep-both': {
          title: string; hint: string;
        };
        skip: {
          title: string; hint: string;
        };
        overwrite: {
          title: string; hint: string;
        };
        exact: {
          title: string; hint: string;
        };
      };
      start: string; startLater: string;
      busy: {
        backup: (set: string) => string; verify: (set: string) => string; drill: (set: string) => string; undo: (set: string) => string;
        export: (set: string) => string; check: (set: string) => string; repair: (set: string) => string; copy: (set: string) => string;
        restore: (set: string) => string; other: (set: string) => string;
      };
    };
    plan: {
      title: string; working: string; writes: (files: string, bytes: string) => string; nothing: string;
      conflicts: {
        'keep-both': (files: number) => string; skip: (files: number) => string; overwrite: (files: number) => string;
      };
      noConflicts: string;
      inPlace: {
        'keep-both': (files: number) => string; skip: (files: number) => string; overwrite: (files: number) => string;
      };
      noChanges: string; newer: (files: number, of: number) => string; allNewer: (of: number) => string; unchanged: (files: number) => string;
      surplus: (files: number, bytes: string) => string; noSurplus: string; fetch: (bytes: string) => string; more: (files: number) => string;
      room: (bytes: string) => string; noRoom: (missing: string) => string;
    };
    waiting: {
      sentence: {
        backup: (set: string, run: string, to: string) => string; verify: (set: string, run: string, to: string) => string;
        drill: (set: string, run: string, to: string) => string; undo: (set: string, run: string, to: string) => string;
        export: (set: string, run: string, to: string) => string; check: (set: string, run: string, to: string) => string;
        repair: (set: string, run: string, to: string) => string; copy: (set: string, run: string, to: string) => string;
        restore: (set: string, run: string, to: string) => string; other: (set: string, run: string, to: string) => string;
      };
      forget: string; failed: string;
    };
    run: {
      title: string;
      phases: {
        scanning: string; planning: string; uploading: string; downloading: string; committing: string; finishing: string; stopping: string;
      };
      label: (set: string) => string; files: (done: string, total: string) => string; filesSoFar: (done: string) => string;
      bytes: (done: string, total: string) => string; left: (span: string) => string; stop: string; leave: string;
      to: (folder: string | null) => string;
    };
    undo: {
      last: (set: string, when: string) => string; offer: string; begun: (set: string, when: string) => string;
      what: (replaced: number, created: number) => string; moved: (items: number) => string; undo: string; dismiss: string; goOn: string;
      done: string; partly: string; putBack: (files: number) => string; movedTo: (files: number, folder: string) => string; showMoved: string;
      notUndone: (files: number) => string; reason: (reason: string) => string;
    };
    result: {
      title: {
        undone: string; succeeded: string; warnings: string; partly: string; failed: string; cancelled: string; interrupted: string;
      };
      done: (files: string, bytes: string, to: string) => string; unchanged: (files: number) => string; attributesLeft: (items: number) => string;
      keptIn: (folder: string) => string; showKept: string; nothingNeeded: string; nothing: string; cancelledHint: string;
      skipped: (files: number) => string; failures: (files: number) => string; failuresHint: string; listed: (files: string) => string;
      warnings: (warnings: number) => string; retry: string; again: string; elsewhere: string; show: string; finish: string;
    };
    choices: {
      open: string; title: string; intro: (choice: string) => string; show: string;
      kinds: {
        all: (count: string) => string; changed: (count: string) => string; newer: (count: string) => string; 'same-time': (count: string) => string;
        'other-type': (count: string) => string;
      };
      kind: {
        changed: string; newer: string; 'same-time': string; 'other-type': string;
      };
      here: (size: string, time: string) => string; then: (size: string, time: string) => string;
      treat: {
        'keep-both': string; skip: string; overwrite: string;
      };
      for: (name: string) => string; folder: (files: number) => string; all: string; discard: string; done: string;
      cut: (listed: string, total: string) => string; tooMany: (limit: string) => string;
      summary: (replaced: string, kept: string, beside: string) => string; fresh: (files: number) => string; names: (names: number) => string;
      nameProblem: {
        invalid: string; 'too-long': string; 'same-name': string;
      };
      becomes: {
        'not-restored': string; beside: (as: string) => string; merged: string;
      };
    };
    look: {
      versions: string; points: (points: number) => string; lastIn: (when: string) => string; previousFile: string; nextFile: string; mode: string;
      content: string; changes: string; facts: (modified: string, size: string) => string; shown: string; comparedWith: string; same: string;
      tooDifferent: string; counts: (added: number, removed: number) => string; added: string; removed: string; sameLines: (lines: number) => string;
      text: (name: string) => string; differences: (name: string) => string; beginning: string; picture: (name: string) => string;
      audio: (name: string) => string; document: (name: string) => string; openingDocument: string; pages: (pages: number) => string;
      firstPages: (shown: string, pages: string) => string; pixels: (width: string, height: string) => string; damagedPicture: string;
      large: (size: string) => string; fetch: (size: string) => string; tooLarge: string;
      none: {
        'pdf-locked': {
          title: string; hint: string;
        };
        'pdf-damaged': {
          title: string; hint: string;
        };
        'huge-picture': {
          title: string; hint: string;
        };
        unknown: {
          title: string; hint: string;
        };
        empty: {
          title: string; hint: string;
        };
      };
      drag: string; dragShort: string; save: string; saved: (path: string) => string; openCopy: string; notOpened: string;
      now: (facts: string) => string; putBack: string; restoreThis: string; restoreBeside: string;
    };
    timeline: {
      label: string; bar: (when: string, changes: string) => string; here: (changes: string) => string; same: string; unknown: string;
      added: (files: number) => string; changed: (files: number) => string; removed: (files: number) => string; compare: string; compareTitle: string;
      from: string; to: string; sameTime: string; nothing: string;
    };
  };
  sets: {
    lead: string; add: string; none: string; noneHint: string; folders: (folders: number) => string; moreFolders: (folders: number) => string;
    files: (files: number) => string; last: (ago: string) => string; never: string; size: (files: string, bytes: string) => string;
    outcome: {
      succeeded: string; warnings: string; failed: string; cancelled: string; interrupted: string;
    };
    resumable: string; stop: string; edit: string; editOf: (set: string) => string; more: (set: string) => string;
    verify: {
      action: string; title: (set: string) => string; hint: string; label: string; quick: string; quickHint: string; whole: string; wholeHint: string;
      start: string;
    };
    remove: {
      action: string; title: (set: string) => string; body: string; confirm: string;
    };
    absent: {
      leaveOut: string; leaveOutOf: (folder: string) => string; leftOut: (folder: string) => string; remove: string;
      removeOf: (folder: string) => string; removed: (folder: string, set: string) => string; accept: string; acceptOf: (folder: string) => string;
      acceptTitle: (folder: string) => string; acceptText: (folder: string, set: string) => string; acceptConfirm: string; optional: string;
      optionalHint: string; report: (folder: string) => string;
    };
    saved: (set: string) => string; removed: (set: string) => string; passedOver: string;
    editor: {
      addTitle: string; editTitle: (set: string) => string; name: string; nameHint: string; parts: string; create: string; save: string;
      unsaved: string;
      discard: {
        title: string; body: string; keep: string; confirm: string;
      };
      problems: {
        nameEmpty: string; nameTaken: string; noRoots: string; interval: string; quiet: string; days: string; cron: string; never: string;
        networks: string; hours: string;
      };
      counting: string; countingSoFar: (files: string, bytes: string) => string; counted: (files: string, bytes: string) => string;
      countFailed: string; unreadable: (entries: number) => string;
    };
    what: {
      title: string; lead: string; chosen: string; none: string; remove: (folder: string) => string; addFolder: string; addFolderTitle: string;
      suggestions: string;
      suggestion: {
        documents: string; pictures: string; desktop: string; music: string; videos: string; downloads: string; projects: string; home: string;
      };
      tree: string; showHidden: string; empty: string; truncated: string; unreadable: string; leftOut: string; online: string; onlineHint: string;
      oneFileSystem: string; oneFileSystemHint: string; summary: (folders: number) => string;
    };
    leaveOut: {
      title: string; lead: string; presets: string;
      preset: {
        caches: string; linux: string; macos: string; windows: string; browsers: string; apps: string; developer: string; 'time-machine': string;
        'virtual-machines': string;
      };
      contains: (patterns: string) => string; marked: string; rules: string; noRules: string; pattern: string; patternHint: string; add: string;
      remove: (pattern: string) => string;
      problems: {
        empty: string; comment: string; known: string;
      };
      saves: (entries: string, bytes: string) => string; nothing: string; keeps: string; counting: string; examples: string;
      showExamples: (rule: string) => string; private: string; privateHint: string; summary: (presets: number, rules: number) => string;
    };
    when: {
      title: string; kind: string;
      kinds: {
        every: string; daily: string; weekly: string; 'on-change': string; cron: string; manual: string;
      };
      interval: string; minutes: string; hours: string; unit: string; at: string; days: string; cron: string; cronHint: string; quiet: string;
      quietHint: string;
      sentence: {
        manual: string; everyMinutes: (minutes: number) => string; everyHours: (hours: number) => string; daily: (time: string) => string;
        weekly: (days: string, time: string) => string; workdays: (time: string) => string; cron: string; change: (minutes: number) => string;
      };
      next: string; everyHours: (hours: number) => string; everyMinutes: (minutes: number) => string; missed: string;
    };
    timer: {
      title: string; switch: string; hint: string; missing: string; loginOnly: (user: string) => string; stays: string;
    };
    conditions: {
      title: string; lead: string; mains: string; mainsHint: string; battery: string; batteryHint: string; batteryLevel: string; percent: string;
      metered: string; meteredHint: string; networks: string; networksHint: string; network: string; addNetwork: string;
      removeNetwork: (name: string) => string; summary: (conditions: number) => string;
    };
    limits: {
      title: string; upload: string; download: string; uploadSpeed: string; downloadSpeed: string; speedUnit: string;
      about: (speed: string) => string; hours: string; hoursNeed: string; hoursHint: string; from: string; to: string; overnight: string;
      priority: string;
      priorities: {
        auto: {
          title: string; hint: string;
        };
        low: {
          title: string; hint: string;
        };
        normal: {
          title: string; hint: string;
        };
      };
      compression: string; compressionHint: string;
      compressions: {
        off: string; fast: string; default: string; max: string;
      };
      summary: (limits: number) => string;
    };
    keep: {
      title: string; lead: string; all: string; allHint: string; thin: string; thinHint: string; choice: string; atService: string;
      destinationKeepsAll: string; keepAllDays: string; days: string; thinned: string; hourly: string; daily: string; weekly: string; monthly: string;
      yearly: string; preview: string; previewing: string; nothing: (kept: number) => string; lets: (dropped: number) => string;
      keeps: (kept: number) => string; frees: (bytes: string) => string; freesOn: (bytes: string, day: string) => string; afterFirst: string;
      which: string; more: (points: number) => string; summaryAll: string; summaryThin: string; own: string; unknown: string; appliesTo: string;
      allDestinations: string; appliesToAll: string; appliesToOne: string; differs: string;
    };
    check: {
      title: string; lead: string; on: string; every: string; days: string; sample: string; percent: string;
      sentence: (days: number, percent: string) => string; whole: (runs: number) => string; drill: string; drillHint: string;
      summary: (days: number) => string; never: string;
    };
    hooks: {
      title: string; pingLead: string; pings: string; success: string; start: string; fail: string; fill: string; commands: string; lead: string;
      later: string; before: string; after: string; hint: string; save: string; saved: string; wrote: string;
      exited: (ago: string, code: number) => string; killed: (ago: string) => string; timeout: (ago: string) => string;
      stopped: (ago: string) => string; 'not-started': (ago: string) => string; delivered: (ago: string) => string;
      refused: (ago: string, status: number) => string; unanswered: (ago: string) => string; none: string;
      summaryCommands: (commands: number) => string; summaryAddresses: (addresses: number) => string;
    };
    command: {
      title: string; lead: string; copy: string; copied: string; retention: string; waiting: string; summary: string;
    };
  };
  settings: {
    tabs: {
      general: string; account: string; security: string; network: string; about: string;
    };
    saved: string; notSaved: string; appearance: string;
    appearances: {
      system: string; light: string; dark: string;
    };
    language: string;
    languages: {
      system: string; pseudo: string;
    };
    languageSection: string; background: string; startAtLogin: string; startAtLoginHint: string; fileManagers: string; fileManagersHint: string;
    explorerHint: string; startAtLoginMissing: string; keepAwake: string; keepAwakeHint: string; notifications: string; notificationsMissing: string;
    notifyFailures: string; notifyRestores: string; notifyNoBackup: string;
    noBackupDays: {
      never: string; days: (days: number) => string;
    };
    destination: string;
    kinds: {
      folder: string; bucket: string; sftp: string; webdav: string; rclone: string; service: string;
    };
    location: string; free: (bytes: string) => string; parity: string; parityShare: (percent: number) => string; showFolder: string;
    hostKey: {
      open: string; title: string; changedTitle: string; changedText: string; compare: string; same: string; changed: string; accepted: string;
      presented: string; accept: string; close: string;
    };
    check: {
      title: string; text: string; open: string;
    };
    device: string; signedOut: string; signedOutOf: (place: string) => string; signedOutText: string; signIn: string; signInTitle: string;
    notSetUp: string; phrase: string; phraseText: string; phraseConfirmed: string; phraseUnconfirmed: string; phraseUnconfirmedText: string;
    confirmPhrase: string; showPhrase: string; saveKit: string; kitSaved: string; kitHint: string; showFile: string; revealTitle: string;
    revealText: string; reveal: string; revealedTitle: string; hiddenIn: (length: string) => string; notAsked: string; hide: string;
    word: (position: number) => string;
    accountKey: {
      title: string; text: string; code: string; codeTitle: string; codeText: string; codeAt: string; codeDo: string; codeShown: string;
      codeHow: string; codeUntil: (time: string) => string; codeOver: string; close: string; setPassphrase: string; changePassphrase: string;
      removePassphrase: string; hasPassphrase: string; setTitle: string; changeTitle: string; passphraseText: string; oldPassphrase: string;
      passphrase: string; repeat: string; missing: string; different: string; set: string; change: string; remove: string; removeTitle: string;
      removeText: string; passphraseSet: string; passphraseRemoved: string; kept: (place: string) => string; unchanged: (place: string) => string;
      renew: string; renewTitle: string; renewText: string; renewPhrase: string; renewDo: string; renewed: string; later: (place: string) => string;
      needPhrase: (computer: string) => string; atService: (place: string) => string; lostPassphrase: string; write: string;
    };
    keys: string;
    keysIn: {
      keychain: string; file: string;
    };
    keysLocation: string; moveToKeychain: string; moveToFile: string; moveToFileTitle: string; moveToFileText: string; moveDo: string;
    keychainMissing: string; moved: string; limits: string; limitsHint: string; upload: string; download: string; noLimit: string;
    limitIs: (speed: string) => string; limitUnit: string; limitsMissing: string; data: string; dataText: string;
    crashes: {
      title: string; text: string; none: string;
      part: {
        window: string; agent: string; program: string;
      };
      show: string; showOf: (report: string) => string; shownTitle: string; save: string; saved: string; delete: string;
      deleteOf: (report: string) => string; deleted: string;
    };
    show: string; diagnostics: string; diagnosticsText: string; preview: string; previewTitle: string; export: string; exported: string; copy: string;
    copied: string; about: string; version: (version: string) => string; licence: string; noSandbox: string; libraries: string;
    librariesTitle: string; librariesText: string; library: string; libraryLicence: string;
    diskAccess: {
      title: string; given: string; missing: string; how: string; open: string; check: string;
    };
  };
  shell: {
    previousVersions: string;
    tray: {
      starting: string; progress: (done: string, total: string) => string;
      progressAndTime: (done: string, total: string, remaining: string) => string; files: (files: number) => string; backUp: string;
      backUpAll: string; backUpSet: (set: string) => string; stop: (set: string) => string; pause: string; pauseHour: string; pauseTomorrow: string;
      pauseOpen: string; resume: string; open: string; unlock: string; lock: string; setUp: string; quit: string;
    };
    menu: {
      file: string; edit: string; view: string; window: string; lock: string; backUp: string; close: string; quit: string; zoomIn: string;
      zoomOut: string; zoomReset: string; fullScreen: string;
    };
    notices: {
      tryAgain: string; backUpNow: string;
      stillRunning: {
        title: string; tray: string; noTray: string;
      };
      backupFailed: {
        title: (set: string) => string; titleAt: (set: string, places: string) => string;
      };
      noBackupFor: {
        title: (set: string, days: number) => string; titleAt: (set: string, days: number, place: string) => string; body: string;
      };
      restored: {
        title: (set: string) => string; titleWithFailures: (set: string) => string; body: (files: number) => string;
        bodyWithFailures: (files: number, failures: number) => string;
      };
      restoreFailed: {
        title: (set: string) => string; body: string;
      };
      verificationFailed: {
        title: (set: string) => string; body: string;
      };
      suspiciousRun: {
        title: (set: string) => string; titleElsewhere: string; body: string;
      };
    };
    quit: {
      message: string; restoreMessage: string; detail: string; restoreDetail: string; keep: string; stop: string;
    };
    hooks: {
      message: (set: string) => string; before: string; after: string; detail: string; tooLong: string; tooLongDetail: string; allow: string;
      cancel: string;
    };
    dialogs: {
      saveKit: string; kitFile: string; saveCopy: string; saveDiagnostics: string; saveCertificate: string; certificateFile: string;
      saveArchive: string; diagnosticsFile: string; saveCrashReport: string; crashReportFile: string; revealPhrase: string; changeKey: string;
      unlock: string;
    };
    kit: {
      title: string; lead: string; device: string; location: string; date: string; words: string; warningTitle: string; warning: string;
      howTitle: string; steps: string[]; terminal: string; terminalNote: string; footer: string;
    };
  };
  updates: {
    title: string; look: string; lookHint: string; none: string; packageManager: string; byAdministrator: string; notChecked: string;
    current: (when: string) => string; checking: string; offered: (version: string) => string; systemTooOld: (version: string) => string;
    downloading: (version: string, percent: string) => string; ready: (version: string) => string; replaced: string; afterRun: string;
    problems: {
      network: string; signature: string; metadata: string; damaged: string; install: string;
    };
    check: string; install: string; restart: string; news: string; newsTitle: string; newsOf: (version: string) => string;
  };
}
