import { useEffect, useState } from 'react';

const EVERY = 10_000;

/** The time in milliseconds, as often as sentences like “12 minutes ago” need it. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const tick = (): void => setNow(Date.now());
    const timer = setInterval(tick, EVERY);
    // A timer of a hidden window is slow: what is seen again is right at once.
    document.addEventListener('visibilitychange', tick);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', tick);
    };
  }, []);
  return now;
}
