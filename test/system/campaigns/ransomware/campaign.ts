import { WorkerPool } from '../../../../src/workers/pool.ts';
import { ATTACKS, type Attack } from './attacks.ts';
import { PEOPLE, type Person } from './people.ts';
import { simulateAttack, simulateDays, type Day, type Outcome } from './simulator.ts';

export interface CampaignOptions {
  readonly days: number;
  readonly seed: number;
  readonly attacks?: readonly Attack[];
  readonly people?: readonly Person[];
  /** Called with each attack that was missed and each false alarm. */
  readonly onMistake?: (mistake: Outcome | Day) => void;
}

export interface Totals {
  readonly outcomes: readonly Outcome[];
  readonly days: number;
  readonly falseAlarms: number;
  /** False alarms of a service whose agent reports nothing. */
  readonly falseAlarmsAlone: number;
}

/** Has every attack act upon every person's home, and lets ordinary days pass. */
export async function runRansomwareCampaign(options: CampaignOptions): Promise<Totals> {
  const { seed, attacks = ATTACKS, people = PEOPLE, onMistake } = options;
  const pool = new WorkerPool(2);
  try {
    const outcomes: Outcome[] = [];
    for (const attack of attacks) {
      for (const person of people) {
        const outcome = await simulateAttack(pool, attack, person, seed);
        outcomes.push(outcome);
        if (outcome.day === undefined) onMistake?.(outcome);
      }
    }
    let [days, falseAlarms, falseAlarmsAlone] = [0, 0, 0];
    for await (const day of simulateDays(pool, options.days, seed)) {
      days += 1;
      if (day.alone.length > 0) falseAlarmsAlone += 1;
      if (day.reasons.length === 0) continue;
      falseAlarms += 1;
      onMistake?.(day);
    }
    return { outcomes, days, falseAlarms, falseAlarmsAlone };
  } finally {
    await pool.close();
  }
}

/** The table of docs/security.md. */
export function tableOf({ outcomes, days, falseAlarms, falseAlarmsAlone }: Totals): string {
  const rows = [...new Set(outcomes.map(({ attack }) => attack))].map((attack) => {
    const ofAttack = outcomes.filter((outcome) => outcome.attack === attack);
    const reasons = [...new Set(ofAttack.flatMap((outcome) => outcome.reasons))].toSorted();
    const observed = reasons.map((reason) => `\`${reason}\``).join(', ');
    return `| ${attack} | ${foundOf(ofAttack, ({ day }) => day)} | ${observed} | ${foundOf(ofAttack, ({ dayAlone }) => dayAlone)} |`;
  });
  const [found, alone] = [count(outcomes, ({ day }) => day), count(outcomes, ({ dayAlone }) => dayAlone)];
  return [
    '| Behaviour | detected | by | without the agent’s signals |',
    '|---|---|---|---|',
    ...rows,
    `| **all** | ${found} of ${outcomes.length} | | ${alone} of ${outcomes.length} |`,
    `| **false alarms** | ${falseAlarms} in ${days} days | | ${falseAlarmsAlone} in ${days} days |`,
  ].join('\n');
}

type DayOf = (outcome: Outcome) => number | undefined;

function foundOf(outcomes: readonly Outcome[], dayOf: DayOf): string {
  const days = outcomes.map((outcome) => dayOf(outcome)).filter((day) => day !== undefined);
  if (days.length === 0) return 'no';
  const last = Math.max(...days);
  const when = last === 1 ? 'in the first run' : `by run ${last}`;
  return days.length === outcomes.length ? when : `${days.length} of ${outcomes.length}, ${when}`;
}

function count(outcomes: readonly Outcome[], dayOf: DayOf): number {
  return outcomes.filter((outcome) => dayOf(outcome) !== undefined).length;
}
