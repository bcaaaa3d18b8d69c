import { useEffect, useRef, useState } from 'react';
import type { Failure } from '../../../../base/failure.ts';
import { DEFAULT_PREFERENCES } from '../../../../ipc/contract/preferences.ts';
import type { Preferences } from '../../../../ipc/contract/preferences.ts';
import { call } from '../../../bridge/bridge.ts';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { failureOf } from '../../../bridge/use-answer.ts';

/** Some preferences as they shall be; `undefined` takes one away. */
export type PreferenceChange = { readonly [Name in keyof Preferences]?: Preferences[Name] | undefined };

export interface PreferenceControl {
  /** As they are, with what is on its way to be saved. */
  readonly preferences: Preferences;
  readonly change: (change: PreferenceChange) => void;
  /** How many changes were saved since the view was opened. */
  readonly saved: number;
  /** Why the last change was taken back. */
  readonly failure: Failure | undefined;
}

interface Held {
  readonly wished: Preferences | undefined;
  /** What was kept when the last change had been saved: `wished` is shown until that changes. */
  readonly since: string;
  readonly inFlight: number;
  readonly saved: number;
  readonly failure: Failure | undefined;
}

const NOTHING: Held = { wished: undefined, since: '', inFlight: 0, saved: 0, failure: undefined };

/** What the person chose for the program as a whole. A change is seen at once, and taken back where it cannot be saved. */
export function usePreferences(): PreferenceControl {
  const kept = useAppState((state) => state.preferences) ?? DEFAULT_PREFERENCES;
  const [held, setHeld] = useState(NOTHING);
  // Each is saved whole, so one waits for the other.
  const queue = useRef(Promise.resolve());
  const newestKept = useRef<Preferences>(null);
  useEffect(() => {
    newestKept.current = kept;
  }, [kept]);

  const isWished = held.inFlight > 0 || held.since === JSON.stringify(kept);
  const preferences = (isWished ? held.wished : undefined) ?? kept;

  const save = async (before: Promise<void>, wished: Preferences): Promise<void> => {
    await before;
    try {
      await call('preferences.save', { preferences: wished });
      const since = JSON.stringify(newestKept.current);
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
