/**
 * Follows the computer into another time zone: a process keeps the zone that it was started in until its TZ is touched.
 * Where TZ names a zone, that one is meant.
 */
export function followTimeZone(): void {
  if (process.env['TZ'] === undefined) delete process.env['TZ'];
}
