import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { method } from '../../../../src/base/calls/contract.ts';
import { serve } from '../../../../src/base/calls/serve-contract.ts';
import type { Failure } from '../../../../src/base/errors/failure.ts';

const CONTRACT = { 'sets.read': method(z.object({ name: z.string() }), z.object({ roots: z.number() })) };
const INTERNAL: Failure = { code: 'internal', details: {} };

/** Calls a method whose handler returns a value. @returns the answer, and the inputs that the handler got */
async function call(name: unknown, input: unknown, value: unknown = { roots: 2 }) {
  const received: unknown[] = [];
  const handlers = {
    'sets.read': (checked: unknown) => {
      received.push(checked);
      return value as { roots: number };
    },
  };
  return { answer: await serve(CONTRACT, handlers, name, input, () => INTERNAL), received };
}

const refused = (problem: string) => ({ ok: false, failure: { code: 'refused', details: { problem } } });

describe('a call over a process border', () => {
  test('gets the answer of its handler', async () => {
    const { answer } = await call('sets.read', { name: 'documents' });
    expect(answer).toEqual({ ok: true, value: { roots: 2 } });
  });

  test.each(['sets.write', 'constructor', 'toString', 'hasOwnProperty', '__proto__', '', 7, null, ['sets.read']])(
    'is refused when its method is %j',
    async (name) => {
      expect(await call(name, {})).toEqual({ answer: refused('method'), received: [] });
    },
  );

  test('is refused when its input is of another form', async () => {
    expect(await call('sets.read', { name: 7 })).toEqual({ answer: refused('input'), received: [] });
  });

  test('passes on nothing that the schema of the input does not have', async () => {
    const { received } = await call('sets.read', { name: 'documents', isAdmin: true });
    expect(received).toEqual([{ name: 'documents' }]);
  });

  test('returns nothing that the schema of the answer does not have', async () => {
    const { answer } = await call('sets.read', { name: 'documents' }, { roots: 2, phrase: 'secret words' });
    expect(answer).toEqual({ ok: true, value: { roots: 2 } });
  });

  test('fails when the answer is of another form', async () => {
    const { answer } = await call('sets.read', { name: 'documents' }, { roots: 'secret words' });
    expect(answer).toEqual({ ok: false, failure: INTERNAL });
  });
});
