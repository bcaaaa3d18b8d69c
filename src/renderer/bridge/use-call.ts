import { useCallback } from 'react';
import { CallFailure, failure } from '../../base/calls/failure.ts';
import type { Failure } from '../../base/calls/failure.ts';
import type { InputOf, OutputOf } from '../../base/calls/method.ts';
import type { WindowMethods } from '../../ipc/contract/contract.ts';
import { useResource } from '../../ui/requests/use-resource.ts';
import type { Resource } from '../../ui/requests/use-resource.ts';
import { useStable } from '../shared/shared-parts.ts';
import { call } from './bridge.ts';

export type CallResource<Name extends keyof WindowMethods> = Resource<OutputOf<WindowMethods, Name>>;

/** The failure that a call rejected with, or that the state holds. Everything else is a bug. */
export function failureOf(error: unknown): Failure {
  if (error instanceof CallFailure) return error.failure;
  const held = failure.safeParse(error);
  return held.success ? held.data : { code: 'internal', details: { problem: String(error) } };
}

/** Calls the method when the view appears and whenever the input changes; the newest call wins. */
export function useCall<Name extends keyof WindowMethods>(
  name: Name,
  input: InputOf<WindowMethods, Name>,
): CallResource<Name> {
  const stable = useStable(input);
  return useResource(useCallback(() => call(name, stable), [name, stable]));
}
