/**
 * Adopts the computer's current time zone: a process keeps the zone of its start until its TZ is written. A TZ that names
 * a zone takes precedence.
 */
export function followTimeZone(): void {
  if (process.env['TZ'] === undefined) delete process.env['TZ'];
}
