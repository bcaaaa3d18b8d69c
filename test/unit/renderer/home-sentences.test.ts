import { describe, expect, test } from 'vitest';
import type { AppState } from '../../../src/ipc/state.ts';
import type { Need } from '../../../src/model/need.ts';
import type { Decision, LastMoment } from '../../../src/model/schedule/decision.ts';
import { decisionSentence, latenessSentence } from '../../../src/strings/decision-sentence.ts';
import { needSentence, stateSentence } from '../../../src/strings/state-sentence.ts';
import { languageOf } from '../../../src/strings/strings.ts';
import { DOCUMENTS, PROTECTED, RUNNING } from '../../app/renderer/states.ts';

const ENGLISH = languageOf('en', ['en-GB']);
const GERMAN = languageOf('de', ['de-DE']);

/** A Saturday in the local time zone. */
const NOON = new Date(2026, 10, 21, 12, 0).getTime();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const TOMORROW = new Date(2026, 10, 22, 8, 0).getTime();
const MONDAY = new Date(2026, 10, 23, 8, 0).getTime();

const LAST = { ...DOCUMENTS, lastPoint: { at: NOON - 3 * HOUR, files: 1, bytes: 1 } };
const onBattery: Decision = {
  kind: 'waiting',
  since: NOON - HOUR,
  reason: { kind: 'battery', percent: 31, atLeast: 50 },
};

describe('state sentences', () => {
  const state = (change: Partial<AppState>): AppState => ({ ...PROTECTED, since: NOON - 12 * MINUTE, ...change });

  test.each<readonly [Partial<AppState>, string, string]>([
    [{}, 'Protected. Last backup 12 minutes ago.', 'Geschützt. Letzte Sicherung vor 12 Minuten.'],
    [{ since: NOON - 20_000 }, 'Protected. Last backup just now.', 'Geschützt. Letzte Sicherung gerade eben.'],
    [{ since: undefined, sets: [] }, 'Protected.', 'Geschützt.'],
    [
      { health: 'not-set-up' },
      'Not set up yet. Choose where your backups go.',
      'Noch nicht eingerichtet. Wähle, wohin gesichert werden soll.',
    ],
    [{ health: 'running', runs: [RUNNING] }, 'Backing up “Documents”: 22%.', '„Documents“ wird gesichert: 22\u00a0%.'],
    [
      { health: 'running', runs: [{ ...RUNNING, bytesTotal: undefined }] },
      'Backing up “Documents”: scanning files.',
      '„Documents“ wird gesichert: Dateien werden durchsucht.',
    ],
    [
      { health: 'running', runs: [{ ...RUNNING, kind: 'restore', bytesDone: 1_899_999_999 }] },
      'Restoring “Documents”: 99%.',
      '„Documents“ wird wiederhergestellt: 99\u00a0%.',
    ],
    [
      { health: 'running', runs: [{ ...RUNNING, kind: 'verify', phase: 'stopping' }] },
      'Checking “Documents”: stopping.',
      '„Documents“ wird geprüft: wird angehalten.',
    ],
    [
      { health: 'waiting', sets: [{ ...LAST, decision: onBattery }] },
      'Waiting: on battery (31%), resumes from 50%. Last backup 3 hours ago.',
      'Wartet: Akkubetrieb (31\u00a0%), weiter ab 50\u00a0%. Letzte Sicherung vor 3 Stunden.',
    ],
    [{ health: 'paused', pause: { until: NOON + HOUR }, sets: [] }, 'Paused until 13:00.', 'Pausiert bis 13:00.'],
    [
      { health: 'paused', pause: { until: TOMORROW }, sets: [] },
      'Paused until tomorrow 08:00.',
      'Pausiert bis morgen 08:00.',
    ],
    [{ health: 'paused', pause: {}, sets: [] }, 'Paused until you resume.', 'Pausiert, bis du fortsetzt.'],
    [
      { health: 'at-risk', needs: [{ kind: 'no-backup-for', set: 'Documents', days: 4 }] },
      'At risk. No backup of “Documents” for 4 days.',
      'In Gefahr. Seit 4 Tagen keine Sicherung von „Documents“.',
    ],
    [
      { health: 'attention', needs: [{ kind: 'warnings', set: 'Documents', run: 1, count: 1 }] },
      'Needs your attention. 1 file of “Documents” could not be backed up.',
      'Handlungsbedarf. 1 Datei von „Documents“ konnte nicht gesichert werden.',
    ],
    [
      { damage: { code: 'home_damaged', details: {} } },
      'Backups are not running: the settings cannot be read.',
      'Sicherungen laufen nicht: Die Einstellungen sind nicht lesbar.',
    ],
  ])('%j', (change, english, german) => {
    expect(stateSentence(state(change), ENGLISH, NOON)).toBe(english);
    expect(stateSentence(state(change), GERMAN, NOON)).toBe(german);
  });
});

describe('decision sentences', () => {
  test.each<readonly [Decision, string, string]>([
    [{ kind: 'manual' }, 'Manually', 'Manuell'],
    [{ kind: 'next', at: NOON + 30 * MINUTE }, 'Next backup: 12:30', 'Nächste Sicherung: 12:30'],
    [{ kind: 'next', at: TOMORROW }, 'Next backup: tomorrow 08:00', 'Nächste Sicherung: morgen 08:00'],
    [{ kind: 'next', at: MONDAY }, 'Next backup: Monday 08:00', 'Nächste Sicherung: Montag 08:00'],
    [{ kind: 'next', at: NOON - 1 }, 'Next backup: any moment now', 'Nächste Sicherung: in Kürze'],
    [{ kind: 'watching', isPartial: false }, 'Backs up when files change', 'Sichert, wenn sich Dateien ändern'],
    [
      { kind: 'quiet', until: NOON + 10 * MINUTE },
      'Files changed. Next backup: 12:10, unless more files change',
      'Dateien geändert. Nächste Sicherung: 12:10, sofern sich nichts weiter ändert',
    ],
    [
      onBattery,
      'Waiting since 11:00: on battery (31%), resumes from 50%',
      'Wartet seit 11:00: Akkubetrieb (31\u00a0%), weiter ab 50\u00a0%',
    ],
    [
      { kind: 'waiting', since: NOON, reason: { kind: 'destination', location: '/media/disk' } },
      'Waiting since 12:00: /media/disk is not connected',
      'Wartet seit 12:00: /media/disk ist nicht verbunden',
    ],
    [
      { kind: 'waiting', since: NOON, reason: { kind: 'network', name: 'Café' } },
      'Waiting since 12:00: the network “Café” is not allowed',
      'Wartet seit 12:00: Das Netzwerk „Café“ ist nicht erlaubt',
    ],
    [
      {
        kind: 'waiting',
        since: NOON,
        reason: {
          kind: 'retry',
          at: NOON + HOUR,
          failure: { code: 'service_unreachable', details: { address: 'https://backup.example.org' } },
        },
      },
      'Waiting since 12:00: the last attempt failed; next attempt: 13:00',
      'Wartet seit 12:00: Der letzte Versuch ist fehlgeschlagen; nächster Versuch: 13:00',
    ],
    [
      { kind: 'running', since: NOON, trigger: 'missed' },
      'Running since 12:00 to make up for a missed backup',
      'Läuft seit 12:00, um eine verpasste Sicherung nachzuholen',
    ],
  ])('%j', (decision, english, german) => {
    expect(decisionSentence(decision, ENGLISH, NOON)).toBe(english);
    expect(decisionSentence(decision, GERMAN, NOON)).toBe(german);
  });

  test.each<readonly [LastMoment, string | undefined, string | undefined]>([
    [{ dueAt: NOON, ranAt: NOON + 20_000 }, undefined, undefined],
    [
      { dueAt: NOON, ranAt: NOON + 2 * MINUTE + 3_000, lateBy: 'asleep' },
      'Ran 2 mins late: the computer was asleep',
      'Lief 2 Min. später als geplant: Der Computer war im Ruhezustand',
    ],
    [
      { dueAt: NOON, ranAt: NOON + 2 * HOUR, lateBy: 'waited', waitedFor: { kind: 'metered' } },
      'Ran 2 hrs late: the network was metered',
      'Lief 2 Std. später als geplant: Das Netzwerk war getaktet',
    ],
  ])('%j is late', (last, english, german) => {
    expect(latenessSentence({ lastMoment: last }, ENGLISH)).toBe(english);
    expect(latenessSentence({ lastMoment: last }, GERMAN)).toBe(german);
  });

  test('of a later backup than the scheduled one is not described', () => {
    const last = { dueAt: NOON, ranAt: NOON + HOUR, lateBy: 'off' } as const;
    const backup = { id: 1, kind: 'backup', outcome: 'failed', endedAt: NOON + 3 * HOUR, warnings: 0 } as const;
    const after = (startedAt: number): string | undefined =>
      latenessSentence({ lastMoment: last, lastBackup: { ...backup, startedAt } }, ENGLISH);
    expect(after(NOON + HOUR + 2_000)).toBe('Ran 1 hr late: Holdfast was not running');
    expect(after(NOON + 2 * HOUR)).toBeUndefined();
  });
});

test.each<readonly [Need, string]>([
  [{ kind: 'warnings', set: 'A', run: 1, count: 1, isGeneral: true }, 'The last backup of “A” has a warning.'],
  [{ kind: 'no-set' }, 'Nothing on this computer is backed up.'],
  [{ kind: 'first-backup', set: 'A' }, '“A” is not backed up yet.'],
  [
    { kind: 'failed', set: 'A', at: NOON, failure: { code: 'internal', details: {} } },
    'The last backup of “A” failed.',
  ],
  [{ kind: 'no-backup-for', set: 'A', days: 1 }, 'No backup of “A” for 1 day.'],
  [{ kind: 'destination-missing', location: '/media/disk' }, '/media/disk is not connected.'],
  [{ kind: 'signed-out' }, 'You are signed out of the service.'],
  [{ kind: 'phrase-unconfirmed' }, 'Your recovery phrase is not confirmed yet.'],
  [{ kind: 'content-missing', set: 'A', run: 1, files: 0, points: 1 }, '1 restore point is lost.'],
  [
    { kind: 'content-missing', set: 'A', run: 1, files: 1, points: 0 },
    '1 file of earlier restore points cannot be restored.',
  ],
  [{ kind: 'verification-failed', set: 'A', run: 1 }, 'A check found damage in the backups of “A”.'],
  [
    { kind: 'report-failed', at: NOON, failure: { code: 'internal', details: {} } },
    'The weekly report could not be sent.',
  ],
  [{ kind: 'command-failed', set: 'A', run: 1 }, 'The command after the backup of “A” failed.'],
  [{ kind: 'agent-restarted', at: NOON }, 'Holdfast stopped unexpectedly and has started again.'],
  [
    { kind: 'restore-unfinished', set: 'A', to: '/b', waitsFor: '/media/disk' },
    'The restore from “A” resumes when /media/disk is connected.',
  ],
  [
    { kind: 'restore-unfinished', set: 'A', to: '/b' },
    'The restore from “A” resumes when nothing else is using your backups.',
  ],
  [
    { kind: 'restore-unfinished', set: 'A', to: '/b', failure: { code: 'interrupted', details: {} } },
    'The restore from “A” is not finished.',
  ],
])('describes the need %j', (need, sentence) => {
  expect(needSentence(need, ENGLISH.strings)).toBe(sentence);
});
