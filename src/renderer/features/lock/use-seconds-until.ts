import { useEffect, useState } from 'react';

/** How many seconds it is until then, as they pass; 0 where it is over, or there is nothing to wait for. Milliseconds. */
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
