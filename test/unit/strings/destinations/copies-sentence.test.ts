import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AppState, ConfiguredDestination, SetAtDestination, SetState } from '../../../../src/ipc/state.ts';
import { copiesWords } from '../../../../src/strings/destinations/copies-sentence.ts';
import { languageOf } from '../../../../src/strings/strings.ts';
import { DOCUMENTS, PROTECTED } from '../../../app/renderer/states.ts';

const ENGLISH = languageOf('en', ['en-GB']);
const GERMAN = languageOf('de', ['de-DE']);

const NOON = new Date(2026, 10, 21, 12, 0).getTime();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const FAILURE = { code: 'service_unreachable', details: { address: 'https://backup.example.org' } } as const;

interface At {
  readonly ago?: number;
  readonly state?: SetAtDestination['state'];
}

function at(set: string, { ago, state = ago === undefined ? 'none' : 'succeeded' }: At): SetAtDestination {
  return {
    set,
    ...(ago === undefined ? {} : { lastGoodAt: NOON - ago }),
    state,
    ...(state === 'failed' ? { failure: FAILURE } : {}),
    decision: { kind: 'manual' },
  };
}

const SETS = ['Documents', 'Photos'] as const;

const DISK = { id: '00000001', name: 'Backup disk', kind: 'folder', location: '/media/disk', storage: {} } as const;
const BUCKET = { id: '00000002', name: 'photos', kind: 'bucket', location: 's3://photos', storage: {} } as const;
const NAS = {
  id: '00000003',
  name: 'nas.local',
  kind: 'sftp',
  location: 'sftp://anna@nas.local/~/b',
  storage: {},
} as const;
const SERVICE = {
  id: '00000004',
  name: 'backup.example.org',
  kind: 'service',
  location: 'https://backup.example.org',
  storage: {},
} as const;

function one(
  place: Pick<ConfiguredDestination, 'id' | 'name' | 'kind' | 'location' | 'storage'>,
  first: At,
  isAtHand = true,
): ConfiguredDestination {
  return { ...place, isAtHand, sets: [at('Documents', first)] };
}

function two(
  place: Pick<ConfiguredDestination, 'id' | 'name' | 'kind' | 'location' | 'storage'>,
  documents: At,
  photos: At,
): ConfiguredDestination {
  return { ...place, isAtHand: true, sets: [at('Documents', documents), at('Photos', photos)] };
}

function setNamed(name: string): SetState {
  return { ...DOCUMENTS, name };
}

function state(destinations: readonly ConfiguredDestination[]): AppState {
  const names = destinations[0]?.sets.map(({ set }) => set) ?? [];
  return { ...PROTECTED, destinations: [...destinations], sets: names.map(setNamed) };
}

const ADD = 'Add a destination somewhere else, so that you don’t lose both to theft or fire.';
const FUEGE = 'Füge ein Ziel an einem anderen Ort hinzu, damit bei Diebstahl oder Brand nicht beides verloren ist.';
const NEAR =
  'All copies are near this computer. Add a destination somewhere else, so that you don’t lose everything to theft or fire.';
const NAHE =
  'Alle Kopien sind in der Nähe dieses Computers. Füge ein Ziel an einem anderen Ort hinzu, damit bei Diebstahl oder Brand nicht alles verloren ist.';

describe('the copies of a home', () => {
  test.each<readonly [string, readonly ConfiguredDestination[], readonly string[], readonly string[]]>([
    [
      'on a disk and in a bucket',
      [one(DISK, { ago: 20 * MINUTE }), one(BUCKET, { ago: DAY })],
      ['Two copies: on “Backup disk” (20 minutes ago) and in the bucket “photos” (yesterday).'],
      ['Zwei Kopien: auf „Backup disk“ (vor 20 Minuten) und im Bucket „photos“ (gestern).'],
    ],
    [
      'at three places',
      [one(DISK, { ago: 1 }), one(NAS, { ago: 2 * HOUR }), one(SERVICE, { ago: 2 * DAY })],
      [
        'Three copies: on “Backup disk” (just now), on the server “nas.local” (2 hours ago) and with the service “backup.example.org” (2 days ago).',
      ],
      [
        'Drei Kopien: auf „Backup disk“ (gerade eben), auf dem Server „nas.local“ (vor 2 Stunden) und beim Dienst „backup.example.org“ (vorgestern).',
      ],
    ],
    [
      'on one disk',
      [one(DISK, { ago: HOUR })],
      ['One copy, on a disk at this computer.', ADD],
      ['Eine Kopie, auf einem Laufwerk an diesem Computer.', FUEGE],
    ],
    [
      'on one server at home',
      [one(NAS, { ago: HOUR })],
      ['One copy, on a server in your network.', ADD],
      ['Eine Kopie, auf einem Server in deinem Netzwerk.', FUEGE],
    ],
    [
      'with one service elsewhere',
      [one(SERVICE, { ago: HOUR })],
      ['One copy: with the service “backup.example.org” (1 hour ago).'],
      ['Eine Kopie: beim Dienst „backup.example.org“ (vor 1 Stunde).'],
    ],
    [
      'on one disk that is not connected',
      [one(DISK, { ago: DAY }, false)],
      ['One copy: on “Backup disk” (yesterday, not connected).', ADD],
      ['Eine Kopie: auf „Backup disk“ (gestern, nicht verbunden).', FUEGE],
    ],
    [
      'on one disk whose newest backup failed',
      [one(DISK, { ago: DAY, state: 'failed' })],
      ['One copy: on “Backup disk” (yesterday, last attempt failed).', ADD],
      ['Eine Kopie: auf „Backup disk“ (gestern, letzter Versuch fehlgeschlagen).', FUEGE],
    ],
    [
      'on a disk and a server at home',
      [one(DISK, { ago: HOUR }), one(NAS, { ago: HOUR })],
      ['Two copies: on “Backup disk” (1 hour ago) and on the server “nas.local” (1 hour ago).', NEAR],
      ['Zwei Kopien: auf „Backup disk“ (vor 1 Stunde) und auf dem Server „nas.local“ (vor 1 Stunde).', NAHE],
    ],
    [
      'when one is behind',
      [one(DISK, { ago: HOUR }), one(BUCKET, { ago: 3 * DAY })],
      ['Two copies: on “Backup disk” (1 hour ago) and in the bucket “photos” (3 days ago, out of date).'],
      ['Zwei Kopien: auf „Backup disk“ (vor 1 Stunde) und im Bucket „photos“ (vor 3 Tagen, veraltet).'],
    ],
    [
      'when one was never made',
      [one(DISK, { ago: HOUR }), one(BUCKET, {})],
      ['One copy: on “Backup disk” (1 hour ago). None yet: in the bucket “photos”.'],
      ['Eine Kopie: auf „Backup disk“ (vor 1 Stunde). Noch keine: im Bucket „photos“.'],
    ],
    [
      'while the first backup of one runs',
      [one(DISK, { ago: HOUR }), one(BUCKET, { state: 'running' })],
      ['One copy: on “Backup disk” (1 hour ago). None yet: in the bucket “photos” (first backup running).'],
      ['Eine Kopie: auf „Backup disk“ (vor 1 Stunde). Noch keine: im Bucket „photos“ (erste Sicherung läuft).'],
    ],
    [
      'while a later backup of one runs',
      [one(DISK, { ago: HOUR, state: 'running' }), one(BUCKET, { ago: DAY })],
      ['Two copies: on “Backup disk” (1 hour ago) and in the bucket “photos” (yesterday).'],
      ['Zwei Kopien: auf „Backup disk“ (vor 1 Stunde) und im Bucket „photos“ (gestern).'],
    ],
    [
      'when the first backups of one failed, and of another were interrupted',
      [one(DISK, { ago: HOUR }), one(BUCKET, { state: 'failed' }), one(SERVICE, { state: 'interrupted' })],
      [
        'One copy: on “Backup disk” (1 hour ago). None yet: in the bucket “photos” (first attempt failed) and with the service “backup.example.org” (first backup interrupted).',
      ],
      [
        'Eine Kopie: auf „Backup disk“ (vor 1 Stunde). Noch keine: im Bucket „photos“ (erster Versuch fehlgeschlagen) und beim Dienst „backup.example.org“ (erste Sicherung unterbrochen).',
      ],
    ],
    [
      'when one lacks a set',
      [two(DISK, { ago: HOUR }, { ago: 2 * HOUR }), two(BUCKET, { ago: HOUR }, {})],
      ['One copy: on “Backup disk” (2 hours ago). Incomplete: in the bucket “photos” (1 of 2 backup sets).'],
      ['Eine Kopie: auf „Backup disk“ (vor 2 Stunden). Unvollständig: im Bucket „photos“ (1 von 2 Plänen).'],
    ],
    [
      'when every one lacks a set',
      [two(DISK, { ago: HOUR }, { state: 'failed' }), two(BUCKET, {}, {})],
      [
        'No complete copy. Incomplete: on “Backup disk” (1 of 2 backup sets, last attempt failed). None yet: in the bucket “photos”.',
      ],
      [
        'Keine vollständige Kopie. Unvollständig: auf „Backup disk“ (1 von 2 Plänen, letzter Versuch fehlgeschlagen). Noch keine: im Bucket „photos“.',
      ],
    ],
    [
      'before the first backup',
      [one(DISK, { state: 'running' }), one(BUCKET, {})],
      ['No copy yet: on “Backup disk” (first backup running) and in the bucket “photos”.'],
      ['Noch keine Kopie: auf „Backup disk“ (erste Sicherung läuft) und im Bucket „photos“.'],
    ],
    [
      'before the first backup to the only disk',
      [one(DISK, {})],
      ['No copy yet: on “Backup disk”.'],
      ['Noch keine Kopie: auf „Backup disk“.'],
    ],
    [
      'on an absent disk that was never backed up to',
      [one(BUCKET, { ago: HOUR }), one(DISK, { state: 'failed' }, false)],
      ['One copy: in the bucket “photos” (1 hour ago). None yet: on “Backup disk” (not connected).'],
      ['Eine Kopie: im Bucket „photos“ (vor 1 Stunde). Noch keine: auf „Backup disk“ (nicht verbunden).'],
    ],
    [
      'at more places than there are words for',
      Array.from({ length: 6 }, (_, index) =>
        one({ ...BUCKET, id: `0000001${index}`, name: `b${index}` }, { ago: DAY }),
      ),
      [
        '6 copies: in the bucket “b0” (yesterday), in the bucket “b1” (yesterday), in the bucket “b2” (yesterday), in the bucket “b3” (yesterday), in the bucket “b4” (yesterday) and in the bucket “b5” (yesterday).',
      ],
      [
        '6 Kopien: im Bucket „b0“ (gestern), im Bucket „b1“ (gestern), im Bucket „b2“ (gestern), im Bucket „b3“ (gestern), im Bucket „b4“ (gestern) und im Bucket „b5“ (gestern).',
      ],
    ],
  ])('%s', (_title, destinations, english, german) => {
    expect(said(destinations, ENGLISH)).toEqual(english);
    expect(said(destinations, GERMAN)).toEqual(german);
  });

  test('are not described without sets or destinations', () => {
    expect(copiesWords({ ...PROTECTED, sets: [] }, ENGLISH, NOON)).toBeUndefined();
    expect(copiesWords({ ...PROTECTED, destinations: [] }, ENGLISH, NOON)).toBeUndefined();
  });

  test('are never out of date when the person wants no such notice', () => {
    const { preferences } = PROTECTED;
    const patient = { ...preferences, notifications: { ...preferences.notifications, noBackupDays: 0 } };
    const old = { ...state([one(SERVICE, { ago: 90 * DAY })]), preferences: patient };
    expect(copiesWords(old, ENGLISH, NOON)?.copies).toBe(
      'One copy: with the service “backup.example.org” (3 months ago).',
    );
  });

  test.each<readonly [string, ConfiguredDestination['kind'], boolean]>([
    ['sftp://anna@nas/~/b', 'sftp', true],
    ['sftp://anna@192.168.1.20:2222/b', 'sftp', true],
    ['sftp://u@[fd00::1]/b', 'sftp', true],
    ['sftp://u@[2001:db8::1]/b', 'sftp', false],
    ['sftp://u@u1.your-storagebox.example/b', 'sftp', false],
    ['davs://anna@cloud.example.org/dav', 'webdav', false],
    ['http://nas.fritz.box:5005/b', 'webdav', true],
    ['https://172.15.0.1/', 'service', false],
    ['https://172.16.0.1/', 'service', true],
    ['https://localhost:8443', 'service', true],
    ['https://10.example.org', 'service', false],
    ['rclone:drive:Holdfast', 'rclone', false],
    ['s3://photos', 'bucket', false],
  ])('at %s are near: %s %s', (location, kind, isNear) => {
    const words = copiesWords(state([{ ...one(DISK, { ago: HOUR }), kind, location }]), ENGLISH, NOON);
    expect(words?.advice !== undefined).toBe(isNear);
  });
});

const anySet = fc.record(
  {
    ago: fc.integer({ min: 0, max: 400 * DAY }),
    state: fc.constantFrom<SetAtDestination['state']>(
      'none',
      'running',
      'succeeded',
      'warnings',
      'failed',
      'interrupted',
    ),
  },
  { requiredKeys: [] },
);
const anyDestination = fc.record({
  place: fc.constantFrom(DISK, BUCKET, NAS, SERVICE),
  sets: fc.tuple(anySet, anySet),
  isAtHand: fc.boolean(),
});

/** Counts what the sentence claims, by its own words, against the facts. */
test('the copies that are counted, and the places that are named, are those of the state', () => {
  fc.assert(
    fc.property(fc.array(anyDestination, { minLength: 2, maxLength: 5 }), (drawn) => {
      const destinations = drawn.map(({ place, sets, isAtHand }, index) => ({
        ...place,
        id: `0000000${index}`,
        name: `place${index}`,
        isAtHand,
        sets: SETS.map((set, which) => at(set, sets[which]!)),
      }));
      const copies = copiesWords(state(destinations), ENGLISH, NOON)!.copies;
      const parts = new Map<string, readonly string[]>();
      for (const sentence of copies.split(/(?<=\.) /)) {
        const [head = '', ...rest] = sentence.split(': ');
        parts.set(
          head,
          [...rest.join(': ').matchAll(/“(place\d)”/g)].map(([, name]) => name!),
        );
      }
      const named = (head: RegExp): readonly string[] =>
        [...parts].flatMap(([key, names]) => (head.test(key) ? names : []));
      const filled = (count: number): readonly string[] =>
        destinations
          .filter(({ sets }) => sets.filter((set) => 'lastGoodAt' in set).length === count)
          .map(({ name }) => name);
      const whole = named(/cop(y|ies)$/).filter(() => !parts.has('No copy yet'));
      expect(whole).toEqual(filled(2));
      expect(named(/^Incomplete$/)).toEqual(filled(1));
      expect(named(/^None yet$|^No copy yet$/)).toEqual(filled(0));
      const word = ['', 'One copy', 'Two copies', 'Three copies', 'Four copies', 'Five copies'][whole.length]!;
      expect(whole.length === 0 ? copies.startsWith('No c') : copies.startsWith(`${word}: `)).toBe(true);
    }),
  );
});

function said(destinations: readonly ConfiguredDestination[], language: typeof ENGLISH): readonly string[] {
  const { copies, advice } = copiesWords(state(destinations), language, NOON)!;
  return advice === undefined ? [copies] : [copies, advice];
}
