import { expect, test } from 'vitest';
import { decidePriority, type PriorityFacts } from '../../../../src/os/power/priority-decision.ts';

const facts: PriorityFacts = {
  choice: 'auto',
  attended: false,
  power: { onBattery: false, percent: 80 },
  idleSeconds: 3600,
};
const battery = { onBattery: true, percent: 80 };
const unknown = { onBattery: undefined, percent: undefined };

test.each<[string, Partial<PriorityFacts>, string | undefined]>([
  ['nobody there, on mains', {}, undefined],
  ['somebody there', { idleSeconds: 0 }, 'person-active'],
  ['somebody was there a moment ago', { idleSeconds: 299 }, 'person-active'],
  ['somebody left', { idleSeconds: 300 }, undefined],
  ['nothing known', { idleSeconds: undefined, power: unknown }, undefined],
  ['on battery, nobody there', { power: battery }, 'on-battery'],
  ['on battery, somebody there', { power: battery, idleSeconds: 0 }, 'on-battery'],
  ['somebody waits for it', { attended: true, idleSeconds: 0 }, undefined],
  ['somebody waits for it, on battery', { attended: true, idleSeconds: 0, power: battery }, 'on-battery'],
  ['somebody waits for it, nothing known', { attended: true, idleSeconds: undefined, power: unknown }, undefined],
  ['asked to be low', { choice: 'low' }, 'asked'],
  ['asked to be low, waited for', { choice: 'low', attended: true }, 'asked'],
  ['asked to be normal, on battery', { choice: 'normal', power: battery, idleSeconds: 0 }, undefined],
])('%s', (_, given, expected) => {
  expect(decidePriority({ ...facts, ...given })).toBe(expected);
});
