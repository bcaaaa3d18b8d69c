import { expect, test } from 'vitest';
import type { BackupProgress } from '../../../../src/jobs/progress.ts';
import type { Power } from '../../../../src/os/power/ports.ts';
import type { PriorityChoice } from '../../../../src/os/power/priority-decision.ts';
import { RunPriority } from '../../../../src/os/power/run-priority.ts';
import { ManualClock } from '../../service/webhooks/manual-clock.ts';

const SECOND = 1000;

const progress: BackupProgress = {
  kind: 'backup',
  phase: 'scanning',
  filesScanned: 0,
  bytesScanned: 0,
  chunksTotal: 0,
  chunksUploaded: 0,
  bytesTotal: 0,
  bytesUploaded: 0,
  currentPath: undefined,
  etaSeconds: undefined,
  waiting: undefined,
};

/** A computer whose state the test sets. */
class Computer {
  readonly clock = new ManualClock();
  readonly shown: (string | undefined)[] = [];
  onBattery = false;
  idleSeconds: number | undefined = 0;
  mayLower = true;
  mayRaise = true;
  isBroken = false;
  isLow = false;
  lowered = 0;
  looks = 0;

  run(choice: PriorityChoice, attended = false): RunPriority {
    const priority = new RunPriority({ choice, attended }, this, this.clock);
    const { onProgress } = priority.through({ onProgress: ({ lowPriority }) => this.shown.push(lowPriority) });
    onProgress?.(progress);
    return priority;
  }

  readonly power = {
    read: (): Promise<Power> =>
      this.isBroken
        ? Promise.reject(new Error('no sysfs'))
        : Promise.resolve({ onBattery: this.onBattery, percent: 50 }),
  };

  readonly presence = {
    idleSeconds: (): Promise<number | undefined> => {
      this.looks += 1;
      return this.isBroken ? Promise.reject(new Error('no logind')) : Promise.resolve(this.idleSeconds);
    },
  };

  readonly control = {
    lower: (): boolean => {
      if (this.isBroken) throw new Error('no /proc');
      this.lowered += 1;
      this.isLow = this.mayLower;
      return this.isLow;
    },
    restore: (): boolean => {
      if (this.isBroken) throw new Error('no /proc');
      if (this.mayRaise) this.isLow = false;
      return !this.isLow;
    },
  };
}

test("follows the person's presence within 15 seconds, and is restored at the end", async () => {
  const computer = new Computer();
  {
    await using _ = computer.run('auto');
    await computer.clock.advance(SECOND);
    expect(computer).toMatchObject({ isLow: true, shown: [undefined, 'person-active'] });
    computer.idleSeconds = 600;
    await computer.clock.advance(15 * SECOND);
    expect(computer).toMatchObject({ isLow: false, shown: [undefined, 'person-active', undefined] });
    computer.onBattery = true;
    await computer.clock.advance(15 * SECOND);
    expect(computer).toMatchObject({ isLow: true });
    expect(computer.shown.at(-1)).toBe('on-battery');
  }
  expect(computer.isLow).toBe(false);
});

test('lowers new threads every second', async () => {
  const computer = new Computer();
  await using _ = computer.run('auto');
  await computer.clock.advance(10 * SECOND);
  expect(computer).toMatchObject({ lowered: 10, looks: 1 });
});

test('is low from the beginning when the person chose it', async () => {
  const computer = new Computer();
  computer.idleSeconds = 600;
  await using _ = computer.run('low', true);
  expect(computer).toMatchObject({ isLow: true, shown: ['asked'] });
  await computer.clock.advance(60 * SECOND);
  expect(computer).toMatchObject({ isLow: true, looks: 0 });
});

test('retries lowering when it fails at first', async () => {
  const computer = new Computer();
  computer.mayLower = false;
  await using _ = computer.run('low');
  expect(computer.shown).toEqual([undefined]);
  computer.mayLower = true;
  await computer.clock.advance(SECOND);
  expect(computer.shown).toEqual([undefined, 'asked']);
});

test('reads nothing when the person chose normal', async () => {
  const computer = new Computer();
  computer.onBattery = true;
  await using _ = computer.run('normal');
  await computer.clock.advance(60 * SECOND);
  expect(computer).toMatchObject({ isLow: false, lowered: 0, looks: 0 });
});

test('does not read presence for an attended run', async () => {
  const computer = new Computer();
  await using _ = computer.run('auto', true);
  await computer.clock.advance(60 * SECOND);
  expect(computer).toMatchObject({ isLow: false, looks: 0 });
});

test('shows a low priority that the system does not restore', async () => {
  const computer = new Computer();
  computer.mayRaise = false;
  await using _ = computer.run('auto');
  await computer.clock.advance(SECOND);
  computer.idleSeconds = 600;
  await computer.clock.advance(60 * SECOND);
  expect(computer).toMatchObject({ isLow: true, shown: [undefined, 'person-active'] });
});

test('ignores a system that does not respond', async () => {
  const computer = new Computer();
  computer.isBroken = true;
  for (const choice of ['auto', 'low'] as const) {
    await using _ = computer.run(choice);
    await computer.clock.advance(20 * SECOND);
  }
  expect(computer.shown).toEqual([undefined, undefined]);
});
