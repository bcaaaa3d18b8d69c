import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import { directory, file } from '../../helpers/tree/nodes.ts';
import { buildTree } from '../../helpers/tree/build.ts';
import { describeEnd, isPlainMessage, Workplace } from './workplace.ts';

interface SetupAnswer {
  readonly recovery_phrase: string;
  readonly device_id: string;
  readonly cautions: readonly string[];
}

interface CheckAnswer {
  readonly findings: readonly object[];
  readonly packs: { readonly files: number; readonly bytes: number };
  readonly parity: { readonly files: number; readonly bytes: number };
}

export function newWorkplace(): Workplace {
  const workplace = new Workplace();
  onTestFinished(() => workplace[Symbol.dispose]());
  return workplace;
}

/**
 * Sets up with parity, backs up, checks that, loses the home and restores on another one, where only the options and the phrase are known. Returns the
 * answer of the first setup.
 */
export async function expectRecovery(workplace: Workplace, options: readonly string[]): Promise<SetupAnswer> {
  const first = await workplace.json<SetupAnswer>(['setup', ...options, '--parity', '10']);
  const source = workplace.path('source');
  await buildTree(source, {
    'a.txt': file('content'),
    'large.bin': file({ seed: 5, size: 3_000_000 }),
    many: directory(Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`${index}.txt`, file(`${index}`)]))),
  });
  await workplace.addSet('documents', source);
  await workplace.json(['backup', 'documents']);
  const { findings, packs, parity } = await workplace.json<CheckAnswer>(['check', '--read-data']);
  expect(findings).toEqual([]);
  expect(parity.files).toBe(packs.files);
  expect(parity.bytes).toBeGreaterThan(packs.bytes / 10);
  rmSync(workplace.home, { recursive: true });

  const phrase = workplace.write('phrase', first.recovery_phrase);
  const again = await workplace.json(['setup', ...options, '--recovery-phrase-file', phrase]);
  expect(again).toMatchObject({ adopted: true, backup_sets: [{ device_id: first.device_id, name: 'documents' }] });
  const target = workplace.path('target');
  await workplace.json(['restore', 'documents', '--device', first.device_id, '--to', target]);
  execFileSync('diff', ['-r', source, `${target}/source`]);
  return first;
}

/**
 * Puts a file into the place of a folder of the server, repairs that, and goes on with backups.
 *
 * @param folder where the server has the repository
 */
export async function expectObstacleMoved(workplace: Workplace, folder: string): Promise<void> {
  const again = workplace.path('again');
  await buildTree(again, { 'b.txt': file('other content') });
  await workplace.addSet('again', again);
  await workplace.json(['backup', 'again']);
  rmSync(`${folder}/keys`, { recursive: true, force: true });
  writeFileSync(`${folder}/keys`, 'no folder', { mode: 0o644 });
  const { files } = await workplace.json<{ files: readonly object[] }>(['repair']);
  expect(files).toContainEqual({ file: 'keys', outcome: 'moved' });
  expect(readFileSync(`${folder}/damaged/keys.other-1`, 'utf8')).toBe('no folder');
  await workplace.json(['backup', 'again']);
  expect((await workplace.json<CheckAnswer>(['check', '--read-data'])).findings).toEqual([]);
}

/** Runs a setup that fails, and saves nothing. Returns its error. */
export async function refusedSetup(
  workplace: Workplace,
  options: readonly string[],
): Promise<{
  readonly status: number | null;
  readonly code: string;
  readonly message: string;
  readonly details: object;
}> {
  const ended = await workplace.run('setup', ...options, '--json');
  if (ended.status === 0) throw new Error(`setup ${options.join(' ')}: ${describeEnd(ended)}`);
  const { error } = JSON.parse(ended.stdout) as { error: { code: string; message: string; details: object } };
  expect(isPlainMessage(error.message)).toBe(true);
  expect((await workplace.run('status')).status).toBe(2);
  return { status: ended.status, ...error };
}
