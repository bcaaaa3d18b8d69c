// Compiled from the catalogues by `npm run texts`. Do not edit.
import { messagesOf } from '../../messages.ts';

const m = messagesOf('en');

export const updates = {
  title: 'Updates',
  look: 'Look for updates',
  lookHint: 'Once a day. An update is installed when no backup, restore or check is running.',
  none: 'This build of Holdfast does not look for updates.',
  packageManager: 'Updates come from your system’s package manager.',
  byAdministrator: 'Your administrator has turned updates off.',
  notChecked: 'Holdfast has not looked for updates since it was started.',
  current: (when: string): string => `There was no newer version. Last checked: ${m.text(when)}`,
  checking: 'Looking for updates…',
  offered: (version: string): string => `Version ${m.text(version)} is available. Download it where you got this version.`,
  systemTooOld: (version: string): string => `Version ${m.text(version)} is available, but it needs a newer version of this computer’s operating system.`,
  downloading: (version: string, percent: string): string => `Downloading version ${m.text(version)}: ${m.text(percent)}`,
  ready: (version: string): string => `Version ${m.text(version)} is ready to be installed.`,
  replaced: 'A new version is installed. Restart Holdfast to use it.',
  afterRun: 'This is possible when the current run is done.',
  problems: {
    network: 'The update server cannot be reached. Holdfast tries again later.',
    signature: 'The update server offered an update that is not signed by the makers of Holdfast. It was refused.',
    metadata: 'The update server offered an update that this version cannot read. It was refused.',
    damaged: 'The downloaded update was damaged. It was refused.',
    install: 'The update could not be installed. Holdfast continues in this version.',
  },
  check: 'Check now',
  install: 'Install and restart',
  restart: 'Restart Holdfast',
  news: 'What’s new…',
  newsTitle: 'What’s new',
  newsOf: (version: string): string => `Version ${m.text(version)}`,
};
