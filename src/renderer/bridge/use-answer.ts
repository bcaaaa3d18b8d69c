import { useCallback, useEffect, useState } from 'react';
import type { WindowMethods } from '../../ipc/contract/contract.ts';
import { type Failure, failureOf as knownFailureOf } from '../../base/failure.ts';
import type { InputOf, OutputOf } from '../../base/calls/method.ts';
import { call } from './bridge.ts';

export type Answered<Value> = (
  | { readonly kind: 'waiting' }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'ready'; readonly value: Value }
) & { readonly reload: () => void };

/** What a rejected call is to a view. */
export function failureOf(error: unknown): Failure {
  return knownFailureOf(error) ?? { code: 'internal', details: { problem: String(error) } };
}

/** Asks when the view appears and whenever the input has changed; a later answer wins over an earlier one. */
export function useAnswer<Name extends keyof WindowMethods>(
  name: Name,
  input: InputOf<WindowMethods, Name>,
): Answered<OutputOf<WindowMethods, Name>> {
  type Value = OutputOf<WindowMethods, Name>;
  const [held, setHeld] = useState<Omit<Answered<Value>, 'reload'>>({ kind: 'waiting' });
  const [round, setRound] = useState(0);
  const key = JSON.stringify({ input, round });
  useEffect(() => {
    let isCurrent = true;
    call(name, (JSON.parse(key) as { input: InputOf<WindowMethods, Name> }).input).then(
      (value) => isCurrent && setHeld({ kind: 'ready', value } as Omit<Answered<Value>, 'reload'>),
      (error: unknown) =>
        isCurrent && setHeld({ kind: 'failed', failure: failureOf(error) } as Omit<Answered<Value>, 'reload'>),
    );
    return () => {
      isCurrent = false;
    };
  }, [name, key]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  return { ...held, reload } as Answered<Value>;
}
