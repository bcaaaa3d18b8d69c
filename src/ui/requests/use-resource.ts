import { useCallback, useEffect, useRef, useState } from 'react';

type State<Value> =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'failed'; readonly failure: unknown }
  | { readonly kind: 'ready'; readonly value: Value };

export type Resource<Value> = State<Value> & {
  /** Loads again; the present value stays until the new one arrives. */
  readonly reload: () => void;
};

/**
 * Loads a value for a view. The newest request wins.
 *
 * @param load loads again whenever it changes, so it has to be stable
 */
export function useResource<Value>(load: () => Promise<Value>): Resource<Value> {
  const [state, setState] = useState<State<Value>>({ kind: 'waiting' });
  const newest = useRef(0);
  const reload = useCallback(() => {
    newest.current += 1;
    const own = newest.current;
    const settle = (settled: State<Value>): void => {
      if (newest.current === own) setState(settled);
    };
    load().then(
      (value) => settle({ kind: 'ready', value }),
      (failure: unknown) => settle({ kind: 'failed', failure }),
    );
  }, [load]);
  useEffect(() => {
    reload();
    return () => {
      newest.current += 1;
    };
  }, [reload]);
  return { ...state, reload };
}
