import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EVENT_DATA, EVENT_TYPES, webhookBody } from '../../../../src/protocol/webhooks.ts';

const text = readFileSync(new URL('../../../../docs/webhooks.md', import.meta.url), 'utf8');
const examples = [...text.matchAll(/^```json\n(.*?)^```/gms)].map(([, json]) => JSON.parse(json as string) as unknown);

test('docs/webhooks.md shows each event of the interface, field by field', () => {
  const shown = examples.map((example) => {
    const body = webhookBody.parse(example);
    const schema = EVENT_DATA[body.event];
    // Unknown fields would be dropped, so equality means that no field is missing or superfluous.
    expect(schema.parse(body.data)).toEqual(body.data);
    return body.event;
  });
  expect(shown).toEqual(Object.keys(EVENT_DATA));
  expect(new Set(shown)).toEqual(new Set(EVENT_TYPES));
});
