const DAY = 86_400_000;

/** A moment as people say it: `14:30`, `tomorrow 14:30`, `Monday 14:30`, `3 Dec 14:30`. Times are milliseconds. */
export function momentWords(at: number, now: number, region: string): string {
  const time = new Intl.DateTimeFormat(region, { timeStyle: 'short' }).format(at);
  const day = dayWords(at, now, region);
  return day === undefined ? time : `${day} ${time}`;
}

/** Nothing for today, whose day needs no word. */
function dayWords(at: number, now: number, region: string): string | undefined {
  const days = Math.round((midnight(at) - midnight(now)) / DAY);
  if (days === 0) return undefined;
  if (Math.abs(days) === 1) return new Intl.RelativeTimeFormat(region, { numeric: 'auto' }).format(days, 'day');
  if (Math.abs(days) < 7) return new Intl.DateTimeFormat(region, { weekday: 'long' }).format(at);
  return new Intl.DateTimeFormat(region, { day: 'numeric', month: 'short' }).format(at);
}

function midnight(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}
