import { renameSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { differences } from '../../helpers/differences.ts';
import { slashedText } from '../../helpers/slashed-paths.ts';
import { buildTree } from '../../helpers/tree/build.ts';
import { directory, file } from '../../helpers/tree/nodes.ts';
import { CAN_SIGN_IN, codeOf, createAccount, Server } from './server.ts';
import { isPlainMessage, Workplace, type BackupAnswer, type RestoreAnswer } from './workplace.ts';

const MINUTES = 60_000;

interface DestinationAnswer extends BackupAnswer {
  readonly id: string;
  readonly name: string;
  readonly error?: { readonly code: string; readonly message: string };
}

interface SeveralAnswer extends BackupAnswer {
  readonly destinations: readonly DestinationAnswer[];
}

interface ListedDestination {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly location: string;
  readonly schedule: string | null;
  readonly at_hand: boolean;
  readonly sets: readonly { readonly name: string; readonly last_restore_point: string | null }[];
}

interface ListAnswer {
  readonly destinations: readonly ListedDestination[];
  readonly former: readonly { readonly name: string; readonly location: string }[];
}

let workplace: Workplace;
let source: string;
beforeEach(async () => {
  workplace = new Workplace();
  source = workplace.path('source');
  await buildTree(source, {
    'large.bin': file({ seed: 1, size: 5_000_000 }),
    'note.txt': file('a note'),
    many: directory(Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`${index}`, file(`file ${index}`)]))),
  });
  await workplace.setUp();
  await workplace.addSet('documents', source);
});
afterEach(() => workplace[Symbol.dispose]());

const add = (...words: readonly string[]): Promise<Readonly<Record<string, unknown>>> =>
  workplace.json(['destination', 'add', ...words]);
const addFolder = (name: string): Promise<Readonly<Record<string, unknown>>> =>
  add('--destination', workplace.path(name), '--name', name);
const list = (): Promise<ListAnswer> => workplace.json<ListAnswer>(['destination', 'list']);

/** Restores from one destination and compares the result with the source. */
async function expectRestored(destination: string, target: string): Promise<void> {
  const to = workplace.path(target);
  const words = ['restore', 'documents', '--destination', destination, '--to', to];
  expect(await workplace.json<RestoreAnswer>(words)).toMatchObject({ failures: [], warnings: [] });
  expect(differences(source, `${to}/source`)).toBe('');
}

describe('a backup to several destinations', () => {
  test('reaches all, and each restores the same', { timeout: 2 * MINUTES }, async () => {
    await addFolder('second');
    const answer = await workplace.json<SeveralAnswer>(['backup', 'documents']);
    const { destinations, ...top } = answer;
    expect(destinations).toMatchObject([
      { name: 'destination', files_processed: 102, chunks_new: expect.any(Number), warnings: [] },
      { name: 'second', files_processed: 102, chunks_new: expect.any(Number), warnings: [] },
    ]);
    const [first, second] = destinations;
    const { id: _id, name: _name, ...ofFirst } = first!;
    expect(top).toEqual(ofFirst);
    expect(second!.chunks_new).toBe(first!.chunks_new);
    expect(second!.bytes_uploaded).toBeGreaterThan(5_000_000);
    for (const { name } of destinations) await expectRestored(name, `restored from ${name}`);
  });

  test(
    'reaches the others when one is absent, which is named and catches up later',
    { timeout: 2 * MINUTES },
    async () => {
      await addFolder('second');
      renameSync(workplace.destination, workplace.path('unplugged'));
      const { destinations, ...top } = await workplace.json<SeveralAnswer>(['backup', 'documents'], 3);
      expect(destinations).toMatchObject([
        {
          name: 'destination',
          error: { code: 'destination_missing', message: expect.stringContaining('destination') },
        },
        { name: 'second', restore_point: top.restore_point },
      ]);
      const again = await workplace.run('backup', 'documents');
      expect(again).toMatchObject({ status: 3 });
      expect(again.stderr).toMatch(/^warning: not backed up to destination: /m);
      expect(isPlainMessage(again.stderr)).toBe(true);
      expect(again.stdout).toMatch(/^ {2}destination +failed$/m);

      const { destinations: listed } = await list();
      expect(listed).toMatchObject([
        { name: 'destination', at_hand: false, sets: [{ last_restore_point: null }] },
        { name: 'second', at_hand: true, sets: [{ last_restore_point: expect.any(String) }] },
      ]);
      renameSync(workplace.path('unplugged'), workplace.destination);
      writeFileSync(`${source}/note.txt`, 'another note');
      await workplace.json<SeveralAnswer>(['backup', 'documents']);
      await expectRestored('destination', 'restored');
    },
  );

  test(
    'gives a new one all but a folder that is missing, and restores that from the others',
    { timeout: 2 * MINUTES },
    async () => {
      const other = workplace.path('other');
      await buildTree(other, { 'song.ogg': file('a song') });
      await workplace.addSet('both', source, other);
      await workplace.json(['backup', 'both']);
      renameSync(other, workplace.path('not connected'));
      await addFolder('second');
      const { destinations } = await workplace.json<SeveralAnswer>(['backup', 'both'], 3);
      expect(destinations).toMatchObject([
        {
          name: 'destination',
          files_processed: 103,
          warnings: [{ path: slashedText(other), reason: 'folder-missing' }],
        },
        { name: 'second', files_processed: 102, warnings: [{ path: slashedText(other), reason: 'not-stored' }] },
      ]);

      // Also when the new one has the newer restore point.
      await workplace.json(['backup', 'both', '--destination', 'second'], 3);
      const to = workplace.path('restored');
      const whole = await workplace.run('restore', 'both', '--to', to);
      expect(whole).toMatchObject({ status: 0 });
      expect(whole.stdout).toMatch(
        /^That of second \(.*\) is without what could not be read when it was made\. This one is of destination\.$/m,
      );
      expect(differences(workplace.path('not connected'), `${to}/other`)).toBe('');

      const only = ['restore', 'both', '--destination', 'second', '--to', workplace.path('restored from second')];
      const without = {
        files_restored: 102,
        failures: [],
        warnings: [{ path: slashedText(other), reason: 'not-stored' }],
      };
      expect(await workplace.json<RestoreAnswer>(only, 3)).toMatchObject(without);

      renameSync(workplace.path('not connected'), other);
      await workplace.json(['backup', 'both']);
      const again = ['restore', 'both', '--destination', 'second', '--to', workplace.path('restored again')];
      expect(await workplace.json<RestoreAnswer>(again)).toMatchObject({ files_restored: 103, warnings: [] });
    },
  );

  test('fails as with one destination when all are absent', { timeout: 2 * MINUTES }, async () => {
    await addFolder('second');
    for (const name of ['destination', 'second']) renameSync(workplace.path(name), workplace.path(`no ${name}`));
    const answer = await workplace.json<{ readonly error: { readonly code: string; readonly message: string } }>(
      ['backup', 'documents'],
      1,
    );
    expect(answer).toMatchObject({ error: { code: 'destination_missing' } });
    expect(answer.error.message).toContain(workplace.destination);
  });

  test('reaches only those that are named', { timeout: 2 * MINUTES }, async () => {
    await addFolder('second');
    await addFolder('third');
    const named = ['backup', 'documents', '--destination', 'THIRD', '--destination', 'second'];
    const { destinations } = await workplace.json<SeveralAnswer>(named);
    expect(destinations.map(({ name }) => name)).toEqual(['second', 'third']);
    const sole = await workplace.json(['backup', 'documents', '--destination', 'third']);
    expect(sole).not.toHaveProperty('destinations');
    expect(await workplace.json(['points', 'documents', '--destination', 'destination'])).toEqual({ points: [] });
    const { points } = await workplace.json<{ points: { readonly destinations: string[] }[] }>(['points', 'documents']);
    expect(points.map(({ destinations: names }) => names)).toEqual([['third'], expect.any(Array), expect.any(Array)]);
    expect(points.flatMap((point) => point.destinations).toSorted()).toEqual(['second', 'third', 'third']);
    expect((await workplace.run('points', 'documents')).stdout).toMatch(/^RESTORE POINT.*DESTINATION\n.*third\n/);
    renameSync(workplace.path('second'), workplace.path('unplugged'));
    const listed = await workplace.run('points', 'documents', '--json');
    expect(listed.status).toBe(0);
    expect(JSON.parse(listed.stdout)).toMatchObject({
      points: [{ destinations: ['third'] }, { destinations: ['third'] }],
      unavailable: [{ name: 'second', error: 'destination_missing' }],
    });
    const { error } = await workplace.json<{ error: object }>(['backup', 'documents', '--destination', 'nas'], 2);
    expect(error).toMatchObject({
      code: 'destination_unknown',
      details: { known: ['destination', 'second', 'third'] },
    });
  });

  test.skipIf(!CAN_SIGN_IN)('reaches a folder and a service', { timeout: 3 * MINUTES }, async () => {
    const data = workplace.path('service');
    const account = await createAccount(workplace, data, 'anna@example.org');
    {
      await using server = await Server.start(workplace, data);
      const signIn = ['--email', account.email, '--password-file', account.passwordFile, '--code', codeOf(account)];
      const added = await add('--server', server.address, ...signIn, '--name', 'Service', '--schedule', 'daily 02:00');
      expect(added).toMatchObject({
        name: 'Service',
        location: server.address,
        schedule: 'daily 02:00',
        continued: false,
      });
      const { destinations } = await workplace.json<SeveralAnswer>(['backup', 'documents', '--limit-upload', '200M']);
      expect(destinations).toMatchObject([
        { name: 'destination', files_processed: 102 },
        { name: 'Service', files_processed: 102 },
      ]);
      await expectRestored('Service', 'restored');
      const status = await workplace.json<{ readonly destinations: readonly object[] }>(['status']);
      expect(status).toMatchObject({
        destination: { kind: 'folder' },
        sets: [{ name: 'documents', last_run: { state: 'succeeded' } }],
        destinations: [
          { name: 'destination', kind: 'folder', sets: [{ last_run: { state: 'succeeded' } }] },
          { name: 'Service', kind: 'service', url: server.address, sets: [{ last_run: { state: 'succeeded' } }] },
        ],
      });
    }
    workplace.environment['HOLDFAST_MAX_WAIT'] = '1';
    writeFileSync(`${source}/note.txt`, 'another note');
    const { destinations } = await workplace.json<SeveralAnswer>(['backup', 'documents'], 3);
    expect(destinations).toMatchObject([
      { name: 'destination', files_processed: 102 },
      { name: 'Service', error: { code: 'service_unreachable' } },
    ]);
  });
});

describe('a home with one destination', () => {
  test('shows backups and its state as before', { timeout: 2 * MINUTES }, async () => {
    const ended = await workplace.run('backup', 'documents');
    expect(ended.stdout.replaceAll(/\d[\d.,]*/g, '1')).toBe(
      [
        'Backed up documents.',
        '  Restore point  1-1-1T1:1:1Z',
        '  Scanned        1 files, 1 MB',
        '  New            1 chunks, 1 MB',
        '  Uploaded       1 MB',
        '  Deduplicated   1 chunks',
        '  Took           1 s',
        '',
      ].join('\n'),
    );
    expect(Object.keys(await workplace.json(['backup', 'documents']))).toEqual([
      'backup_id',
      'restore_point',
      'files_processed',
      'chunks_new',
      'chunks_deduped',
      'bytes_scanned',
      'bytes_new',
      'bytes_uploaded',
      'duration_seconds',
      'compression',
      'warnings',
      'notes',
      'left_out',
    ]);
    const { stdout } = await workplace.run('status');
    expect(stdout).toMatch(
      /^Destination {2}(?:\/|[A-Z]:\\).*\nDevice .*\nHome .*\nKeys .*\n\nSET .*LAST RESTORE POINT +LAST RUN\n/,
    );
  });
});

describe('a destination', () => {
  test('is listed, renamed, removed and continued', { timeout: 2 * MINUTES }, async () => {
    const added = await add('--destination', workplace.path('mnt', 'Office', 'holdfast'));
    expect(added).toMatchObject({ name: 'Office', continued: false, schedule: null, cautions: [], parity: 0 });
    await workplace.json(['backup', 'documents']);
    const change = ['destination', 'change', 'office', '--name', 'Work', '--schedule', 'daily 12:00'];
    expect(await workplace.json(change)).toMatchObject({ name: 'Work', schedule: 'daily 12:00' });
    const { destinations } = await list();
    expect(destinations).toMatchObject([
      { name: 'destination', kind: 'folder', location: workplace.destination, schedule: null },
      { id: added['id'], name: 'Work', kind: 'folder', directory: added['location'], schedule: 'daily 12:00' },
    ]);
    const { points } = await workplace.json<{ points: object[] }>(['points', 'documents', '--destination', 'Work']);
    expect(points).toHaveLength(1);
    const pin = await workplace.run('points', 'pin', 'documents', 'latest');
    expect(pin).toMatchObject({ status: 2, stderr: expect.stringContaining('--destination NAME') });

    const removed = await workplace.run('destination', 'remove', 'Work');
    expect(slashedText(removed.stdout)).toContain(`Its backups stay at ${String(added['location'])}.`);
    expect(await list()).toMatchObject({
      destinations: [{ name: 'destination' }],
      former: [{ name: 'Work', location: added['location'] }],
    });
    expect((await workplace.run('destination', 'remove', 'destination')).status).toBe(2);
    writeFileSync(`${source}/note.txt`, 'another note');
    await workplace.json(['backup', 'documents']);

    const back = await add('--destination', workplace.path('mnt', 'Office', 'holdfast'));
    expect(back).toEqual({ ...added, name: 'Work', schedule: 'daily 12:00', continued: true });
    const again = await workplace.json<SeveralAnswer>(['backup', 'documents']);
    expect(again.destinations[1]!.bytes_uploaded).toBeLessThan(100_000);
    await expectRestored('Work', 'restored');
  });

  test.each([
    [['destination', 'add'], 'Choose where backups go'],
    [['destination', 'add', '--destination', './x', '--schedule', 'at tea time'], 'is not a schedule'],
    [['destination', 'add', '--destination', './x', '--name', 'Destination'], 'already exists'],
    [['destination', 'change', 'destination'], 'Specify what to change'],
    [['destination', 'change', 'nas', '--name', 'x'], 'no destination named "nas"'],
    [['destination', 'remove', 'nas'], 'no destination named "nas"'],
    [['restore', 'documents', '--to', 'x', '--destination', 'nas'], 'no destination named "nas"'],
  ])('%j is wrong usage', async (words, message) => {
    const { status, stderr } = await workplace.run(...words);
    expect({ status, isPlain: isPlainMessage(stderr) }).toEqual({ status: 2, isPlain: true });
    expect(stderr).toContain(message);
  });
});
