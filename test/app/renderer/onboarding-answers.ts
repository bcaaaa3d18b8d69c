import { HoldfastError } from '../../../src/base/errors/errors.ts';
import type { DestinationChoice } from '../../../src/ipc/contract/setup.ts';
import type { Answers } from './window-page.ts';

export const WORDS =
  'abandon ability able about above absent absorb abstract absurd abuse access accident account accuse achieve acid acoustic acquire across act action actor actress actual'.split(
    ' ',
  );
/** Indexes of the two words to repeat. */
export const ASK = [6, 18];

const OLD_LAPTOP = { id: 'dev_1', name: 'Anna’s old laptop' };

/** An agent before setup: three disks, a service with a second factor, five folders. */
export function onboardingAnswers(change: Answers = {}): Answers {
  let asked = 0;
  return {
    'setup.disks': () => ({
      deviceName: 'annas-laptop',
      disks: [
        disk('/home/anna', 'System disk', 'system', { isSameDisk: true }),
        disk('/media/anna/Backup disk', 'Backup disk', 'external', {}),
        disk('/mnt/archive', 'Archive', 'internal', { holdsBackups: true }),
      ],
    }),
    'setup.try': ({ choice: destination }) => {
      if (destination.kind === 'service') {
        return { location: destination.url, holdsBackups: false, signIn: { password: true, provider: true } };
      }
      const location = locationOf(destination);
      return {
        location,
        ...(destination.kind === 'folder' ? {} : { cautions: [] }),
        holdsBackups: location.startsWith('/mnt'),
        freeBytes: 812e9,
        isSameDisk: location.startsWith('/home'),
      };
    },
    'setup.rclone-remotes': () => ({
      remotes: [
        { name: 'drive', type: 'drive' },
        { name: 'onedrive', type: 'onedrive' },
      ],
    }),
    'setup.sign-in': ({ password }) => {
      if (password === 'wrong') throw new HoldfastError('password_wrong');
      return {
        kind: 'factors',
        factors: [
          { id: 'f1', kind: 'totp' },
          { id: 'f2', kind: 'recovery' },
        ],
      };
    },
    'setup.verify-factor': ({ code }) => {
      if (code === '000000') throw new HoldfastError('signed_out');
      if (code !== '123456') throw new HoldfastError('code_wrong');
      return { kind: 'signed-in', email: 'anna@example.org', holdsBackups: true, devices: [OLD_LAPTOP] };
    },
    'setup.sign-in-with-provider': () => ({
      kind: 'signed-in',
      email: 'anna@example.org',
      holdsBackups: false,
      devices: [],
    }),
    'setup.cancel': () => ({}),
    'setup.finish': ({ phrase }) => ({
      isAdopted: phrase !== undefined,
      storedSets: phrase === undefined ? [] : [{ deviceId: 'dev_1', deviceName: OLD_LAPTOP.name, set: 'Documents' }],
    }),
    'setup.phrase': () => ({ words: WORDS, ask: ASK }),
    'setup.confirm-phrase': ({ words }) => ({
      isRight: words.join() === ASK.map((location) => WORDS[location]).join(),
    }),
    'shell.save-kit': () => ({ path: '/home/anna/Holdfast recovery kit.pdf' }),
    'shell.copy': () => ({}),
    'shell.choose-file': () => ({ path: '/home/anna/.ssh/id_ed25519' }),
    'shell.choose-folder': () => ({ path: '/srv/shared/photos' }),
    'sets.suggestions': () => ({
      folders: [
        { path: '/home/anna/Documents', kind: 'documents' },
        { path: '/home/anna/Pictures', kind: 'pictures' },
        { path: '/home/anna/Projects', kind: 'projects' },
        { path: '/home/anna/Downloads', kind: 'downloads' },
        { path: '/home/anna', kind: 'home' },
      ],
    }),
    'sets.presets': () => ({
      presets: [
        { name: 'linux', patterns: ['.cache/'], isDefault: true },
        { name: 'node', patterns: ['node_modules/'], isDefault: false },
      ],
    }),
    // The figures grow: each folder is complete at the third call.
    'sets.estimate': () => {
      asked += 1;
      return { done: asked > 12, files: 100 * asked, bytes: 1e9 * asked, rules: [], unreadable: [] };
    },
    'sets.add': () => ({ passedOver: [] }),
    'sets.retention.save': () => ({}),
    'preferences.save': () => ({}),
    'shell.abilities': () => ({
      startAtLogin: true,
      fileManagers: false,
      tray: true,
      notifications: true,
      platform: 'linux',
      locale: 'en-GB',
    }),
    'runs.backup': () => ({ run: 1 }),
    ...change,
  };
}

function locationOf(destination: Exclude<DestinationChoice, { kind: 'service' }>): string {
  switch (destination.kind) {
    case 'folder':
      return `${destination.path}/holdfast`;
    case 'sftp':
      return `sftp://${destination.user}@${destination.host}/~/${destination.path}`;
    case 'rclone':
      return `rclone:${destination.remote}:${destination.folder}`;
    case 'bucket':
    case 'webdav':
      return destination.address;
  }
}

function disk(
  path: string,
  label: string,
  kind: 'external' | 'internal' | 'system',
  facts: { readonly isSameDisk?: boolean; readonly holdsBackups?: boolean },
) {
  return {
    path,
    folder: `${path}/Holdfast`,
    label,
    kind,
    freeBytes: 812e9,
    totalBytes: 1e12,
    isSameDisk: facts.isSameDisk ?? false,
    holdsBackups: facts.holdsBackups ?? false,
  };
}
