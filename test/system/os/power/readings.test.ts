import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { idleSecondsOfLogind, powerOf, readSupplies, type PowerSupply } from '../../../../src/os/power/linux.ts';
import { idleSecondsOfIoreg, powerOfPmset } from '../../../../src/os/power/macos.ts';
import { outputOf } from '../../../../src/os/power/program-output.ts';
import { idleSecondsOfTicks, powerOfStatus } from '../../../../src/os/power/windows.ts';

const isLinux = process.platform === 'linux';

test.skipIf(!isLinux)('programs answer in English, and with every letter of a name', async () => {
  process.env['LANGUAGE'] = 'de';
  onTestFinished(() => void delete process.env['LANGUAGE']);
  expect(await outputOf('locale', ['charmap'])).toBe('UTF-8\n');
  expect(await outputOf('sh', ['-c', 'echo "$LC_ALL:$LANGUAGE"'])).toBe('C.UTF-8:\n');
});

describe('Linux', () => {
  const mains: PowerSupply = { type: 'Mains', online: '1' };
  const battery: PowerSupply = { type: 'Battery', present: '1', status: 'Discharging', capacity: '73' };
  const mouse: PowerSupply = { type: 'Battery', scope: 'Device', status: 'Discharging', capacity: '5' };

  test.each<[string, readonly PowerSupply[], unknown]>([
    ['none', [], { onBattery: undefined, percent: undefined }],
    ['a desktop with a mouse', [mouse], { onBattery: undefined, percent: undefined }],
    ['a laptop off the mains', [{ ...mains, online: '0' }, battery, mouse], { onBattery: true, percent: 73 }],
    ['a laptop on the mains', [mains, { ...battery, status: 'Charging' }], { onBattery: false, percent: 73 }],
    ['a charger that is too weak', [mains, battery], { onBattery: false, percent: 73 }],
    [
      'charged over USB',
      [
        { type: 'USB', online: '1' },
        { ...battery, status: 'Full' },
      ],
      { onBattery: false, percent: 73 },
    ],
    ['two batteries', [battery, { ...battery, status: 'Unknown', capacity: '27' }], { onBattery: true, percent: 50 }],
    ['no battery in its place', [mains, { type: 'Battery', present: '0' }], { onBattery: false, percent: undefined }],
  ])('%s', (_, supplies, expected) => {
    expect(powerOf(supplies)).toEqual(expected);
  });

  test("reads the kernel's power supplies", () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-power-'));
    try {
      mkdirSync(join(folder, 'BAT0'));
      writeFileSync(join(folder, 'BAT0/type'), 'Battery\n');
      writeFileSync(join(folder, 'BAT0/status'), 'Not charging\n');
      expect(readSupplies(folder)).toEqual([{ type: 'Battery', status: 'Not charging' }]);
      expect(readSupplies(join(folder, 'missing'))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test.each([
    ['somebody is there', 'IdleHint=no\nIdleSinceHint=1763755200000000\n', 0],
    ['away for ten minutes', 'IdleHint=yes\nIdleSinceHint=1763755200000000\n', 600],
    ['nobody is signed in', 'IdleHint=yes\nIdleSinceHint=0\n', undefined],
    ['something else', 'no such property\n', undefined],
  ])('logind: %s', (_, output, seconds) => {
    expect(idleSecondsOfLogind(output, 1_763_755_800_000)).toBe(seconds);
  });
});

describe('macOS', () => {
  const laptop = (source: string): string =>
    `Now drawing from '${source}'\n -InternalBattery-0 (id=4653155)\t85%; discharging; 3:12 remaining present: true\n`;

  test.each([
    ['on battery', laptop('Battery Power'), { onBattery: true, percent: 85 }],
    ['on mains', laptop('AC Power'), { onBattery: false, percent: 85 }],
    ['without a battery', "Now drawing from 'AC Power'\n", { onBattery: false, percent: undefined }],
    ['behind a UPS', "Now drawing from 'UPS Power'\n -UPS (id=1)\t50%\n", { onBattery: true, percent: undefined }],
    ['nothing said', 'pmset: error\n', { onBattery: undefined, percent: undefined }],
  ])('%s', (_, output, expected) => {
    expect(powerOfPmset(output)).toEqual(expected);
  });

  test('reads the time since the last input', () => {
    expect(idleSecondsOfIoreg('    | |   "HIDIdleTime" = 125000000000\n')).toBe(125);
    expect(idleSecondsOfIoreg('+-o Root\n')).toBeUndefined();
  });
});

describe('Windows', () => {
  test.each([
    [[0, 1, 42], { onBattery: true, percent: 42 }],
    [[1, 8, 100], { onBattery: false, percent: 100 }],
    [[1, 128, 255], { onBattery: false, percent: undefined }],
    [[255, 255, 255], { onBattery: undefined, percent: undefined }],
  ])('power status %j', (bytes, expected) => {
    expect(powerOfStatus(Uint8Array.from([...bytes, 0, 0, 0, 0, 0, 0, 0, 0, 0]))).toEqual(expected);
  });

  test('reads ticks, even when they wrap around', () => {
    const at = (last: number, now: number): number => {
      const info = new Uint8Array(8);
      new DataView(info.buffer).setUint32(4, last, true);
      return idleSecondsOfTicks(info, now);
    };
    expect(at(1000, 61_000)).toBe(60);
    expect(at(0xffff_ffff, 999)).toBe(1);
  });
});
