import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Workplace, type BackupAnswer } from '../e2e/workplace.ts';
import { buildTree } from '../../helpers/tree/build.ts';
import { compareTrees } from '../../helpers/tree/compare.ts';
import { file } from '../../helpers/tree/nodes.ts';

interface Points {
  readonly points: readonly { readonly restore_point: string; readonly backup_id: string }[];
  readonly warnings?: readonly unknown[];
}

/** Two copies of a home that have written to one destination. */
describe('a home of which there is a copy', () => {
  let workplace: Workplace;
  let copy: string;

  beforeEach(async () => {
    workplace = new Workplace();
    copy = workplace.path('copy');
    await buildTree(workplace.path('source'), { 'a.txt': file('first'), 'b.bin': file({ seed: 3, size: 300_000 }) });
    await workplace.setUp();
    await workplace.addSet('documents', workplace.path('source'));
    await workplace.json(['backup', 'documents']);
    cpSync(workplace.home, copy, { recursive: true });
  });
  afterEach(() => workplace[Symbol.dispose]());

  const change = (text: string): void => writeFileSync(workplace.path('source', 'a.txt'), text);
  const at = async <Answer>(home: string, words: readonly string[], status = 0): Promise<Answer> => {
    const ended = await workplace.runAt(home, [...words, '--json']);
    expect(ended).toMatchObject({ status });
    return JSON.parse(ended.stdout) as Answer;
  };
  const backUp = (home: string, status = 0): Promise<BackupAnswer> => at(home, ['backup', 'documents'], status);
  const points = (home: string): Promise<Points> => at(home, ['points', 'documents']);
  const expectRestored = async (home: string, to: string): Promise<void> => {
    const answer = await at(home, ['restore', 'documents', '--to', workplace.path(to)]);
    expect(answer).toMatchObject({ failures: [], warnings: [] });
    expect(await compareTrees(workplace.path('source'), workplace.path(to, 'source'))).toEqual([]);
  };

  test('is told the command, and continues there as the same device, with its sets and restore points', async () => {
    change('by the copy');
    const foreign = await backUp(copy);
    const refused = await workplace.run('backup', 'documents');
    expect(refused.status).toBe(4);
    expect(refused.stderr).toContain('holdfast destination renew');

    const before = await workplace.json<{ sets: unknown }>(['set', 'list']);
    const renewed = await workplace.json<{ device_id: string }>(['destination', 'renew']);
    expect(await workplace.json(['set', 'list'])).toEqual(before);
    change('after the renewal');
    const own = await backUp(workplace.home);
    expect(own.warnings).toEqual([]);
    const listed = await points(workplace.home);
    expect(listed.points.map(({ backup_id: id }) => id).slice(0, 2)).toEqual([own.backup_id, foreign.backup_id]);
    expect(listed.points).toHaveLength(3);
    await expectRestored(workplace.home, 'target');
    const { devices } = await workplace.json<{ devices: { id: string; this_device: boolean }[] }>(['devices']);
    expect(devices).toEqual([expect.objectContaining({ id: renewed.device_id, this_device: true })]);
    expect(await workplace.json(['check', '--read-data'])).toMatchObject({ findings: [], losses: [] });
    expect((await backUp(workplace.home)).warnings).toEqual([]);

    // The copy has lost the device, and becomes another one.
    expect(await backUp(copy, 4)).toMatchObject({ error: { code: 'device_cloned' } });
    await at(copy, ['destination', 'renew', '--device-name', 'copy']);
    change('by the copy, again');
    expect((await backUp(copy)).warnings).toEqual([]);
    expect((await points(copy)).points).toHaveLength(1);
    await expectRestored(copy, 'from copy');
    expect((await backUp(workplace.home)).warnings).toEqual([]);
    expect((await points(workplace.home)).points).toHaveLength(5);
  });

  test('that is older than what lies there records nothing as deleted that it never saw', async () => {
    const later = workplace.path('later');
    mkdirSync(later);
    await workplace.addSet('later', later);
    await workplace.json(['backup', 'later']);
    const old = workplace.path('old home');
    cpSync(workplace.home, old, { recursive: true });
    writeFileSync(join(later, 'new.txt'), 'new');
    await workplace.json(['backup', 'later']);
    renameSync(workplace.home, workplace.path('newer home'));
    renameSync(old, workplace.home);
    rmSync(join(later, 'new.txt'));
    expect(await at(workplace.home, ['backup', 'later'], 4)).toMatchObject({ error: { code: 'device_cloned' } });
    await workplace.json(['destination', 'renew']);
    const refused = { error: { code: 'source_empty', details: { path: later, before: 1 } } };
    for (let run = 1; run <= 2; run += 1) {
      expect(await at(workplace.home, ['backup', 'later'], 1)).toMatchObject(refused);
    }
    writeFileSync(join(later, 'new.txt'), 'new');
    expect((await at<BackupAnswer>(workplace.home, ['backup', 'later'])).warnings).toEqual([]);
  });

  test('that was restored from an older state of itself continues, too', async () => {
    const old = workplace.path('old home');
    cpSync(workplace.home, old, { recursive: true });
    for (const text of ['second', 'third']) {
      change(text);
      await backUp(workplace.home);
    }
    expect(await backUp(old, 4)).toMatchObject({ error: { code: 'device_cloned' } });
    await at(old, ['destination', 'renew']);
    change('fourth');
    const own = await backUp(old);
    expect(own.warnings).toEqual([]);
    expect((await points(old)).points).toHaveLength(4);
    await expectRestored(old, 'target');
  });

  test('changes nothing when the destination is away, or none is meant', async () => {
    expect((await workplace.runAt(workplace.path('no home'), ['destination', 'renew'])).status).toBe(2);
    const secrets = readFileSync(join(workplace.home, 'secrets.json'));
    renameSync(workplace.destination, workplace.path('away'));
    expect(await at(workplace.home, ['destination', 'renew'], 1)).toMatchObject({
      error: { code: 'destination_missing' },
    });
    renameSync(workplace.path('away'), workplace.destination);
    expect(readFileSync(join(workplace.home, 'secrets.json')).equals(secrets)).toBe(true);
    expect(await at(workplace.home, ['destination', 'renew', 'nowhere'], 2)).toMatchObject({
      error: { code: 'destination_unknown' },
    });
    await workplace.json(['destination', 'add', '--destination', workplace.path('second'), '--name', 'second']);
    const named = await at<{ error: { message: string } }>(workplace.home, ['destination', 'renew'], 2);
    expect(named.error.message).toContain('second');
    expect((await backUp(workplace.home)).warnings).toEqual([]);
  });
});
