/** Identifies a file as long as it exists. */
export function identityOf({ dev, ino }: { readonly dev: number | bigint; readonly ino: number | bigint }): string {
  return `${dev}:${ino}`;
}
