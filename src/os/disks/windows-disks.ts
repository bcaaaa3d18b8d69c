import { z } from 'zod';
import { jsonIn, outputOfPowerShell } from '../power/powershell.ts';
import type { DiskMap, FoundDisk } from './disk-map.ts';

/** Win32_LogicalDisk (DriveType 2 removable, 3 local, 4 network), MSFT_Partition and MSFT_Disk. */
const SCRIPT = [
  "$ErrorActionPreference = 'SilentlyContinue'",
  '$drives = @(Get-CimInstance Win32_LogicalDisk | Select-Object DeviceID, DriveType, VolumeName, ProviderName)',
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
      /** `\\nas\photos`, for a drive of the network. */
      ProviderName: z.string().nullish(),
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
  return output === undefined ? { found: [], disksOf: placeOf } : windowsDiskMapOf(output);
}

/** @param output of the script above */
export function windowsDiskMapOf(output: string): DiskMap {
  const parsed = drives.safeParse(jsonIn(output));
  if (!parsed.success) return { found: [], disksOf: placeOf };
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
    const letter = letterOf(path);
    if (letter === undefined) return placeOf(path);
    const numbers = numbersOf(letter);
    if (numbers.length > 0) return numbers.map(String);
    const share = parsed.data.drives.find(({ DeviceID: id }) => letterOf(id) === letter)?.ProviderName;
    return placeOf(share ?? path);
  };
  return { found, disksOf };
}

/** Returns the letter of a drive, or the name of a share. */
function placeOf(path: string): readonly string[] | undefined {
  const place = letterOf(path) ?? /^[\\/]{2}([^\\/]+[\\/][^\\/]+)/.exec(path)?.[1]?.replace('/', '\\').toLowerCase();
  return place === undefined ? undefined : [place];
}

function letterOf(path: string): string | undefined {
  return /^([A-Za-z]):/.exec(path)?.[1]?.toUpperCase();
}
