import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Workplace, type Ended } from '../e2e/workplace.ts';
import { buildTree } from '../../helpers/tree/build.ts';
import { compareTrees } from '../../helpers/tree/compare.ts';
import { file } from '../../helpers/tree/nodes.ts';

describe('a computer that has only adopted a destination', () => {
  let workplace: Workplace;
  let phrase: string;
  let source: string;

  async function at(home: string, ...words: string[]): Promise<Ended> {
    return await workplace.runAt(workplace.path(home), words);
  }

  /** Sets a home up at the destination of the others. */
  async function adopt(home: string, ...words: string[]): Promise<void> {
    const setup = ['setup', '--destination', workplace.destination, '--recovery-phrase-file'];
    const { status, stderr } = await at(home, ...setup, workplace.write(`phrase of ${home}`, phrase), ...words);
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
  }

  async function answerOf(home: string, ...words: string[]): Promise<Record<string, unknown>> {
    const { status, stdout, stderr } = await at(home, ...words, '--json');
    expect({ words, status, stderr }).toMatchObject({ words, status: 0 });
    return JSON.parse(stdout) as Record<string, unknown>;
  }

  beforeEach(async () => {
    workplace = new Workplace();
    source = workplace.path('source');
    await buildTree(source, { 'a.txt': file('content') });
    phrase = await workplace.setUp('--device-name', 'laptop');
    await workplace.addSet('documents', source);
    await workplace.json(['backup', 'documents']);
    writeFileSync(`${source}/b.txt`, 'new');
    await workplace.json(['backup', 'documents']);
    await adopt('new home', '--device-name', 'desk');
  });
  afterEach(() => workplace[Symbol.dispose]());

  test('reads the only set of a name without being told whose it is', async () => {
    const { status, stderr } = await at('new home', 'restore', 'documents', '--to', workplace.path('target'));
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(stderr).toContain('"documents" of laptop');
    expect(await compareTrees(source, workplace.path('target/source'))).toEqual([]);

    const { points } = await answerOf('new home', 'points', 'documents');
    expect(points).toHaveLength(2);
    const { entries } = await answerOf('new home', 'ls', 'documents', source);
    expect(entries).toHaveLength(2);
    const { matches } = await answerOf('new home', 'find', 'documents', 'b.txt');
    expect(matches).toMatchObject([{ path: `${source}/b.txt` }]);
    const { versions } = await answerOf('new home', 'versions', 'documents', `${source}/a.txt`);
    expect(versions).toHaveLength(1);
    const { changes } = await answerOf('new home', 'diff', 'documents');
    expect(changes).toContainEqual(expect.objectContaining({ path: `${source}/b.txt`, change: 'added' }));
    const { matches: known } = await answerOf('new home', 'find', 'documents', 'b.txt', '--local');
    expect(known).toEqual(matches);
    expect(await answerOf('new home', 'verify', 'documents')).toMatchObject({ failures_total: 0 });
    const { restore_points: verified } = await answerOf('new home', 'verify', 'documents', '--all');
    expect(verified).toHaveLength(2);
  });

  test('lists what there is for a name that no device has', async () => {
    for (const words of [
      ['restore', 'photos', '--to', workplace.path('target')],
      ['points', 'photos'],
      ['ls', 'photos'],
      ['find', 'photos', 'x'],
      ['versions', 'photos', '/x'],
      ['diff', 'photos'],
      ['verify', 'photos'],
    ]) {
      const { status, stderr } = await at('new home', ...words);
      expect({ words, status }).toEqual({ words, status: 2 });
      expect(stderr).toContain('No device has a backup set named "photos".');
      expect(stderr).toContain('documents (--device laptop)');
      expect(stderr).not.toContain('set add');
    }
  });

  test('asks which device is meant if several have a set of that name', async () => {
    await adopt('third home', '--device-name', 'tablet');
    expect((await at('third home', 'set', 'add', 'documents', source)).status).toBe(0);
    expect((await at('third home', 'backup', 'documents')).status).toBe(0);
    const { status, stderr } = await at('new home', 'points', 'documents');
    expect(status).toBe(2);
    expect(stderr).toContain('Several devices have a backup set named "documents".');
    expect(stderr).toMatch(/--device laptop,? or --device tablet/);

    const { points } = await answerOf('third home', 'points', 'documents');
    expect(points).toHaveLength(1);
  });
});
