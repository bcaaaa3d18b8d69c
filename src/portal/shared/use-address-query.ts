import { useCallback, useEffect, useState } from 'react';

type Values<Name extends string> = Readonly<Record<Name, string>>;

/**
 * The parameters behind the `?` of the address, such as `#/audit?what=team`; empty if they are not there. A change replaces the address,
 * so that a reload or a link shows the same, and leaves the browser's history as it is.
 */
export function useAddressQuery<Name extends string>(
  names: readonly Name[],
): readonly [Values<Name>, (change: Partial<Values<Name>>) => void] {
  const read = useCallback((): Values<Name> => {
    const [, query = ''] = location.hash.split('?');
    const given = new URLSearchParams(query);
    return Object.fromEntries(names.map((name) => [name, given.get(name) ?? ''])) as Values<Name>;
  }, [names]);
  const [values, setValues] = useState(read);
  useEffect(() => {
    const follow = (): void => setValues(read());
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, [read]);
  const change = useCallback(
    (changed: Partial<Values<Name>>): void => {
      const after = { ...read(), ...changed };
      history.replaceState(null, '', addressOf(after));
      setValues(after);
    },
    [read],
  );
  return [values, change];
}

function addressOf(values: Readonly<Record<string, string>>): string {
  const [path = ''] = location.hash.split('?');
  const given = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ''));
  return given.size === 0 ? path : `${path}?${given.toString()}`;
}
