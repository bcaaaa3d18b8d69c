import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ConfiguredSet } from '../../../src/model/set.ts';
import { hoursOfDay } from '../../../src/cli/commands/arguments.ts';
import { conditionsText, limitsText, setJson, verificationText } from '../../../src/cli/commands/sets/set-shown.ts';
import { Workplace } from '../e2e/workplace.ts';

describe('hours', () => {
  test('are parsed as minutes after midnight, also across midnight', () => {
    expect(hoursOfDay('08:05-18:30')).toEqual({ from: 485, to: 1110 });
    expect(hoursOfDay('22:00 - 6:00')).toEqual({ from: 1320, to: 360 });
  });

  test.each(['', '8-18', '08:00', '24:00-06:00', '08:60-09:00', '08:00-08:00', '08:00-09:00x'])(
    '%j are invalid',
    (text) => {
      expect(() => hoursOfDay(text)).toThrow('08:00-18:30');
    },
  );
});

describe('a set', () => {
  const set: ConfiguredSet = {
    name: 'docs',
    roots: ['/docs'],
    excludes: [],
    presets: [],
    oneFileSystem: false,
    privateNames: false,
  };

  test('shows its conditions, limits and verification', () => {
    const whole: ConfiguredSet = {
      ...set,
      conditions: { batteryAtLeast: 40, onlyOnMains: true, notMetered: true, networks: ['Home', 'Work'] },
      limits: { uploadKiB: 500, hours: { from: 485, to: 1110 }, priority: 'low' },
      verification: { everyDays: 1, samplePercent: 5 },
    };
    expect(conditionsText(whole)).toBe('on mains power, battery at least 40 %, no metered network, over Home or Work');
    expect(limitsText(whole)).toBe('upload 500 KiB/s, from 08:05 to 18:30, priority low');
    expect(verificationText(whole)).toBe('5 % every day');
    expect(setJson(whole)).toMatchObject({
      conditions: { on_mains: true, battery_at_least: 40, not_metered: true, networks: ['Home', 'Work'] },
      limits: { upload_kib: 500, download_kib: null, hours: '08:05-18:30', priority: 'low' },
      verification: { every_days: 1, sample_percent: 5 },
    });
  });

  test('shows defaults without options', () => {
    expect([conditionsText(set), limitsText(set), verificationText(set)]).toEqual(['none', 'none', 'none']);
    expect(setJson(set)).toMatchObject({
      compression: 'default',
      conditions: { on_mains: false, networks: [] },
      verification: null,
    });
    expect(setJson({ ...set, compression: 'off' })).toMatchObject({ compression: 'off' });
  });

  test('leaves out a path, refuses one elsewhere, and says in a dry run which pattern matches nothing', async () => {
    using workplace = new Workplace();
    await workplace.setUp();
    const source = join(workplace.folder, 'src');
    mkdirSync(join(source, 'big'), { recursive: true });
    writeFileSync(join(source, 'big/x'), 'x');
    const patterns = [`${source}/big`, 'missing/'];
    const excludes = patterns.flatMap((pattern) => ['--exclude', pattern]);
    const elsewhere = await workplace.run('set', 'add', 's', source, '--exclude', `${workplace.folder}/other`);
    expect(elsewhere).toMatchObject({ status: 2, stderr: expect.stringContaining(source) as string });
    expect(await workplace.run('set', 'add', 's', source, '--no-presets', ...excludes)).toMatchObject({ status: 0 });
    const told = await workplace.run('backup', 's', '--dry-run', '--json');
    expect(JSON.parse(told.stdout)).toMatchObject({
      files_processed: 0,
      left_out: [
        { rule: patterns[0], files: 1, bytes: 1 },
        { rule: patterns[1], files: 0, bytes: 0 },
      ],
    });
    expect((await workplace.run('backup', 's', '--dry-run')).stdout).toMatch(/missing\/ +0 files/);
  });

  test('is not added with an option that depends on a missing one', async () => {
    using workplace = new Workplace();
    await workplace.setUp();
    const words = [
      [['--limit-hours', '08:00-18:00'], '--limit-upload'],
      [['--verify-sample', '10'], '--verify-every'],
      [['--battery-at-least', '0'], '1 to 100'],
    ] as const;
    for (const [options, named] of words) {
      const ended = await workplace.run('set', 'add', 'docs', workplace.folder, ...options);
      expect(ended).toMatchObject({ status: 2, stderr: expect.stringContaining(named) as string });
    }
  });
});
