/**
 * Named exclusion lists: files that an operating system or an app creates again by itself. Patterns in gitignore syntax,
 * relative to each root of a set.
 */
export const PRESETS = {
  linux: ['.cache/', '.local/share/Trash/', 'lost+found/', '.gvfs/', '.thumbnails/', '*.swp', '.~lock.*#', '.nfs*'],
  macos: [
    '.DS_Store',
    '.Trash/',
    '.Spotlight-V100/',
    '.fseventsd/',
    '.DocumentRevisions-V100/',
    '.TemporaryItems/',
    'Library/Caches/',
    'Library/Logs/',
    'Library/Developer/Xcode/DerivedData/',
  ],
  windows: [
    'Thumbs.db',
    'desktop.ini',
    '$RECYCLE.BIN/',
    'System Volume Information/',
    'pagefile.sys',
    'hiberfil.sys',
    'swapfile.sys',
    '**/AppData/Local/Temp/',
    '**/AppData/Local/Microsoft/Windows/INetCache/',
  ],
  browsers: [
    '**/Google/Chrome/**/Cache/',
    '**/google-chrome/**/Cache/',
    '**/chromium/**/Cache/',
    '**/chromium/**/Code Cache/',
    '**/google-chrome/**/Code Cache/',
    '**/.mozilla/firefox/*/cache2/',
    '**/Firefox/Profiles/*/cache2/',
    '**/BraveSoftware/**/Cache/',
    '**/Service Worker/CacheStorage/',
    '**/GPUCache/',
  ],
  apps: [
    '**/Slack/Cache/',
    '**/Code/Cache/',
    '**/Code/CachedData/',
    '**/discord/Cache/',
    '**/Spotify/Storage/',
    '**/.steam/**/shadercache/',
    '**/Steam/**/shadercache/',
  ],
  developer: [
    'node_modules/',
    '__pycache__/',
    '*.pyc',
    '.venv/',
    '.tox/',
    '.mypy_cache/',
    '.pytest_cache/',
    '.gradle/',
    '.m2/repository/',
    '.cargo/registry/',
    '.rustup/toolchains/',
    '**/target/debug/',
    '**/target/release/',
    '.next/',
    '.nuxt/',
    '.parcel-cache/',
    '.npm/_cacache/',
    '.yarn/cache/',
    '.terraform/',
    '*.o',
  ],
  /** Has no patterns: what has the mark is left out. */
  'time-machine': [],
  'virtual-machines': ['*.vmem', '*.vswp', '**/.vagrant/machines/', '**/docker/overlay2/'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type PresetName = keyof typeof PRESETS;

/** Returns whether a preset can leave anything out on an operating system. */
export function isPresetOf(name: PresetName, platform: NodeJS.Platform): boolean {
  return name !== 'time-machine' || platform === 'darwin';
}

export function isPresetName(name: string): name is PresetName {
  return Object.hasOwn(PRESETS, name);
}

/** Presets of a new set on this operating system. */
export function defaultPresets(platform: NodeJS.Platform): readonly PresetName[] {
  if (platform === 'darwin') return ['macos', 'browsers', 'apps'];
  if (platform === 'win32') return ['windows', 'browsers', 'apps'];
  return ['linux', 'browsers', 'apps'];
}
