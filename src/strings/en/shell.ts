import { counterOf } from '../plural.ts';

const count = counterOf('en');

/** Texts of the tray, the notifications, the menus and the system's dialogs. */
export const shellEn = {
  /** The item in the menus of file managers. */
  previousVersions: 'Restore previous versions…',
  tray: {
    starting: 'Holdfast is starting.',
    progress: (done: string, total: string) => `${done} of ${total}`,
    progressAndTime: (done: string, total: string, remaining: string) => `${done} of ${total}, ${remaining} left`,
    files: (files: number) => count(files, 'file', 'files'),
    backUp: 'Back up now',
    backUpSet: (set: string) => `Back up “${set}” now`,
    stop: (set: string) => `Stop “${set}”`,
    pause: 'Pause',
    pauseHour: 'For 1 hour',
    pauseTomorrow: 'Until tomorrow morning',
    pauseOpen: 'Until I resume',
    resume: 'Resume',
    open: 'Open Holdfast',
    unlock: 'Unlock Holdfast…',
    lock: 'Lock now',
    setUp: 'Set up Holdfast…',
    quit: 'Quit Holdfast',
  },
  menu: {
    file: 'File',
    edit: 'Edit',
    view: 'View',
    window: 'Window',
    lock: 'Lock now',
    backUp: 'Back up now',
    close: 'Close window',
    quit: 'Quit Holdfast',
    zoomIn: 'Larger',
    zoomOut: 'Smaller',
    zoomReset: 'Normal size',
    fullScreen: 'Full screen',
  },
  notices: {
    stillRunning: {
      title: 'Holdfast keeps backing up',
      tray: 'The window is closed. Holdfast is still in the tray.',
      noTray: 'The window is closed. Start Holdfast again to open it.',
    },
    backupFailed: {
      title: (set: string) => `The backup of “${set}” failed`,
      titleAt: (set: string, places: string) => `The backup of “${set}” to ${places} failed`,
      body: 'Click to see what happened.',
    },
    noBackupFor: {
      title: (set: string, days: number) => `No backup of “${set}” for ${count(days, 'day', 'days')}`,
      titleAt: (set: string, days: number, place: string) =>
        `No backup of “${set}” to “${place}” for ${count(days, 'day', 'days')}`,
      body: 'Click to see why.',
    },
    restored: {
      title: (set: string) => `“${set}” restored`,
      titleWithFailures: (set: string) => `“${set}” partly restored`,
      body: (files: number) => `${count(files, 'file', 'files')} restored.`,
      bodyWithFailures: (files: number, failures: number) =>
        `${count(files, 'file', 'files')} restored, ${count(failures, 'file', 'files')} not. Click to see which.`,
    },
    restoreFailed: {
      title: (set: string) => `“${set}” could not be restored`,
      body: 'No file was restored. Click to see why and what to do.',
    },
    verificationFailed: {
      title: (set: string) => `A check found damage in “${set}”`,
      body: 'Click to see what is affected and what to do.',
    },
    suspiciousRun: {
      title: (set: string) => `The backup of “${set}” shows signs of ransomware`,
      titleElsewhere: 'The backup of another computer shows signs of ransomware',
      body: 'No restore points are deleted until you confirm it’s safe. Click to see what to do.',
    },
  },
  quit: {
    message: 'A backup is still running',
    restoreMessage: 'A restore is still running',
    detail: 'It can continue in the background. If you stop it, the next backup resumes where this one stopped.',
    restoreDetail:
      'It can continue in the background. If you stop it, only some of your files will have been restored.',
    keep: 'Keep running in the background',
    stop: 'Stop and quit',
  },
  hooks: {
    message: (set: string) => `Run these commands with every backup of “${set}”?`,
    before: 'Before each backup:',
    after: 'After each backup:',
    detail: 'They can do everything on this computer that you can do. Allow only what you entered yourself.',
    tooLong: 'These commands are too long',
    tooLongDetail: 'Write them into a file, and enter the name of the file.',
    allow: 'Allow',
    cancel: 'Cancel',
  },
  dialogs: {
    saveKit: 'Save your recovery kit',
    kitFile: 'Holdfast recovery kit',
    saveCopy: 'Save a copy',
    saveDiagnostics: 'Save diagnostics',
    saveCertificate: 'Save the certificate of test restores',
    certificateFile: 'Holdfast test restores',
    diagnosticsFile: 'Holdfast diagnostics',
    revealPhrase: 'show your recovery phrase',
    changeKey: 'show or change the key of your backups',
    unlock: 'unlock its window',
  },
  kit: {
    title: 'Recovery kit',
    lead: 'With these 24 words you can restore every file, on any computer, even if this one is gone.',
    device: 'Computer',
    location: 'Backups are kept in',
    date: 'Printed on',
    words: 'Your recovery phrase',
    warningTitle: 'Keep this page as safe as a key.',
    warning:
      'Anyone who has it and has access to your backups can read them. Nobody can recover the words for you: neither the makers of Holdfast nor the provider of your storage. Without them and without this computer, your backups cannot be opened.',
    howTitle: 'To restore',
    steps: [
      'Install Holdfast on any computer and start it.',
      'Choose the destination named above, and enter the 24 words in their order.',
      'Choose a restore point, choose your files, and restore them.',
    ],
    terminal: 'Or in a terminal:',
    terminalNote:
      'words.txt holds the 24 words on one line. The first command lists the SET and ID of everything stored there.',
    footer: 'Page 1 of 1. Print it, and keep the print in a safe place. Then delete the file.',
  },
};
