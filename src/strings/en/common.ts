/** Texts shared by several views, the tray and the notifications. */
export const commonEn = {
  product: 'Holdfast',
  views: {
    home: 'Home',
    sets: 'Backup sets',
    restore: 'Restore',
    activity: 'Activity',
    devices: 'Devices',
    settings: 'Settings',
  },
  /** One word each, for the mark beside Home. */
  health: {
    'not-set-up': 'Not set up',
    'at-risk': 'At risk',
    attention: 'Needs attention',
    running: 'Running',
    waiting: 'Waiting',
    paused: 'Paused',
    protected: 'Protected',
  },
  title: (view: string) => `${view} – Holdfast`,
  skip: 'Skip to content',
  sections: 'Sections',
  /** Results, read aloud by screen readers. */
  of: (what: string, name: string) => `${what}: ${name}`,
  quoted: (text: string) => `“${text}”`,
  said: (what: string, how: string) => `${what}: ${how}.`,
  /** A key with Ctrl, on a Mac with Cmd. */
  withControl: (isMac: boolean, key: string) => (isMac ? `⌘${key}` : `Ctrl+${key}`),
  /** Texts of short confirmations that something is done. */
  messages: 'Messages',
  /** Why a field does not accept what it contains. */
  invalid: {
    missing: 'Fill this in.',
    email: 'Enter an e-mail address, such as anna@example.org.',
    url: 'Enter an address that begins with https://, such as https://example.org.',
    short: (characters: number) => `Use at least ${characters} characters.`,
    other: 'Check what you entered.',
  },
  cancel: 'Cancel',
  close: 'Close',
  save: 'Save',
  back: 'Back',
  next: 'Next',
  retry: 'Try again',
  loading: 'One moment…',
  backUpNow: 'Back up now',
  stop: 'Stop',
  remove: 'Remove',
  more: 'More',
};
