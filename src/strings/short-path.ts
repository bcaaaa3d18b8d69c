/**
 * Shortens a path: folders in its middle are replaced by “…”, then characters of its last name. The beginning and the end
 * are the most informative parts.
 *
 * @param most the maximum of characters, including the dots; 8 or more
 */
export function shortPath(path: string, most: number): string {
  if (path.length <= most) return path;
  const separator = path.includes('/') ? '/' : '\\';
  const names = path.split(separator);
  const last = names.at(-1) === '' ? names.slice(-2).join(separator) : names.at(-1)!;
  for (let kept = names.length - 3; kept >= 1; kept -= 1) {
    const head = names.slice(0, Math.ceil(kept / 2) + 1).join(separator);
    const tail = names.slice(names.length - 1 - Math.floor(kept / 2)).join(separator);
    const shorter = [head, '…', tail].join(separator);
    if (shorter.length <= most) return shorter;
  }
  const short = `…${separator}${last}`;
  return short.length <= most ? short : shortName(last, most);
}

function shortName(name: string, most: number): string {
  const letters = Array.from(name);
  const room = most - 1;
  const end = Math.floor(room / 2);
  return `${letters.slice(0, room - end).join('')}…${letters.slice(letters.length - end).join('')}`;
}
