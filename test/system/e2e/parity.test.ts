import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { Workplace } from './workplace.ts';

let workplace: Workplace;
/** Longer than a small pack, so that a thread computes its parity. */
const CONTENT = randomBytes(1_500_000);

beforeEach(() => {
  workplace = new Workplace();
  mkdirSync(workplace.path('source'));
  writeFileSync(workplace.path('source', 'a.bin'), CONTENT);
  return () => workplace[Symbol.dispose]();
});

async function backUp(parity: string): Promise<void> {
  expect(await workplace.json(['setup', '--destination', workplace.destination, '--parity', parity])).toMatchObject({
    parity: parity === 'off' ? 0 : Number.parseInt(parity, 10),
  });
  await workplace.addSet('documents', workplace.path('source'));
  await workplace.json(['backup', 'documents']);
}

function at(name: string): string {
  return join(workplace.destination, name);
}

/** The largest file of a folder of the destination. */
function largest(folder: 'packs' | 'parity'): string {
  const names = readdirSync(at(folder), { recursive: true }).map((name) => `${folder}/${String(name)}`);
  return names.toSorted((a, b) => statSync(at(b)).size - statSync(at(a)).size)[0]!;
}

function sha256(name: string): string {
  return createHash('sha256')
    .update(readFileSync(at(name)))
    .digest('hex');
}

/** Every file of the destination, with its hash. */
function hashes(): Record<string, string> {
  const names = readdirSync(workplace.destination, { recursive: true }).map(String).toSorted();
  return Object.fromEntries(names.filter((name) => statSync(at(name)).isFile()).map((name) => [name, sha256(name)]));
}

const DAMAGES = {
  'random bits': (name: string) => {
    const bytes = readFileSync(at(name));
    for (let flip = 0; flip < 20; flip += 1) bytes[Math.floor(Math.random() * bytes.length)]! ^= 1 << (flip % 8);
    writeFileSync(at(name), bytes);
  },
  'zeroed sectors': (name: string) => {
    const bytes = readFileSync(at(name));
    bytes.fill(0, 512_000, 512_000 + 20 * 4096);
    writeFileSync(at(name), bytes);
  },
  'a lost tail': (name: string) => truncateSync(at(name), statSync(at(name)).size - 100_000),
} as const;

describe.each(Object.entries(DAMAGES))('a pack with %s', (_name, damage) => {
  test('is restored from, found, and has its bytes again after a repair', async () => {
    await backUp('10');
    const name = largest('packs');
    damage(name);
    await workplace.json(['restore', 'documents', '--to', workplace.path('target')]);
    expect(readFileSync(workplace.path('target', 'source', 'a.bin')).equals(CONTENT)).toBe(true);
    const checked = await workplace.run('check', '--read-data');
    expect(checked.status).toBe(1);
    expect(checked.stderr).toContain(`${name} `);
    expect(checked.stderr).toContain('; parity can mend it');
    expect(checked.stderr).not.toContain('lost:');
    const { status, stdout } = await workplace.run('repair');
    expect(status).toBe(0);
    expect(stdout).toContain('1 damaged file has all bytes again, by parity.');
    expect(name.endsWith(sha256(name))).toBe(true);
    expect(await workplace.json(['check', '--read-data'])).toMatchObject({ findings: [], losses: [] });
  });
});

test('a lost pack comes back with parity of 100 %', async () => {
  await backUp('100%');
  const before = hashes();
  const name = largest('packs');
  rmSync(at(name));
  expect(await workplace.json(['check'], 1)).toMatchObject({
    findings: [{ file: name, problem: 'missing', mendable: true }],
    losses: [],
  });
  await workplace.json(['repair']);
  expect(hashes()).toMatchObject(before);
});

test('damage beyond the parity is named, and a backup makes it good', async () => {
  await backUp('10');
  const name = largest('packs');
  const before = hashes();
  truncateSync(at(name), 100_000);
  const restored = await workplace.run('restore', 'documents', '--to', workplace.path('target'));
  expect(restored.status).not.toBe(0);
  expect((await workplace.run('repair', '--read-data')).status).toBe(1);
  const { [name]: _lost, ...others } = before;
  expect(hashes()).toMatchObject(others);
  await workplace.json(['backup', 'documents']);
  expect(await workplace.json(['check', '--read-data'])).toMatchObject({ findings: [], losses: [] });
});

test('parity that is lost is found and written again', async () => {
  await backUp('10');
  const before = hashes();
  rmSync(at(largest('parity')));
  expect(await workplace.json(['check'], 1)).toMatchObject({ findings: [{ problem: 'missing' }], losses: [] });
  const { stdout } = await workplace.run('repair');
  expect(stdout).toContain('The parity of 1 file was written again.');
  expect(hashes()).toEqual({ ...before });
  expect((await workplace.run('check')).stdout).toMatch(/1 restore point, \d.* of parity\.$/m);
});

test('the share comes back with both descriptions', async () => {
  await backUp('15');
  for (const name of ['holdfast.json', 'holdfast-copy.json']) rmSync(at(name));
  await workplace.json(['repair']);
  expect(JSON.parse(readFileSync(at('holdfast.json'), 'utf8'))).toMatchObject({ parity: 15 });
  expect(await workplace.json(['check', '--read-data'])).toMatchObject({ findings: [] });
});

test('a second computer keeps the share of the first, and says so', async () => {
  const words = ['setup', '--destination', workplace.destination, '--parity', '10', '--print-json'];
  const { recovery_phrase: phrase } = JSON.parse((await workplace.run(...words)).stdout) as { recovery_phrase: string };
  const file = workplace.write('phrase.txt', phrase);
  const other = ['setup', '--destination', workplace.destination, '--recovery-phrase-file', file, '--parity', '30'];
  const { status, stderr } = await workplace.runAt(workplace.path('other'), other);
  expect(status).toBe(0);
  expect(stderr).toContain('stays as it is: 10 %');
});

test('a destination without parity has no such files', async () => {
  await backUp('off');
  expect(readdirSync(workplace.destination)).not.toContain('parity');
  expect((await workplace.run('check')).stdout).toMatch(/1 restore point\.$/m);
});

test('a destination that is added has parity of its own', async () => {
  await backUp('off');
  const words = ['destination', 'add', '--destination', workplace.path('second'), '--name', 'second', '--parity', '20'];
  expect(await workplace.json(words)).toMatchObject({ parity: 20 });
  await workplace.json(['backup', 'documents', '--destination', 'second']);
  expect(readdirSync(workplace.path('second'))).toContain('parity');
  expect(readdirSync(workplace.destination)).not.toContain('parity');
});

test.each([
  ['0', ['--destination', './x', '--parity', '0']],
  ['101', ['--destination', './x', '--parity', '101']],
  ['a fraction', ['--destination', './x', '--parity', '7.5']],
  ['a word', ['--destination', './x', '--parity', 'much']],
  ['a service', ['--server', 'https://localhost:1', '--parity', '10']],
])('parity of %s is refused', async (_what, words) => {
  const { status, stderr } = await workplace.run('setup', ...words);
  expect(status).toBe(2);
  expect(stderr.toLowerCase()).toContain('parity');
});
