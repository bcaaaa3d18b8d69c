import { useCallback, useEffect, useRef, useState } from 'react';
import { asPortalFailure } from './failure.ts';
import type { PortalFailure } from './failure.ts';

export type Resource<Value> = (
  | { readonly kind: 'waiting' }
  | { readonly kind: 'failed'; readonly failure: PortalFailure }
  | { readonly kind: 'ready'; readonly value: Value }
) & {
  /** Asks again; what was there stays to be seen until the answer is. */
  readonly reload: () => void;
};

type State<Value> =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'failed'; readonly failure: PortalFailure }
  | { readonly kind: 'ready'; readonly value: Value };

/** Something that the service knows, for a view. @param load stays the same as long as it is the same question */
export function useResource<Value>(load: () => Promise<Value>): Resource<Value> {
  const [state, setState] = useState<State<Value>>({ kind: 'waiting' });
  const newest = useRef(0);
  const reload = useCallback(() => {
    newest.current += 1;
    const own = newest.current;
    const settle = (settled: State<Value>): void => {
      if (newest.current === own) setState(settled);
    };
    const ask = async (): Promise<void> => {
      try {
        settle({ kind: 'ready', value: await load() });
      } catch (error) {
        settle({ kind: 'failed', failure: asPortalFailure(error) });
      }
    };
    void ask();
  }, [load]);
  useEffect(() => {
    reload();
    return () => {
      newest.current += 1;
    };
  }, [reload]);
  return { ...state, reload };
}
