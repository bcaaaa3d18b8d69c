import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextMoment } from '../../../src/model/schedule/moments.ts';
import type { CalendarSchedule, Schedule } from '../../../src/model/schedule/schedule.ts';
import { DAY, HOUR, MINUTE, SECOND, ScheduleSimulation } from './schedule-simulation.ts';
import { orThorough } from '../../helpers/thorough.ts';

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Sao_Paulo',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Apia',
] as const;

const zone = fc.constantFrom(...ZONES);
const at = fc.integer({ min: 0, max: 1439 });
const calendar: fc.Arbitrary<CalendarSchedule> = fc.oneof(
  at.map((minute) => ({ kind: 'daily', at: minute }) as const),
  fc
    .tuple(fc.subarray(['monday', 'thursday', 'saturday', 'sunday'] as const, { minLength: 1 }), at)
    .map(([days, minute]) => ({ kind: 'weekly', days, at: minute }) as const),
  fc
    .constantFrom('0 */4 * * *', '30 2 * * *', '15 1-3 * * *', '0 9,12 * * mon-fri', '59 23 28-31 * *')
    .map((expression) => ({ kind: 'cron', expression }) as const),
);
const interval: fc.Arbitrary<Schedule> = fc
  .integer({ min: 5, max: 1440 })
  .map((minutes) => ({ kind: 'every', minutes }) as const);
const schedule = fc.oneof<fc.Arbitrary<Schedule>[]>(calendar, interval);

/** Years with many kinds of clock changes, such as the day that Apia skipped. */
const start = fc.integer({ min: Date.parse('2011-12-20T00:00Z'), max: Date.parse('2027-12-31T00:00Z') });

type Event =
  | { readonly kind: 'awake' | 'asleep' | 'off' | 'forward' | 'back'; readonly ms: number }
  | { readonly kind: 'person' | 'lost' }
  | { readonly kind: 'blocked'; readonly ms: number };

const upTo = (most: number): fc.Arbitrary<number> =>
  fc.oneof(fc.integer({ min: SECOND, max: 3 * MINUTE }), fc.integer({ min: MINUTE, max: most }));
const span = <Kind extends string>(kind: Kind, most: number) => fc.record({ kind: fc.constant(kind), ms: upTo(most) });

const living = fc.oneof(
  span('awake', 2 * DAY),
  span('asleep', 3 * DAY),
  span('off', 3 * DAY),
  span('blocked', DAY),
  fc.constant({ kind: 'person' } as const),
);
const anything = fc.oneof(
  living,
  span('forward', 40 * DAY),
  span('back', 40 * DAY),
  fc.constant({ kind: 'lost' } as const),
);

function live(simulation: ScheduleSimulation, events: readonly Event[]): void {
  for (const event of events) {
    switch (event.kind) {
      case 'awake':
        simulation.pass(event.ms);
        break;
      case 'asleep':
      case 'off':
        simulation.gap(event.kind, event.ms).look();
        break;
      case 'blocked':
        simulation.facts = { absentLocation: '/media/disk' };
        simulation.pass(event.ms);
        simulation.facts = {};
        simulation.look();
        break;
      case 'person':
        simulation.run();
        break;
      case 'forward':
        simulation.setClock(event.ms).look();
        break;
      case 'back':
        simulation.setClock(-event.ms).look();
        break;
      case 'lost':
        simulation.memory = undefined;
        simulation.look();
    }
  }
}

/** Returns the times of a schedule up to a given time. */
function momentsBetween(calendar: CalendarSchedule, from: number, to: number, timeZone: string): readonly number[] {
  const moments: number[] = [];
  for (let moment = nextMoment(calendar, from, timeZone); moment !== undefined && moment <= to;) {
    moments.push(moment);
    moment = nextMoment(calendar, moment, timeZone);
  }
  return moments;
}

const runsOf = { numRuns: orThorough(60, 150) };

describe('while the clock is right', () => {
  test('each moment has at most one run, and each run serves a moment', () => {
    fc.assert(
      fc.property(calendar, start, zone, fc.array(living, { maxLength: 8 }), (schedule, from, timeZone, events) => {
        const simulation = new ScheduleSimulation(schedule, from, timeZone);
        live(simulation, events);
        const moments = momentsBetween(schedule, from, simulation.now, timeZone);
        const scheduled = simulation.runs.filter(({ trigger }) => trigger !== 'person');
        for (const [index, run] of scheduled.entries()) {
          const served = scheduled[index - 1]?.at ?? from;
          expect(moments.some((moment) => moment > served && moment <= run.at)).toBe(true);
        }
      }),
      runsOf,
    );
  });

  test('every moment is served within a minute once the computer is awake and nothing delays the run', () => {
    fc.assert(
      fc.property(calendar, start, zone, fc.array(living, { maxLength: 8 }), (schedule, from, timeZone, events) => {
        const simulation = new ScheduleSimulation(schedule, from, timeZone);
        live(simulation, events);
        const end = simulation.now;
        simulation.pass(MINUTE);
        const last = momentsBetween(schedule, from, end, timeZone).at(-1);
        if (last === undefined) return;
        // A run shortly before a scheduled time also covers it.
        expect(simulation.runs.some((run) => run.at >= last - 30 * MINUTE && run.at <= end + MINUTE)).toBe(true);
      }),
      runsOf,
    );
  });

  test('runs keep their interval', () => {
    fc.assert(
      fc.property(interval, start, fc.array(living, { maxLength: 8 }), (schedule, from, events) => {
        if (schedule.kind !== 'every') return;
        const simulation = new ScheduleSimulation(schedule, from, 'UTC');
        live(simulation, events);
        simulation.pass(MINUTE);
        for (const [index, run] of simulation.runs.entries()) {
          const before = simulation.runs[index - 1]?.at ?? from;
          if (run.trigger !== 'person') expect(run.at - before).toBeGreaterThanOrEqual(schedule.minutes * MINUTE);
        }
        expect(simulation.now - (simulation.runs.at(-1)?.at ?? from)).toBeLessThanOrEqual(
          schedule.minutes * MINUTE + MINUTE,
        );
      }),
      runsOf,
    );
  });
});

describe('on change', () => {
  const happening = fc.oneof(
    living,
    fc.constant({ kind: 'change' } as const),
    fc
      .constantFrom('failed', 'interrupted', 'cancelled', 'warnings')
      .map((outcome) => ({ kind: 'plan', outcome }) as const),
  );
  const quietMinutes = fc.integer({ min: 1, max: 120 });

  test('every change is in a run that begins after it, soon after nothing delays the run', () => {
    fc.assert(
      fc.property(quietMinutes, start, fc.array(happening, { maxLength: 12 }), (quiet, from, events) => {
        const simulation = new ScheduleSimulation({ kind: 'on-change', quietMinutes: quiet }, from, 'UTC');
        simulation.run();
        let changedAt: number | undefined;
        for (const event of events) {
          if (event.kind === 'change') {
            changedAt = simulation.now;
            simulation.change();
          } else if (event.kind === 'plan') simulation.plans.push({ outcome: event.outcome });
          else live(simulation, [event]);
        }
        if (changedAt === undefined) return;
        const before = changedAt;
        simulation.plans = [];
        // The longest retry delay, after four consecutive failures.
        simulation.pass(4 * HOUR + quiet * MINUTE + MINUTE);
        expect(simulation.ended.some((run) => run.isGood && run.startedAt >= before)).toBe(true);
        expect(simulation.memory?.changes).toBeUndefined();
      }),
      runsOf,
    );
  });

  test('two runs are a quiet time apart, however often something changes', () => {
    fc.assert(
      fc.property(quietMinutes, start, fc.array(upTo(HOUR), { maxLength: 30 }), (quiet, from, pauses) => {
        const simulation = new ScheduleSimulation({ kind: 'on-change', quietMinutes: quiet }, from, 'UTC');
        for (const pause of pauses) simulation.change().pass(pause);
        for (const [index, run] of simulation.runs.entries()) {
          const earlier = simulation.runs[index - 1];
          if (earlier) expect(run.at - earlier.at).toBeGreaterThanOrEqual(quiet * MINUTE);
        }
      }),
      runsOf,
    );
  });
});

describe('whatever the clock does', () => {
  test('a run begins within two intervals of being awake', () => {
    fc.assert(
      fc.property(schedule, start, zone, fc.array(anything, { maxLength: 8 }), (schedule, from, timeZone, events) => {
        const simulation = new ScheduleSimulation(schedule, from, timeZone);
        live(simulation, events);
        const [now, elapsed] = [simulation.now, simulation.elapsed];
        let end: number | undefined = now;
        if (schedule.kind === 'every') end += schedule.minutes * MINUTE;
        else if (schedule.kind === 'daily' || schedule.kind === 'weekly' || schedule.kind === 'cron') {
          end = nextMoment(schedule, now, timeZone);
          if (end !== undefined) end = nextMoment(schedule, end, timeZone);
        }
        if (end === undefined) return;
        simulation.pass(end - now + MINUTE);
        expect(simulation.runs.some((run) => run.elapsed >= elapsed - 30 * MINUTE)).toBe(true);
      }),
      runsOf,
    );
  });

  test('scheduled runs never outnumber moments, clock changes and lost memories together', () => {
    fc.assert(
      fc.property(calendar, start, zone, fc.array(anything, { maxLength: 8 }), (schedule, from, timeZone, events) => {
        const simulation = new ScheduleSimulation(schedule, from, timeZone);
        let most = 0;
        for (const event of events) {
          const before = simulation.now;
          live(simulation, [event]);
          if (event.kind === 'awake' || event.kind === 'blocked') {
            most += momentsBetween(schedule, before - SECOND, simulation.now, timeZone).length;
          }
          most += 1;
        }
        expect(simulation.runs.filter(({ trigger }) => trigger !== 'person').length).toBeLessThanOrEqual(most);
      }),
      runsOf,
    );
  });

  test('repeated decisions at one time are equal and do not change the memory', () => {
    fc.assert(
      fc.property(schedule, start, zone, fc.array(anything, { maxLength: 6 }), (schedule, from, timeZone, events) => {
        const simulation = new ScheduleSimulation(schedule, from, timeZone);
        live(simulation, events);
        simulation.look();
        const first = simulation.look();
        const second = simulation.look();
        expect(second).toEqual(first);
      }),
      runsOf,
    );
  });

  test('the next moment is in the future and less than two intervals away', () => {
    fc.assert(
      fc.property(schedule, start, zone, fc.array(anything, { maxLength: 8 }), (schedule, from, timeZone, events) => {
        const simulation = new ScheduleSimulation(schedule, from, timeZone);
        live(simulation, events);
        simulation.look();
        const { decision } = simulation.look();
        if (decision.kind !== 'next') throw new Error(`decision: ${decision.kind}`);
        expect(decision.at).toBeGreaterThan(simulation.now);
        const longest = schedule.kind === 'cron' ? 62 * DAY : schedule.kind === 'weekly' ? 22 * DAY : 2 * DAY + HOUR;
        expect(decision.at - simulation.now).toBeLessThanOrEqual(longest);
      }),
      runsOf,
    );
  });
});

test.each(ZONES)('the time zone of this computer: %s', (timeZone) => {
  const before = process.env['TZ'];
  try {
    process.env['TZ'] = timeZone;
    fc.assert(
      fc.property(calendar, start, (schedule, from) => {
        expect(nextMoment(schedule, from, undefined)).toBe(nextMoment(schedule, from, timeZone));
      }),
      { numRuns: 60 },
    );
  } finally {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  }
});
