/** Names that Windows reserves for devices, in any case and with any extension. */
const WINDOWS_DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])( *\.|$)/i;

/** Returns whether Windows takes a name for that of a device, whatever its folder. */
export function isDeviceName(name: string): boolean {
  return WINDOWS_DEVICE.test(name);
}
