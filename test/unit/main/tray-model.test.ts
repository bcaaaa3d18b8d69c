import { describe, expect, test } from 'vitest';
import { pauseEnd } from '../../../src/ipc/pause-end.ts';
import type { AppState } from '../../../src/ipc/state.ts';
import { trayModel } from '../../../src/main/tray/tray-model.ts';
import type { TrayIcon, TrayItem } from '../../../src/main/tray/tray-model.ts';
import { languageOf } from '../../../src/strings/strings.ts';
import {
  BACKUP_DISK,
  BUCKET,
  DOCUMENTS,
  NAS,
  NOW,
  PROTECTED,
  RUNNING,
  RUNNING_AT_SEVERAL,
  SEVERAL,
} from '../../app/renderer/states.ts';

const ENGLISH = languageOf('en', ['en-GB']);
const PHOTOS = { ...DOCUMENTS, name: 'Photos' };
const BUSY: AppState = { ...PROTECTED, health: 'running', runs: [RUNNING] };
const { destination: _destination, device: _device, ...WITHOUT } = PROTECTED;
const NOT_SET_UP: AppState = { ...WITHOUT, health: 'not-set-up', sets: [] };

function lines(items: readonly TrayItem[]): readonly string[] {
  return items.flatMap(linesOf);
}

function linesOf(item: TrayItem): readonly string[] {
  switch (item.kind) {
    case 'separator':
      return ['-'];
    case 'text':
      return [item.label];
    case 'submenu':
      return [`${item.label} >`, ...lines(item.items).map((line) => `  ${line}`)];
    case 'action':
      return [`${item.isEnabled ? '' : 'x '}${item.label} = ${Object.values(item.action).join(' ')}`];
  }
}

function menu(state: AppState | undefined): readonly string[] {
  return lines(trayModel(state, undefined, ENGLISH, NOW).items);
}

describe('the tray model', () => {
  test.each<[string, AppState | undefined, TrayIcon, RegExp]>([
    ['before anything is known', undefined, 'idle', /^Holdfast: Holdfast is starting\.$/],
    ['before it is set up', NOT_SET_UP, 'idle', /Not set up yet/],
    ['when all is well', PROTECTED, 'protected', /^Holdfast: Protected\. Last backup 12 minutes ago\.$/],
    ['while a backup runs', BUSY, 'running', /Backing up “Documents”: 22%\.$/],
    ['while it waits', { ...PROTECTED, health: 'waiting' }, 'waiting', /Waiting/],
    ['while it is paused', { ...PROTECTED, health: 'paused', pause: {} }, 'paused', /Paused until you resume/],
    [
      'when something needs the person',
      { ...PROTECTED, health: 'attention', needs: [{ kind: 'signed-out' }] },
      'attention',
      /Needs your attention\. You are signed out/,
    ],
    [
      'when files are at risk',
      { ...PROTECTED, health: 'at-risk', needs: [{ kind: 'no-backup-for', set: 'Documents', days: 4 }] },
      'risk',
      /At risk\. No backup of “Documents” for 4 days\.$/,
    ],
    [
      'when the settings are damaged',
      { ...PROTECTED, damage: { code: 'home_damaged', details: {} } },
      'risk',
      /the settings cannot be read/,
    ],
  ])('shows an icon and a sentence %s', (_title, state, icon, tooltip) => {
    const model = trayModel(state, undefined, ENGLISH, NOW);
    expect(model.icon).toBe(icon);
    expect(model.tooltip).toMatch(tooltip);
  });

  test('offers the frequent actions', () => {
    expect(menu(PROTECTED)).toEqual([
      'Protected. Last backup 12 minutes ago.',
      '-',
      'Back up “Documents” now = back-up Documents',
      'Pause >',
      '  For 1 hour = pause hour',
      '  Until tomorrow morning = pause morning',
      '  Until I resume = pause resumed',
      '-',
      'Open Holdfast = open',
      'Quit Holdfast = quit',
    ]);
  });

  test('lists the sets when there are several', () => {
    expect(menu({ ...PROTECTED, sets: [DOCUMENTS, PHOTOS] }).slice(2, 7)).toEqual([
      'Back up now >',
      '  All sets = back-up-all',
      '  -',
      '  Documents = back-up Documents',
      '  Photos = back-up Photos',
    ]);
  });

  test('shows the progress of a run and offers to stop it', () => {
    expect(menu({ ...BUSY, sets: [DOCUMENTS, PHOTOS] }).slice(0, 9)).toEqual([
      'Backing up “Documents”: 22%.',
      '431\u00a0MB of 1.9\u00a0GB, about 2 minutes left',
      '-',
      'Back up now >',
      '  x All sets = back-up-all',
      '  -',
      '  x Documents = back-up Documents',
      '  Photos = back-up Photos',
      'Stop “Documents” = stop 13',
    ]);
  });

  test('names the run when the state sentence does not', () => {
    const state: AppState = { ...BUSY, health: 'attention', needs: [{ kind: 'signed-out' }] };
    expect(menu(state).slice(0, 3)).toEqual([
      'Needs your attention. You are signed out of the service.',
      'Backing up “Documents”: 22%.',
      '431\u00a0MB of 1.9\u00a0GB, about 2 minutes left',
    ]);
  });

  test('counts files while the total is unknown', () => {
    const { bytesTotal: _bytes, etaSeconds: _eta, ...rest } = RUNNING;
    expect(menu({ ...BUSY, runs: [{ ...rest, phase: 'scanning', filesDone: 1_204 }] })[1]).toBe('1,204 files');
  });

  test('disables stopping while a run is stopping', () => {
    expect(menu({ ...BUSY, runs: [{ ...RUNNING, phase: 'stopping' }] })).toContain('x Stop “Documents” = stop 13');
  });

  test('offers to resume when paused', () => {
    const shown = menu({ ...PROTECTED, health: 'paused', pause: {} });
    expect(shown).toContain('Resume = resume');
    expect(shown.some((line) => line.startsWith('Pause >'))).toBe(false);
  });

  test('offers only the setup before the first start', () => {
    expect(menu(NOT_SET_UP).slice(1)).toEqual(['-', 'Set up Holdfast… = open', 'Quit Holdfast = quit']);
  });

  test('offers no actions while the settings are damaged', () => {
    expect(menu({ ...PROTECTED, damage: { code: 'home_damaged', details: {} } }).slice(1)).toEqual([
      '-',
      'Open Holdfast = open',
      'Quit Holdfast = quit',
    ]);
  });

  test('is translated to German', () => {
    const model = trayModel(BUSY, undefined, languageOf('de', ['de-DE']), NOW);
    expect(lines(model.items)).toContain('431\u00a0MB von 1,9\u00a0GB, noch etwa 2 Minuten');
  });
});

describe('the tray with several destinations', () => {
  const failed = { code: 'service_unreachable', details: { address: 'https://s3.example.org' } } as const;
  const broken = { ...BUCKET, sets: [{ ...BUCKET.sets[0]!, state: 'failed' as const, failure: failed }] };

  test('counts those that are backed up to, and lists each', () => {
    const { icon, tooltip, items } = trayModel(SEVERAL, undefined, ENGLISH, NOW);
    expect(icon).toBe('protected');
    expect(tooltip).toBe('Holdfast: Protected. Last backup 12 minutes ago. Backed up to 2 of 3 destinations.');
    expect(lines(items).slice(0, 5)).toEqual([
      'Protected. Last backup 12 minutes ago.',
      'Backed up to 2 of 3 destinations >',
      '  Backup disk: Up to date (12 minutes ago)',
      '  photos-of-anna: Up to date (yesterday)',
      '  nas.local: No backup yet',
    ]);
  });

  test('does not count one that failed or is behind, but one that is only absent', () => {
    const disk = { ...BACKUP_DISK, isAtHand: false };
    const old = { ...NAS, sets: [{ ...NAS.sets[0]!, lastGoodAt: NOW - 80 * 3_600_000, state: 'succeeded' as const }] };
    expect(menu({ ...SEVERAL, destinations: [disk, broken, old] }).slice(1, 5)).toEqual([
      'Backed up to 1 of 3 destinations >',
      '  Backup disk: Not connected (12 minutes ago)',
      '  photos-of-anna: Last attempt failed (yesterday)',
      '  nas.local: Out of date (3 days ago)',
    ]);
  });

  test('keeps the sentence of a run short', () => {
    const { tooltip, items } = trayModel({ ...BUSY, destinations: SEVERAL.destinations }, undefined, ENGLISH, NOW);
    expect(tooltip).toBe('Holdfast: Backing up “Documents”: 22%.');
    expect(lines(items)).toContain('Backed up to 2 of 3 destinations >');
  });

  test('shows how far a run is at each', () => {
    const state = { ...BUSY, destinations: SEVERAL.destinations, runs: [RUNNING_AT_SEVERAL] };
    expect(menu(state)).toEqual(
      expect.arrayContaining(['Backup disk: Done', 'photos-of-anna: 231\u00a0MB of 1.7\u00a0GB', 'nas.local: Failed']),
    );
    const lock = { isOn: true, isLocked: true, canAskSystem: false, locksOnClose: false, idleMinutes: 0 };
    expect(lines(trayModel(state, lock, ENGLISH, NOW).items).join()).not.toMatch(/nas|photos|disk/);
  });

  test.each<readonly [string, AppState]>([
    ['there is one destination', PROTECTED],
    ['the settings are damaged', { ...SEVERAL, damage: { code: 'home_damaged', details: {} } }],
    ['the agent does not start', { ...SEVERAL, trouble: { problem: 'ends', lines: [] } }],
    ['there is no set', { ...SEVERAL, sets: [] }],
  ])('counts nothing when %s', (_title, state) => {
    const { tooltip, items } = trayModel(state, undefined, ENGLISH, NOW);
    expect(`${tooltip} ${lines(items).join()}`).not.toMatch(/destination/);
  });

  test('hides their names while the window is locked', () => {
    const lock = { isOn: true, isLocked: true, canAskSystem: false, locksOnClose: false, idleMinutes: 0 };
    const shown = lines(trayModel(SEVERAL, lock, ENGLISH, NOW).items);
    expect(shown[1]).toBe('Backed up to 2 of 3 destinations');
    expect(shown.join()).not.toMatch(/nas|photos|disk/);
  });

  test('is translated to German', () => {
    const { items } = trayModel(SEVERAL, undefined, languageOf('de', ['de-DE']), NOW);
    expect(lines(items)).toContain('An 2 von 3 Zielen gesichert >');
    expect(lines(items)).toContain('  nas.local: Noch keine Sicherung');
  });
});

describe('pauseEnd', () => {
  const evening = new Date(2026, 10, 21, 22, 30).getTime();
  test('is an hour later, six the next morning, or undefined', () => {
    expect(pauseEnd('hour', evening)).toBe(new Date(2026, 10, 21, 23, 30).getTime());
    expect(pauseEnd('morning', evening)).toBe(new Date(2026, 10, 22, 6).getTime());
    expect(pauseEnd('morning', new Date(2026, 10, 22, 3).getTime())).toBe(new Date(2026, 10, 23, 6).getTime());
    expect(pauseEnd('resumed', evening)).toBeUndefined();
  });
});

describe('the tray while the window is locked', () => {
  const lock = { isOn: true, isLocked: true, canAskSystem: false, locksOnClose: false, idleMinutes: 0 };
  const away: AppState = {
    ...PROTECTED,
    health: 'at-risk',
    needs: [{ kind: 'destination-missing', location: '/media/anna/disk' }],
  };

  test('shows the health without the cause', () => {
    const { tooltip, items } = trayModel(away, lock, ENGLISH, NOW);
    expect(tooltip).toBe('Holdfast: Your files are at risk. Unlock Holdfast to see what it is.');
    expect(lines(items).join()).not.toContain('anna');
  });

  test('still backs up, pauses and quits', () => {
    expect(lines(trayModel(BUSY, lock, ENGLISH, NOW).items)).toEqual([
      'A backup is running. 22% is done.',
      expect.stringContaining(' of '),
      '-',
      'x Back up “Documents” now = back-up Documents',
      'Stop “Documents” = stop 13',
      'Pause >',
      '  For 1 hour = pause hour',
      '  Until tomorrow morning = pause morning',
      '  Until I resume = pause resumed',
      '-',
      'Unlock Holdfast… = open',
      'Quit Holdfast = quit',
    ]);
  });

  test('offers to lock when the lock is on', () => {
    const open = trayModel(PROTECTED, { ...lock, isLocked: false }, ENGLISH, NOW);
    expect(lines(open.items)).toContain('Lock now = lock');
    expect(lines(trayModel(PROTECTED, { ...lock, isOn: false, isLocked: false }, ENGLISH, NOW).items)).not.toContain(
      'Lock now = lock',
    );
  });
});
