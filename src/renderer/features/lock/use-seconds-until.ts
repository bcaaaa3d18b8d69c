import { useEffect, useState } from 'react';

/** Counts down the seconds until a time in milliseconds since the epoch; 0 if it has passed or is `undefined`. */
export function useSecondsUntil(time: number | undefined): number {
  const [now, setNow] = useState(() => Date.now());
  const left = time === undefined ? 0 : Math.max(0, Math.ceil((time - now) / 1000));
  useEffect(() => {
    if (time === undefined) return undefined;
    const tick = (): void => setNow(Date.now());
    const first = setTimeout(tick, 0);
    const timer = setInterval(tick, 500);
    return () => {
      clearTimeout(first);
      clearInterval(timer);
    };
  }, [time]);
  return left;
}
