import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Workplace } from './workplace.ts';

interface Shown {
  readonly points: readonly {
    readonly backup_id: string;
    readonly kept_because: readonly string[];
    readonly pinned: boolean;
  }[];
  readonly removed: number;
  readonly frees: readonly { readonly at: string; readonly bytes: number }[];
  readonly error?: { readonly code: string; readonly message: string };
}

test('pins, previews and removes restore points in a folder', { timeout: 600_000 }, async () => {
  using place = new Workplace();
  const run = async (...words: string[]): Promise<Shown & { status: number | null }> => {
    const { status, stdout } = await place.run(...words, '--json');
    return { ...(JSON.parse(stdout) as Shown), status };
  };
  mkdirSync(place.path('source'));
  await run('setup', '--destination', place.destination);
  await run('set', 'add', 'docs', place.path('source'));
  const early = await run('retention', 'preview', 'docs', '--daily', '7');
  expect([early.status, early.error!.code]).toEqual([2, 'no_restore_point']);
  for (const text of ['one', 'two', 'three', 'four']) {
    writeFileSync(place.path('source', 'a.txt'), text.repeat(1_000));
    appendFileSync(place.path('source', 'log.txt'), text);
    expect((await run('backup', 'docs')).status).toBe(0);
  }
  const [, , second, first] = (await run('points', 'docs')).points as unknown as {
    restore_point: string;
    backup_id: string;
  }[];

  expect((await run('points', 'pin', 'docs', first!.restore_point)).points.at(-1)!.pinned).toBe(true);
  const preview = await run('retention', 'preview', 'docs', '--daily', '7');
  expect(preview.removed).toBe(2);
  expect(preview.frees[0]!.bytes).toBeGreaterThan(100);
  expect((await run('retention', 'set', 'docs', '--daily', '7')).status).toBe(0);
  const unsaid = await run('retention', 'apply', 'docs');
  expect([unsaid.status, unsaid.error!.code]).toEqual([2, 'usage']);
  expect((await run('points', 'docs')).points).toHaveLength(4);
  expect(await run('retention', 'apply', 'docs', '--yes')).toMatchObject({
    status: 0,
    removed: 2,
    frees: preview.frees.map(({ bytes }) => ({ bytes })),
  });
  const left = (await run('points', 'docs')).points.map(({ backup_id: id }) => id);
  expect(left).toHaveLength(2);
  expect(left).not.toContain(second!.backup_id);

  const pinned = await run('points', 'remove', 'docs', first!.restore_point, '--yes');
  expect(pinned.error).toMatchObject({ code: 'retention_refused' });
  expect(pinned.error!.message).toMatch(/pinned/);
  for (const [at, text] of [
    [first!.restore_point, 'one'],
    ['latest', 'four'],
  ] as const) {
    expect((await run('restore', 'docs', '--at', at, '--to', place.path(text))).status).toBe(0);
    expect(readFileSync(place.path(text, 'source', 'a.txt'), 'utf8')).toBe(text.repeat(1_000));
  }
  expect((await run('verify', 'docs')).status).toBe(0);
  expect((await run('backup', 'docs')).status).toBe(0);

  // Once more, as after an interruption: the one before it stays.
  const [newest, fourth] = (await run('points', 'docs')).points as unknown as { readonly restore_point: string }[];
  expect((await run('points', 'unpin', 'docs', first!.restore_point)).status).toBe(0);
  expect((await run('points', 'remove', 'docs', fourth!.restore_point, '--yes')).status).toBe(0);
  for (const time of [fourth!.restore_point, 'latest', '1 minute ago', '2020-01-01']) {
    const { status, error } = await run('points', 'remove', 'docs', time, '--yes');
    expect([time, status, error!.code]).toEqual([time, 2, time === 'latest' ? 'usage' : 'no_restore_point']);
  }
  expect((await run('points', 'docs')).points).toMatchObject([newest, first]);
  const elsewhere = await run('retention', 'set', 'docs', '--daily', '7', '--time-zone', 'Mars/Olympus');
  expect([elsewhere.status, elsewhere.error!.code]).toEqual([2, 'usage']);
  const { stdout } = await place.run('retention', 'show', 'docs');
  expect(stdout).toMatch(/Stays: the first and the last of 7 days \(/);
});

test('takes a policy before the first backup, which then has it', { timeout: 120_000 }, async () => {
  using place = new Workplace();
  mkdirSync(place.path('source'));
  await place.json(['setup', '--destination', place.destination]);
  await place.json(['set', 'add', 'docs', place.path('source')]);
  await place.json(['retention', 'show', 'docs'], 2);
  const set = ['retention', 'set', 'docs', '--daily', '7', '--time-zone'];
  await place.json([...set, 'Mars/Olympus'], 2);
  await place.json(['retention', 'show', 'docs'], 2);
  const policy = { daily: 7, weekly: 0, time_zone: 'Europe/Berlin' };
  expect(await place.json([...set, 'Europe/Berlin'])).toMatchObject({ policy, pending: true });
  expect(await place.json(['retention', 'show', 'docs'])).toMatchObject({ policy, pending: true });
  const { stdout } = await place.run(...set, 'Europe/Berlin');
  expect(stdout).toBe(
    'Stays: the first and the last of 7 days (Europe/Berlin).\nApplied from the first backup on: there is no restore point yet.\n',
  );
  await place.json(['retention', 'set', 'other', '--daily', '7'], 2);
  await place.json(['retention', 'set', 'docs', '--daily', '7', '--device', 'dev_1'], 2);
  await place.json(['backup', 'docs']);
  const shown = await place.json<object>(['retention', 'show', 'docs']);
  expect(shown).toMatchObject({ policy });
  expect(shown).not.toHaveProperty('pending');
  await place.json(['set', 'add', 'more', place.path('source')]);
  await place.json(['retention', 'set', 'more', '--daily', '3']);
  expect(await place.json(['retention', 'set', 'more', '--keep-everything'])).toMatchObject({ policy: null });
  await place.json(['backup', 'more']);
  expect(await place.json(['retention', 'show', 'more'])).toMatchObject({ policy: null });
});
