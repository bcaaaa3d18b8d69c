import { z } from 'zod';
import { jsonIn, outputOfPowerShell } from '../../../engine/power/powershell.ts';
import type { DiskMap, FoundDisk } from './disk-map.ts';

/** Win32_LogicalDisk (DriveType 2 removable, 3 local, 4 network), MSFT_Partition and MSFT_Disk. */
const SCRIPT = [
  "$ErrorActionPreference = 'SilentlyContinue'",
  '$drives = @(Get-CimInstance Win32_LogicalDisk | Select-Object DeviceID, DriveType, VolumeName)',
  '$partitions = @(Get-Partition | Where-Object DriveLetter | Select-Object @{n="Letter";e={[string]$_.DriveLetter}}, DiskNumber)',
  '$disks = @(Get-Disk | Select-Object Number, @{n="Bus";e={[string]$_.BusType}}, FriendlyName)',
  '@{ drives = $drives; partitions = $partitions; disks = $disks } | ConvertTo-Json -Depth 3 -Compress',
].join('; ');

const drives = z.object({
  drives: z.array(
    z.object({
      /** `C:` */
      DeviceID: z.string(),
      DriveType: z.int(),
      VolumeName: z.string().nullish(),
    }),
  ),
  partitions: z.array(z.object({ Letter: z.string(), DiskNumber: z.int() })),
  disks: z.array(z.object({ Number: z.int(), Bus: z.string().nullish(), FriendlyName: z.string().nullish() })),
});

const REMOVABLE = 2;
const LOCAL = 3;
const NETWORK = 4;
const EXTERNAL_BUSES: ReadonlySet<string> = new Set(['USB', '1394', 'SD', 'MMC']);

export async function windowsDisks(): Promise<DiskMap> {
  const output = await outputOfPowerShell(SCRIPT);
  return output === undefined ? { found: [], disksOf: letterOf } : windowsDiskMapOf(output);
}

/** @param output of the script above */
export function windowsDiskMapOf(output: string): DiskMap {
  const parsed = drives.safeParse(jsonIn(output));
  if (!parsed.success) return { found: [], disksOf: letterOf };
  const { partitions, disks } = parsed.data;
  const numbersOf = (letter: string): readonly number[] =>
    partitions.filter(({ Letter }) => Letter === letter).map(({ DiskNumber: number }) => number);
  const found = parsed.data.drives.flatMap(({ DeviceID: id, DriveType: type, VolumeName: name }) => {
    if (![REMOVABLE, LOCAL, NETWORK].includes(type)) return [];
    const numbers = numbersOf(id.slice(0, 1));
    const own = disks.filter(({ Number: number }) => numbers.includes(number));
    const isExternal = type === REMOVABLE || own.some(({ Bus: bus }) => EXTERNAL_BUSES.has(bus ?? ''));
    return [
      {
        path: `${id}\\`,
        label: name || own[0]?.FriendlyName || undefined,
        kind: type === NETWORK ? 'network' : isExternal ? 'external' : 'internal',
        disks: numbers.map(String),
      } satisfies FoundDisk,
    ];
  });
  const disksOf = (path: string): readonly string[] | undefined => {
    const letter = letterOf(path)?.[0];
    if (letter === undefined) return undefined;
    const numbers = numbersOf(letter);
    return numbers.length > 0 ? numbers.map(String) : [letter];
  };
  return { found, disksOf };
}

function letterOf(path: string): readonly string[] | undefined {
  const letter = /^([A-Za-z]):/.exec(path)?.[1]?.toUpperCase();
  return letter === undefined ? undefined : [letter];
}
