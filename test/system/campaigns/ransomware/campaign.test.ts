import { describe, expect, test } from 'vitest';
import { ATTACKS } from './attacks.ts';
import { runRansomwareCampaign, tableOf } from './campaign.ts';
import { PEOPLE } from './people.ts';

const NAMES = ['AES in place', 'replaced, a random extension', 'only photos', '10 % a day in place'];

/** `npm run campaign -- ransomware` has all attacks, and more days. */
describe('ransomware signals', () => {
  test('tell attacks from ordinary days', async () => {
    const attacks = ATTACKS.filter(({ name }) => NAMES.includes(name));
    const totals = await runRansomwareCampaign({ days: 10, seed: 1, attacks, people: PEOPLE.slice(0, 1) });
    expect(totals).toMatchObject({ days: 10, falseAlarms: 0 });
    expect(totals.outcomes.map(({ attack, day }) => [attack, day])).toEqual(NAMES.map((name) => [name, 1]));
    expect(tableOf(totals)).toContain('| **all** | 4 of 4 |');
  });
});
