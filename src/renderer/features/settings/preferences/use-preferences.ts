import { useEffect, useRef, useState } from 'react';
import type { Failure } from '../../../../base/errors/failure.ts';
import { DEFAULT_PREFERENCES } from '../../../../ipc/contract/preferences.ts';
import type { Preferences } from '../../../../ipc/contract/preferences.ts';
import { call } from '../../../bridge/bridge.ts';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { failureOf } from '../../../bridge/use-call.ts';
import { isEqual } from '../../../bridge/deep-equality.ts';

/** Changed preferences; `undefined` removes one. */
export type PreferenceChange = { readonly [Name in keyof Preferences]?: Preferences[Name] | undefined };

export interface PreferenceControl {
  /** The preferences, with changes that are being saved. */
  readonly preferences: Preferences;
  readonly change: (change: PreferenceChange) => void;
  /** Number of changes saved since the view was opened. */
  readonly saved: number;
  /** Why the last change was reverted. */
  readonly failure: Failure | undefined;
}

interface Held {
  readonly wished: Preferences | undefined;
  /** The stored preferences at the end of the last save: `wished` is shown until they change. */
  readonly since: Preferences | undefined;
  readonly inFlight: number;
  readonly saved: number;
  readonly failure: Failure | undefined;
}

const NOTHING: Held = { wished: undefined, since: undefined, inFlight: 0, saved: 0, failure: undefined };

/** The preferences for the whole program. A change is shown immediately, and reverted if it cannot be saved. */
export function usePreferences(): PreferenceControl {
  const kept = useAppState((state) => state.preferences) ?? DEFAULT_PREFERENCES;
  const [held, setHeld] = useState(NOTHING);
  // Saves run one after the other, since each writes all preferences.
  const queue = useRef(Promise.resolve());
  const newestKept = useRef<Preferences>(undefined);
  useEffect(() => {
    newestKept.current = kept;
  }, [kept]);

  const isWished = held.inFlight > 0 || isEqual(held.since, kept);
  const preferences = (isWished ? held.wished : undefined) ?? kept;

  const save = async (before: Promise<void>, wished: Preferences): Promise<void> => {
    await before;
    try {
      await call('preferences.save', { preferences: wished });
      const since = newestKept.current;
      setHeld((now) => ({ ...now, since, inFlight: now.inFlight - 1, saved: now.saved + 1 }));
    } catch (error) {
      setHeld((now) => ({
        ...now,
        inFlight: now.inFlight - 1,
        wished: now.inFlight > 1 ? now.wished : undefined,
        failure: failureOf(error),
      }));
    }
  };
  const change = (changed: PreferenceChange): void => {
    const wished = merged(preferences, changed);
    setHeld((now) => ({ ...now, wished, inFlight: now.inFlight + 1, failure: undefined }));
    queue.current = save(queue.current, wished);
  };
  return { preferences, change, saved: held.saved, failure: held.failure };
}

function merged(preferences: Preferences, change: PreferenceChange): Preferences {
  const entries = Object.entries({ ...preferences, ...change }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Preferences;
}
