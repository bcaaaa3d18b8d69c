import { useEffect, useRef } from 'react';

/** Calls the function whenever the value changes, and not at first. */
export function useOnChange(value: unknown, call: () => void): void {
  const before = useRef(value);
  useEffect(() => {
    if (Object.is(before.current, value)) return;
    before.current = value;
    call();
  }, [value, call]);
}
