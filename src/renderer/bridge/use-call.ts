import { useCallback } from 'react';
import { isHoldfastError } from '../../base/errors/errors.ts';
import { failureOf as knownFailureOf } from '../../base/errors/failure.ts';
import type { Failure } from '../../base/errors/failure.ts';
import type { InputOf, OutputOf } from '../../base/calls/contract.ts';
import type { WindowMethods } from '../../ipc/contract/contract.ts';
import { useResource } from '../../ui/requests/use-resource.ts';
import type { Resource } from '../../ui/requests/use-resource.ts';
import { useStable } from './deep-equality.ts';
import { call } from './bridge.ts';

export type CallResource<Name extends keyof WindowMethods> = Resource<OutputOf<WindowMethods, Name>>;

/** The failure that a call rejected with, or that the state holds. Everything else is a bug. */
export function failureOf(error: unknown): Failure {
  if (isHeld(error)) return error;
  return knownFailureOf(error) ?? { code: 'internal', details: { problem: String(error) } };
}

function isHeld(failure: unknown): failure is Failure {
  return typeof failure === 'object' && failure !== null && 'details' in failure && !isHoldfastError(failure);
}

/** Calls the method when the view appears and whenever the input changes; the newest call wins. */
export function useCall<Name extends keyof WindowMethods>(
  name: Name,
  input: InputOf<WindowMethods, Name>,
): CallResource<Name> {
  const stable = useStable(input);
  return useResource(useCallback(() => call(name, stable), [name, stable]));
}
