/** Bytes that the name of a unit may have as they are. */
const PLAIN = /^[\w:.]$/;

/** Of the name of a unit, in characters (systemd.unit(5)). */
const LONGEST = 255;

/** Returns whether systemd accepts the name of the timer of a set: 233 characters of a set's escaped name. */
export function hasTimerName(set: string): boolean {
  return timerOf(set).length <= LONGEST;
}

/**
 * Returns the name of the timer of a set, escaped as `systemd-escape` does it: the unit passes the name on unescaped.
 *
 * @param set example: `My files`, which becomes `holdfast-backup@My\x20files.timer`
 */
export function timerOf(set: string): string {
  return `holdfast-backup@${escaped(set)}.timer`;
}

/** Source: systemd.unit(5), "String escaping for inclusion in unit names". */
function escaped(text: string): string {
  return [...Buffer.from(text)]
    .map((byte, index) => {
      const letter = String.fromCodePoint(byte);
      if (letter === '/') return '-';
      const isPlain = PLAIN.test(letter) && !(index === 0 && letter === '.');
      return isPlain ? letter : `\\x${byte.toString(16).padStart(2, '0')}`;
    })
    .join('');
}
