import { expect, onTestFinished, test } from 'vitest';
import { agentOf, type Perform } from '../../../../src/agent/agent.ts';
import { OPERATIONS, type OperationName } from '../../../../src/agent/operations/table.ts';
import { HandlerFixture } from '../host/handler-fixture.ts';

const NAMES = Object.keys(OPERATIONS) as OperationName[];

test.each(NAMES)('%s is loaded from its file', async (name) => {
  expect(await OPERATIONS[name].load()).toBeInstanceOf(Function);
});

test('an agent has each operation as a method, and passes on what it is given and where it works', async () => {
  const fixture = new HandlerFixture();
  onTestFinished(() => fixture.close());
  const performed: Parameters<Perform>[] = [];
  const agent = agentOf(fixture.parts, (...asked) => {
    performed.push(asked);
    return Promise.resolve('done');
  });
  const input = { set: 'documents' };
  const run = { signal: new AbortController().signal };
  for (const name of NAMES) {
    const method = agent[name] as (given: object, besides: object) => Promise<unknown>;
    expect(await method(input, run)).toBe('done');
  }
  expect(performed).toEqual(NAMES.map((name) => [name, fixture.parts, input, run]));
});
