/** Extended or basic format, with the fraction and the offset in each form that ISO 8601 has. */
const TIME =
  /^(\d{4})(-?)(\d{2})\2(\d{2})[T ](\d{2})(:?)(\d{2})(?:\6(\d{2})(?:[.,](\d{1,30}))?)?(?:Z|([+-]\d{2})(?::?(\d{2}))?)?$/i;

/**
 * Returns a time as `YYYY-MM-DDThh:mm:ss.fffZ` with as many digits of a second as the text has; `undefined` if it is no time in ISO 8601. One
 * without an offset is in UTC, as all times of the interface.
 */
export function isoTime(text: string): string | undefined {
  const parts = TIME.exec(text);
  if (!parts) return undefined;
  const [, year, , month, day, hour, , minute, second = '00', fraction, hours, minutes = '00'] = parts;
  const offset = hours === undefined ? 'Z' : `${hours}:${minutes}`;
  const date = `${year}-${month}-${day}`;
  const at = Date.parse(`${date}T${hour}:${minute}:${second}${offset}`);
  // Date accepts days that a month does not have.
  if (Number.isNaN(at) || new Date(`${date}T00:00:00Z`).getUTCDate() !== Number(day)) return undefined;
  return new Date(at).toISOString().replace('.000Z', `${fraction === undefined ? '' : `.${fraction}`}Z`);
}

/**
 * Returns whether a text of `isoTime` states a time, as precisely as it states any: a service may keep whole seconds, rounded in either way.
 *
 * @param milliseconds since the epoch, rounded down
 */
export function isSameTime(text: string, milliseconds: number): boolean {
  const digits = /\.(\d+)Z$/.exec(text)?.[1]?.length ?? 0;
  const difference = Math.abs(Date.parse(text) - milliseconds);
  return digits >= 3 ? difference === 0 : difference < 10 ** (3 - digits);
}

/**
 * Returns the first time in milliseconds that is not before a restore point of which a service states this time. One with less digits may mean
 * any time of its second; further digits would be lost on the way to a request.
 *
 * @param text of `isoTime`
 */
export function reachingTime(text: string): string {
  const digits = /\.(\d+)Z$/.exec(text)?.[1] ?? '';
  if (digits.length === 3) return text;
  const isBetween = digits.length > 3 && /[1-9]/.test(digits.slice(3));
  const more = digits.length > 3 ? Number(isBetween) : 10 ** (3 - digits.length) - 1;
  return new Date(Date.parse(text) + more).toISOString();
}
