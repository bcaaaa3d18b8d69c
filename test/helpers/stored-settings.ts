import type { StoredSettings } from '../../src/agent/home/settings.ts';
import type { DestinationEntry } from '../../src/agent/home/destination-entry.ts';

/** Returns the settings of a home, with a folder as its destination unless others are given. */
export function storedSettings({
  destinations = [folderEntry('00000001', '/media/disk')],
  ...more
}: Partial<StoredSettings> = {}): StoredSettings {
  return { version: 1, destinations, keyId: '00112233445566778899aabbccddeeff', sets: [], ...more };
}

/** Returns the entry of a folder in the settings. */
export function folderEntry(id: string, directory: string, more: Partial<DestinationEntry> = {}): DestinationEntry {
  const destination = { kind: 'folder', directory } as const;
  return { id, name: `Disk ${Number(id)}`, destination, deviceId: 'dev_1', deviceName: 'laptop', ...more };
}
