/** Formats a remote of rclone as a destination's address. */
export function rcloneAddress({ remote }: { readonly remote: string }): string {
  return `rclone:${remote}`;
}
