import { useEffect, useState } from 'react';

/** Milliseconds without a change after which a value is used. */
const REST = 200;

/** Returns a value that a person types once it has not changed for a moment, so that not every letter is a request. */
export function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), REST);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
