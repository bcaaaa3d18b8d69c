import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { FolderSnapshot } from '../../helpers/folder-snapshot.ts';
import { Workplace } from './workplace.ts';

interface CheckAnswer {
  readonly findings: readonly { readonly file: string; readonly problem: string }[];
  readonly losses: readonly { readonly path: string | null; readonly file: string | null }[];
}

let workplace: Workplace;
let phrase: string;
/** The workplace after its first backup. */
let backedUp: FolderSnapshot;

beforeAll(async () => {
  workplace = new Workplace();
  mkdirSync(workplace.path('source'));
  writeFileSync(workplace.path('source', 'a.txt'), 'content');
  phrase = await workplace.setUp();
  await workplace.addSet('documents', workplace.path('source'));
  await workplace.json(['backup', 'documents']);
  backedUp = new FolderSnapshot(workplace.folder);
  return () => {
    workplace[Symbol.dispose]();
    backedUp[Symbol.dispose]();
  };
});
beforeEach(() => backedUp.restore());

function destination(...names: readonly string[]): string {
  return join(workplace.destination, ...names);
}

/** Both packs, the one with the file first: the other one has only the second copies of the tree and the key envelope. */
function packs(): readonly [string, string] {
  const names = readdirSync(destination('packs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.length > 60)
    .map((name) => `packs/${name}`);
  expect(names).toHaveLength(2);
  return names.toSorted((a, b) => statSync(destination(b)).size - statSync(destination(a)).size) as [string, string];
}

const pack = (): string => packs()[0];

test('a destination without damage is sound', async () => {
  expect(await workplace.json<CheckAnswer>(['check', '--read-data'])).toMatchObject({
    findings: [],
    losses: [],
    restore_points: 1,
    packs_read: { files: 2 },
    in_one_pack: { blobs: 0, bytes: 0 },
  });
  expect((await workplace.run('check')).stdout).toContain('No damage was found');
});

test.each([
  ['damaged', (path: string) => writeFileSync(path, '')],
  ['lost', (path: string) => rmSync(path)],
])('a description that is %s together with its copy is named, and repaired', async (_what, damage) => {
  const names = ['holdfast.json', 'holdfast-copy.json'];
  for (const name of names) damage(destination(name));
  const undescribed = { code: 'destination_missing', details: { problem: 'undescribed' } };
  for (const words of [['backup', 'documents'], ['check'], ['points', 'documents']]) {
    const { error } = await workplace.json<{ error: object }>(words, 1);
    expect(error).toMatchObject(undescribed);
  }
  // A new computer does not hear that there are no backups.
  const set = ['setup', '--destination', workplace.destination, '--json'];
  const file = workplace.write('phrase-of-description.txt', phrase);
  const ended = await workplace.runAt(workplace.path('new'), [...set, '--recovery-phrase-file', file]);
  expect([ended.status, JSON.parse(ended.stdout)]).toMatchObject([1, { error: undescribed }]);
  const repaired = await workplace.run('repair');
  expect(repaired).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('holdfast.json and its copy were written again.'),
  });
  expect(repaired.stdout).not.toContain('Nothing needed repair');
  await workplace.json(['backup', 'documents']);
});

/** What may be in the place of a file. */
const INTRUDERS = {
  folder: (name) => mkdirSync(destination(name)),
  pipe: (name) => execFileSync('mkfifo', [destination(name)]),
  'link that leads nowhere': (name) => symlinkSync('nowhere', destination(name)),
  'link that leads to itself': (name) => symlinkSync(destination(name), destination(name)),
  // A path of a socket has at most 108 bytes.
  socket: (name) =>
    execFileSync('python3', ['-c', `import socket; socket.socket(socket.AF_UNIX).bind('${name}')`], {
      cwd: destination(),
    }),
  'file of 3 GB': (name) => {
    writeFileSync(destination(name), '');
    truncateSync(destination(name), 3e9);
  },
} as const satisfies Readonly<Record<string, (name: string) => void>>;

test.skipIf(process.platform === 'win32').each(Object.keys(INTRUDERS) as (keyof typeof INTRUDERS)[])(
  'a %s in the place of a description is moved aside by a repair, and until then the other one suffices',
  async (kind) => {
    const name = kind === 'pipe' ? 'holdfast-copy.json' : 'holdfast.json';
    rmSync(destination(name));
    INTRUDERS[kind](name);
    await workplace.json(['backup', 'documents']);
    const problem = kind === 'file of 3 GB' ? 'content' : 'missing';
    expect((await workplace.json<CheckAnswer>(['check'], 1)).findings).toEqual([{ file: name, problem }]);
    const repaired = await workplace.run('repair');
    expect(repaired).toMatchObject({ status: 0, stdout: expect.stringContaining('was repaired.') });
    expect(readdirSync(destination('damaged'))).toEqual([name]);
    await workplace.json(['check', '--read-data']);
  },
);

test.skipIf(process.platform === 'win32').each(['socket', 'folder', 'file of 3 GB'] as const)(
  'a %s in the place of a pack is a finding, and a repair goes on',
  async (kind) => {
    const name = pack();
    rmSync(destination(name));
    INTRUDERS[kind](name);
    expect((await workplace.json<CheckAnswer>(['check'], 1)).findings).toMatchObject([{ file: name }]);
    await workplace.json(['repair'], 1);
    expect(readdirSync(destination('damaged'), { recursive: true })).toContain(name);
    await workplace.json(['backup', 'documents']);
    await workplace.json(['check', '--read-data']);
  },
);

test.skipIf(process.platform === 'win32').each([
  ['link that leads nowhere', 'keys'],
  ['link that leads nowhere', 'damaged'],
  ['file of 3 GB', 'checkpoints'],
] as const)('a %s in the place of the folder %s is moved aside by a repair', async (kind, folder) => {
  rmSync(destination(folder), { recursive: true, force: true });
  INTRUDERS[kind](folder);
  const { files } = await workplace.json<{ files: readonly object[] }>(['repair']);
  expect(files).toContainEqual({ file: folder, outcome: 'moved' });
  await workplace.json(['backup', 'documents']);
  await workplace.json(['check', '--read-data']);
});

test.skipIf(process.platform === 'win32').each(['packs', 'ledger'])(
  'a repair leaves the link %s alone while its disk is away',
  async (folder) => {
    const disk = workplace.path('disk');
    renameSync(destination(folder), disk);
    symlinkSync(disk, destination(folder));
    await workplace.json(['backup', 'documents']);
    renameSync(disk, `${disk}-away`);
    expect((await workplace.run('repair')).status).not.toBe(0);
    renameSync(`${disk}-away`, disk);
    await workplace.json(['check', '--read-data']);
  },
);

test('the first line states what is damaged, and what was checked', async () => {
  truncateSync(destination(pack()), 200);
  const { stdout } = await workplace.run('check');
  expect(stdout).toMatch(/^Damage was found: 1 damaged or missing file, 1 entry of restore points lost\. Checked: /);
});

test('a pack without files costs nothing, and is made good by the next backup', async () => {
  const [, name] = packs();
  rmSync(destination(name));
  const found = await workplace.json<CheckAnswer>(['check'], 1);
  expect(found).toMatchObject({
    findings: [{ file: name, problem: 'missing' }],
    losses: [],
    in_one_pack: { blobs: 3 },
  });
  expect((await workplace.run('check')).stderr).toMatch(/^.*3 parts of the lists of files stand in one pack/m);
  expect((await workplace.run('restore', 'documents', '--to', workplace.path('restored'))).status).toBe(0);
  // It says that the destination is damaged.
  await workplace.json(['backup', 'documents'], 3);
  expect(await workplace.json(['check'], 1)).toMatchObject({ losses: [], in_one_pack: { blobs: 0 } });
  expect(await workplace.json(['repair'])).toMatchObject({ second_copies: 0, after: { findings: [], losses: [] } });
});

test('a repair stores once more what stood in a pack that is lost', async () => {
  const [, name] = packs();
  rmSync(destination(name));
  const { second_copies: stored, after } = await workplace.json<Record<string, unknown>>(['repair']);
  expect(stored).toBe(3);
  expect(after).toMatchObject({ findings: [], losses: [], in_one_pack: { blobs: 0 } });
  expect(await workplace.json(['check', '--read-data'])).toMatchObject({ in_one_pack: { blobs: 0, bytes: 0 } });
});

test('a repair after which something is lost does not say that all is well', async () => {
  rmSync(destination(pack()));
  const first = await workplace.run('repair');
  expect(first).toMatchObject({ status: 1, stdout: expect.stringMatching(/^The destination was repaired, but/) });
});

test('a verification of all restore points finds damage of an older one', async () => {
  const large = workplace.path('source', 'large');
  writeFileSync(large, randomBytes(300_000));
  await workplace.json(['backup', 'documents']);
  rmSync(large);
  await workplace.json(['backup', 'documents']);
  const all = await workplace.json<{ restore_points: unknown[] }>(['verify', 'documents', '--all']);
  expect(all.restore_points).toMatchObject([{ failures: [] }, { failures: [] }, { failures: [] }]);
  const name = readdirSync(destination('packs'), { recursive: true })
    .map((file) => destination('packs', String(file)))
    .find((file) => statSync(file).size > 300_000)!;
  const bytes = readFileSync(name);
  bytes[150_000]! ^= 1;
  writeFileSync(name, bytes);
  expect((await workplace.run('verify', 'documents')).status).toBe(0);
  const { status, stdout } = await workplace.run('verify', 'documents', '--all');
  expect(status).toBe(1);
  expect(stdout.match(/is in order/g)).toHaveLength(2);
  expect(stdout.match(/is damaged: 1 failure/g)).toHaveLength(1);
  const found = /Damage found in documents at the destination, .+: holdfast check\n$/;
  expect((await workplace.run('status')).stdout).toMatch(found);
});

test('a damaged pack costs the file in it, is found, moved aside, and made good by a backup', async () => {
  const name = pack();
  truncateSync(destination(name), 20);
  const answer = await workplace.json<CheckAnswer>(['check'], 1);
  expect(answer.findings).toEqual([{ file: name, problem: 'length' }]);
  expect(answer.losses).toEqual([expect.objectContaining({ path: expect.stringMatching(/\/a\.txt$/), file: name })]);
  expect((await workplace.run('repair')).status).toBe(1);
  expect(await foundByCheck()).toEqual({ damage_found_at: null, lost_files: 1, lost_points: 0 });
  await workplace.json(['backup', 'documents']);
  expect(await workplace.json<CheckAnswer>(['check', '--read-data'])).toMatchObject({ findings: [], losses: [] });
  expect((await workplace.run('restore', 'documents', '--to', workplace.path('restored'))).status).toBe(0);
});

test('damage of both packs of a tree costs the restore point, is found, moved aside, and made good by a backup', async () => {
  const name = pack();
  for (const file of packs()) truncateSync(destination(file), 20);
  const answer = await workplace.json<CheckAnswer>(['check'], 1);
  expect(answer.findings.map(({ problem }) => problem)).toEqual(['length', 'length']);
  expect(answer.losses).toContainEqual(expect.objectContaining({ path: null }));
  const shown = await workplace.run('check');
  expect(shown.stdout).toContain('holdfast repair');
  expect(shown.stderr).toContain(`${name} has a wrong length`);
  expect((await workplace.run('status')).stdout).toMatch(/Damage found at the destination, .+: holdfast repair\n$/);
  expect(await foundByCheck()).toEqual({ damage_found_at: expect.any(String), lost_files: 0, lost_points: 0 });
  const repaired = await workplace.run('repair');
  expect(repaired.status).toBe(1);
  expect((await workplace.run('status')).stdout).toMatch(/Lost at the destination, as of .+: 1 restore point\n$/);
  expect(await foundByCheck()).toEqual({ damage_found_at: null, lost_files: 0, lost_points: 1 });
  const { devices } = await workplace.json<{ devices: readonly { name: string }[] }>(['devices']);
  expect(repaired.stdout).toContain(`The restore point documents of ${devices[0]!.name} at `);
  expect(repaired.stdout).toMatch(/The restore point documents of .* is lost\./);
  await workplace.json(['backup', 'documents']);
  expect(await foundByCheck()).toEqual({ damage_found_at: null, lost_files: 0, lost_points: 0 });
  expect(await workplace.json<CheckAnswer>(['check', '--read-data'])).toMatchObject({ findings: [], losses: [] });
});

/** Returns what `status` says of the destination by checks and repairs. */
async function foundByCheck(): Promise<object> {
  const { destinations } = await workplace.json<{ destinations: readonly Record<string, unknown>[] }>(['status']);
  const [{ damage_found_at, lost_files, lost_points } = {}] = destinations;
  return { damage_found_at, lost_files, lost_points };
}

/** What may be done between a restore that failed and the backup that brings back what it lacked. */
const BEFORE_THE_LAST_BACKUP = {
  nothing: [],
  'a repair': ['repair'],
  'a backup and a repair': ['backup documents', 'repair'],
} satisfies Readonly<Record<string, readonly string[]>>;

test.for(Object.entries<readonly string[]>(BEFORE_THE_LAST_BACKUP))(
  'a backup brings back every restore point that a restore has found damaged, after %s',
  async ([, commands]) => {
    const content = randomBytes(3 * 2 ** 20);
    writeFileSync(workplace.path('source', 'large'), content);
    const points: string[] = [];
    for (let run = 0; run < 2; run += 1) {
      writeFileSync(workplace.path('source', 'changing'), String(run));
      points.push((await workplace.json<{ restore_point: string }>(['backup', 'documents'])).restore_point);
    }
    const files = readdirSync(destination('packs'), { recursive: true, encoding: 'utf8' });
    const path = files.map((name) => destination('packs', name)).find((file) => statSync(file).size > content.length)!;
    const bytes = readFileSync(path);
    bytes[1.5 * 2 ** 20]! ^= 1;
    rmSync(path);
    writeFileSync(path, bytes);
    const restore = async (at: string, to: string): Promise<number | null> =>
      (await workplace.run('restore', 'documents', '--at', at, '--to', workplace.path(to))).status;
    expect(await restore(points[0]!, 'failed')).toBe(1);
    for (const command of commands) await workplace.run(...command.split(' '));
    const { status } = await workplace.run('backup', 'documents');
    // Until a repair, a backup states that the destination is damaged.
    expect(status).toBe(commands.includes('repair') ? 0 : 3);
    for (const at of points) {
      expect(await restore(at, `restored-${at}`)).toBe(0);
      expect(readFileSync(workplace.path(`restored-${at}`, 'source', 'large')).equals(content)).toBe(true);
    }
    const { losses } = await workplace.json<CheckAnswer>(['check'], commands.includes('repair') ? 0 : 1);
    expect(losses).toEqual([]);
  },
);

test('a backup and the status say that files of the ledger are missing', async () => {
  for (let run = 0; run < 3; run += 1) await workplace.json(['backup', 'documents']);
  const [writer] = readdirSync(destination('ledger'));
  const middle = readdirSync(destination('ledger', writer!)).toSorted()[1]!;
  rmSync(destination('ledger', writer!, middle));
  const { status, stderr } = await workplace.run('backup', 'documents');
  expect(status).toBe(3);
  expect(stderr).toContain('has damaged or missing files');
  expect((await workplace.run('status')).stdout).toContain('the destination is damaged');
  await workplace.run('repair');
  await workplace.json(['backup', 'documents']);
  expect((await workplace.run('status')).stdout).not.toContain('damaged');
});

test('an older copy of the destination in its place is named by a backup and the status', async () => {
  cpSync(destination(), workplace.path('older'), { recursive: true });
  await workplace.json(['backup', 'documents']);
  rmSync(destination(), { recursive: true });
  renameSync(workplace.path('older'), destination());
  expect((await workplace.run('backup', 'documents')).stderr).toContain('older than before');
  expect((await workplace.run('status')).stdout).toContain('older than before');
});

test('a repository without both descriptions is opened again by the computer that knows it', async () => {
  for (const name of ['holdfast.json', 'holdfast-copy.json']) rmSync(destination(name));
  expect((await workplace.run('check')).status).toBe(1);
  expect(await workplace.json(['repair'])).toMatchObject({ after: { findings: [], restore_points: 1 } });
  expect(readdirSync(destination())).toEqual(expect.arrayContaining(['holdfast.json', 'holdfast-copy.json']));
});

test('an exchanged id is named, and written again by a repair of a computer that knows it', async () => {
  const names = ['holdfast.json', 'holdfast-copy.json'];
  for (const name of names) {
    const json = JSON.parse(readFileSync(destination(name), 'utf8')) as Record<string, string>;
    json['id'] = '00112233445566778899aabbccddeeff';
    const text = ['format', 'version', 'id', 'key_id', 'created', 'parity'].map((key) => json[key]).join('\n');
    json['check'] = createHash('sha256').update(text).digest('hex').slice(0, 32);
    writeFileSync(destination(name), `${JSON.stringify(json, undefined, 2)}\n`);
  }
  for (const words of [['points', 'documents'], ['backup', 'documents'], ['check']]) {
    const { status, stderr } = await workplace.run(...words);
    expect(status).toBe(1);
    expect(stderr).toContain('was altered');
    expect(stderr).toContain('holdfast repair');
  }
  const words = workplace.write('phrase.txt', phrase);
  const setup = ['setup', '--destination', workplace.destination, '--recovery-phrase-file', words];
  const fresh = await workplace.run('--home', workplace.path('fresh'), ...setup);
  expect(fresh.status).toBe(1);
  expect(fresh.stderr).toContain('was altered');
  expect(await workplace.json(['repair'])).toMatchObject({ after: { findings: [], restore_points: 1 } });
  await workplace.json(['backup', 'documents']);
});

test('another repository in the place of the own one is named, and stays as it is', async () => {
  renameSync(destination(), workplace.path('away'));
  mkdirSync(destination());
  const other = ['--home', workplace.path('other')];
  expect((await workplace.run(...other, 'setup', '--destination', workplace.destination)).status).toBe(0);
  const before = readFileSync(destination('holdfast.json'), 'utf8');
  for (const words of [['backup', 'documents'], ['repair']]) {
    const { status, stderr } = await workplace.run(...words);
    expect(status).toBe(1);
    expect(stderr).toContain('contains backups of another computer');
  }
  expect(readFileSync(destination('holdfast.json'), 'utf8')).toBe(before);
});

test('a new computer with the phrase recovers restore points whose ledger is lost', async () => {
  rmSync(destination('holdfast.json'));
  rmSync(destination('ledger'), { recursive: true });
  renameSync(workplace.home, workplace.path('old'));
  const words = workplace.write('phrase.txt', phrase);
  const device = ['setup', '--destination', workplace.destination, '--recovery-phrase-file', words];
  const { warnings } = await workplace.json<{ warnings: unknown }>(device, 3);
  expect(warnings).toMatchObject([{ reason: 'newer_points_possible' }]);
  expect(await workplace.json(['repair'])).toMatchObject({
    recovered_points: [{ backup_set: 'documents', files: 1 }],
    after: { findings: [], losses: [], restore_points: 1 },
  });
});

test.each([
  ['a subset of nothing', ['check', '--read-data', '--subset', '0']],
  ['a name', ['check', 'documents']],
])('%s is refused', async (_what, words) => {
  expect((await workplace.run(...words)).status).toBe(2);
});
