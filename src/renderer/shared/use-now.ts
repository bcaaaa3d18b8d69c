import { useEffect, useState } from 'react';

const EVERY = 10_000;

/** Returns the time in milliseconds, updated for sentences such as “12 minutes ago”. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const tick = (): void => setNow(Date.now());
    const timer = setInterval(tick, EVERY);
    // Timers of a hidden window are slow, so the time is updated when it is shown again.
    document.addEventListener('visibilitychange', tick);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', tick);
    };
  }, []);
  return now;
}
