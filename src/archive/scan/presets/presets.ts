import { atTopOfDisk, beside, closed, inside, isCompoundFile, sameName, within, type Sign } from './signs.ts';

/** Systems whose programs have a place of their own for caches. */
type System = 'linux' | 'darwin' | 'win32';

type Places = Readonly<Partial<Record<System, readonly string[]>>>;

/** Entries of a name, wherever they are. */
export interface NamedRule {
  /** A name, or `*.extension`, or the beginning of a name before `*`; with a slash at the end, that of a folder. */
  readonly pattern: string;
  /** Tells what is meant from a person's own of the same name. Only names that nobody gives by hand have none. */
  readonly sign?: Sign;
  /** The sign in short, the same in every language. */
  readonly signText?: string;
}

/**
 * What a preset leaves out: only what an operating system or a program makes again by itself, where it really makes it. docs/left-out.md has the
 * reasons, and what was left out before and is not any more.
 */
export interface Preset {
  /** Folders below each home of this computer; `*` stands for one name. */
  readonly home?: Places;
  /** Folders of the whole computer. */
  readonly system?: Places;
  readonly named?: readonly NamedRule[];
  /** True if folders with a `CACHEDIR.TAG` are left out, but for the tag. */
  readonly tagged?: boolean;
}

/** Caches that Chromium keeps in a profile, and so each app that is made with it. */
const CHROMIUM_CACHES = ['Code Cache/', 'GPUCache/', 'Service Worker/CacheStorage/'];

/** @param folders of apps, or of the profiles of a browser */
function chromium(...folders: readonly string[]): string[] {
  return folders.flatMap((folder) => ['Cache/', ...CHROMIUM_CACHES].map((cache) => `${folder}/${cache}`));
}

function topOfDisk(pattern: string): NamedRule {
  return { pattern, sign: atTopOfDisk, signText: '/' };
}

function signed(pattern: string, sign: Sign, signText: string): NamedRule {
  return { pattern, sign, signText };
}

function besideOneOf(pattern: string, ...names: readonly string[]): NamedRule {
  return signed(pattern, beside(...names), names.join(', '));
}

const LINUX_CONFIG = ['.config/*', '.var/app/*/config/*'];

/** Named lists of what can be left out. */
export const PRESETS = {
  caches: { tagged: true },
  linux: {
    home: {
      linux: ['.cache/', '.var/app/*/cache/', 'snap/*/*/.cache/', '.local/share/Trash/', '.thumbnails/', '.gvfs/'],
    },
    named: [
      { pattern: '.~lock.*' },
      { pattern: '.nfs*', sign: (path) => /\/\.nfs[0-9a-f]{24}$/.test(path), signText: 'NFS' },
      signed('lost+found/', closed, 'EACCES'),
    ],
  },
  macos: {
    home: {
      darwin: [
        '.Trash/',
        'Library/Caches/',
        'Library/Containers/*/Data/Library/Caches/',
        'Library/Group Containers/*/Library/Caches/',
        'Library/Logs/',
        'Library/Developer/Xcode/DerivedData/',
      ],
    },
    named: [
      { pattern: '.DS_Store' },
      topOfDisk('.Spotlight-V100/'),
      topOfDisk('.fseventsd/'),
      topOfDisk('.DocumentRevisions-V100/'),
      topOfDisk('.TemporaryItems/'),
    ],
  },
  windows: {
    home: { win32: ['AppData/Local/Temp/', 'AppData/Local/Microsoft/Windows/INetCache/'] },
    named: [
      signed('Thumbs.db', isCompoundFile, 'OLE'),
      topOfDisk('$RECYCLE.BIN/'),
      topOfDisk('System Volume Information/'),
      topOfDisk('pagefile.sys'),
      topOfDisk('hiberfil.sys'),
      topOfDisk('swapfile.sys'),
    ],
  },
  browsers: {
    home: {
      linux: [
        '.cache/google-chrome/',
        '.cache/chromium/',
        '.cache/BraveSoftware/',
        '.cache/mozilla/firefox/',
        ...chromium(
          '.config/google-chrome/*',
          '.config/chromium/*',
          '.config/BraveSoftware/Brave-Browser/*',
          'snap/chromium/common/chromium/*',
        ),
        '.mozilla/firefox/*/cache2/',
        'snap/firefox/common/.cache/',
      ],
      darwin: [
        'Library/Caches/Google/Chrome/',
        'Library/Caches/Chromium/',
        'Library/Caches/BraveSoftware/',
        'Library/Caches/Firefox/',
        ...chromium(
          'Library/Application Support/Google/Chrome/*',
          'Library/Application Support/Chromium/*',
          'Library/Application Support/BraveSoftware/Brave-Browser/*',
        ),
      ],
      win32: [
        ...chromium(
          'AppData/Local/Google/Chrome/User Data/*',
          'AppData/Local/Chromium/User Data/*',
          'AppData/Local/Microsoft/Edge/User Data/*',
          'AppData/Local/BraveSoftware/Brave-Browser/User Data/*',
        ),
        'AppData/Local/Mozilla/Firefox/Profiles/*/cache2/',
      ],
    },
  },
  apps: {
    home: {
      linux: [
        ...LINUX_CONFIG.flatMap((folder) => CHROMIUM_CACHES.map((cache) => `${folder}/${cache}`)),
        ...['Slack', 'Code', 'discord'].flatMap((app) => [
          `.config/${app}/Cache/`,
          `.var/app/*/config/${app}/Cache/`,
          `snap/*/*/.config/${app}/Cache/`,
        ]),
        '.config/Code/CachedData/',
        '.var/app/*/config/Code/CachedData/',
        '.cache/spotify/Storage/',
        '.local/share/Steam/steamapps/shadercache/',
        '.steam/*/steamapps/shadercache/',
        '.var/app/com.valvesoftware.Steam/.local/share/Steam/steamapps/shadercache/',
      ],
      darwin: [
        ...CHROMIUM_CACHES.map((cache) => `Library/Application Support/*/${cache}`),
        ...['Slack', 'Code', 'discord'].map((app) => `Library/Application Support/${app}/Cache/`),
        'Library/Application Support/Code/CachedData/',
        'Library/Application Support/Spotify/PersistentCache/',
        'Library/Application Support/Steam/steamapps/shadercache/',
      ],
      win32: [
        ...CHROMIUM_CACHES.map((cache) => `AppData/Roaming/*/${cache}`),
        ...['Slack', 'Code', 'discord'].map((app) => `AppData/Roaming/${app}/Cache/`),
        'AppData/Roaming/Code/CachedData/',
        'AppData/Local/Spotify/Storage/',
      ],
    },
    system: { win32: ['C:/Program Files (x86)/Steam/steamapps/shadercache/'] },
  },
  developer: {
    home: {
      ...everywhere(
        '.m2/repository/',
        '.cargo/registry/',
        '.rustup/toolchains/',
        '.gradle/caches/',
        '.gradle/wrapper/dists/',
        '.npm/_cacache/',
        '.yarn/berry/cache/',
      ),
    },
    named: [
      besideOneOf('node_modules/', 'package.json'),
      { pattern: '__pycache__/' },
      signed('*.pyc', sameName('.py'), '*.py'),
      signed('.venv/', inside('pyvenv.cfg'), 'pyvenv.cfg'),
      besideOneOf('.tox/', 'tox.ini', 'tox.toml', 'pyproject.toml', 'setup.cfg'),
      signed('.mypy_cache/', inside('CACHEDIR.TAG'), 'CACHEDIR.TAG'),
      signed('.pytest_cache/', inside('CACHEDIR.TAG'), 'CACHEDIR.TAG'),
      besideOneOf('.gradle/', 'build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'),
      besideOneOf('target/', 'Cargo.toml', 'pom.xml'),
      besideOneOf('.next/', 'package.json'),
      besideOneOf('.nuxt/', 'package.json'),
      besideOneOf('.parcel-cache/', 'package.json'),
      signed('providers/', within('.terraform'), '.terraform/'),
      signed('*.o', sameName('.c', '.cc', '.cpp', '.cxx', '.m', '.mm', '.s', '.S'), '*.c, *.cpp, *.m, *.s'),
    ],
  },
  /** It has no patterns: entries with the mark of the system are left out. */
  'time-machine': {},
  'virtual-machines': {
    system: { linux: ['/var/lib/docker/overlay2/'] },
    named: [signed('*.vmem', isOfRunningMachine, '*.vmx'), signed('*.vswp', isSwapOfMachine, '*.vmx')],
  },
} as const satisfies Readonly<Record<string, Preset>>;

export type PresetName = keyof typeof PRESETS;

function everywhere(...folders: readonly string[]): Places {
  return { linux: folders, darwin: folders, win32: folders };
}

/** A suspended machine goes on with its memory. */
function isOfRunningMachine(path: string): boolean {
  return sameName('.vmx')(path) && !sameName('.vmss')(path);
}

/** Named like the machine, with a number of the host behind it. */
function isSwapOfMachine(path: string): boolean {
  return sameName('.vmx')(path.replace(/(?:-[0-9a-f]{8})?\.vswp$/, '.vswp'));
}

/** Returns whether a preset can leave anything out on an operating system. */
export function isPresetOf(name: PresetName, platform: NodeJS.Platform): boolean {
  return name !== 'time-machine' || platform === 'darwin';
}

export function isPresetName(name: string): name is PresetName {
  return Object.hasOwn(PRESETS, name);
}

/** Presets of a new set on this operating system. */
export function defaultPresets(platform: NodeJS.Platform): readonly PresetName[] {
  const system = platform === 'darwin' ? 'macos' : platform === 'win32' ? 'windows' : 'linux';
  return ['caches', system, 'browsers', 'apps'];
}
