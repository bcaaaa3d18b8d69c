// Compiled from the catalogues by `npm run texts`. Do not edit.
import { messagesOf } from '../../messages.ts';

const m = messagesOf('en');

export const common = {
  product: 'Holdfast',
  views: {
    home: 'Home',
    sets: 'Backup sets',
    restore: 'Restore',
    activity: 'Activity',
    devices: 'Devices',
    settings: 'Settings',
  },
  health: {
    'not-set-up': 'Not set up',
    'at-risk': 'At risk',
    attention: 'Needs attention',
    running: 'Running',
    waiting: 'Waiting',
    paused: 'Paused',
    protected: 'Protected',
  },
  title: (view: string): string => `${m.text(view)} – Holdfast`,
  skip: 'Skip to content',
  sections: 'Sections',
  of: (what: string, name: string): string => `${m.text(what)}: ${m.text(name)}`,
  quoted: (text: string): string => `“${m.text(text)}”`,
  said: (what: string, how: string): string => `${m.text(what)}: ${m.text(how)}.`,
  withControl: (isMac: boolean, key: string): string => (isMac ? `⌘${m.text(key)}` : `Ctrl+${m.text(key)}`),
  messages: 'Messages',
  invalid: {
    missing: 'Fill this in.',
    email: 'Enter an e-mail address, such as anna@example.org.',
    url: 'Enter an address that begins with https://, such as https://example.org.',
    short: (characters: number): string => `Use at least ${m.text(characters)} characters.`,
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
