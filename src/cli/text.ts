const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

/** `0 bytes`, `1.50 kB`, `12.0 GB`: three figures in units of 1,000, as in the app and the portal. */
export function sizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return `${value.toFixed(digits)} ${unit === 0 && bytes === 1 ? 'byte' : UNITS[unit]!}`;
}

/** `1,234,567`; like `toLocaleString`, whose tables for all languages take longer to load than a short command runs. */
export function figureText(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `1 file`, `1,234 files` */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${figureText(count)} ${count === 1 ? one : many}`;
}

/** `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min` */
export function durationText(seconds: number): string {
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** A moment as this computer's clocks show it, with their zone: `2026-11-21 15:05:33 +01:00`. */
export function timeText(moment: number | string): string {
  const date = new Date(moment);
  if (Number.isNaN(date.getTime())) return String(moment);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  const offset = -date.getTimezoneOffset();
  const zone = `${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`;
  return `${day} ${time} ${zone}`;
}

/** Escapes the characters of a name that could move a terminal's cursor or end the line. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    const known = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[character];
    return known ?? `\\u{${character.codePointAt(0)!.toString(16)}}`;
  });
}

/** A name as a shell takes it. */
export function shellWord(name: string): string {
  return /^[\w./@:-]+$/.test(name) ? name : `'${name.replaceAll("'", String.raw`'\''`)}'`;
}
