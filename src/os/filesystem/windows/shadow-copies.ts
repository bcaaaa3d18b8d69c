import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFileAtomicallySync } from '../../../base/files/atomic-file.ts';
import { systemCodeOf } from '../../../base/errors/errors.ts';

/** Runs a script of PowerShell. Returns its output; `undefined` if it fails. */
export type PowerShell = (script: string) => Promise<string | undefined>;

export interface ShadowCopy {
  /** @param path entry path on the volume. Returns the entry path in the copy */
  placeOf(path: string): string;
}

/** Windows waits for its writers before it freezes a volume: usually seconds, at most a minute. */
const LIMIT_MS = 180_000;

const DRIVE = /^([A-Z]):\//i;
const ID = /^\{[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}\}$/i;
const DEVICE = /^\\\\\?\\GLOBALROOT\\Device\\HarddiskVolumeShadowCopy\d+$/i;

/**
 * Shadow copies by WMI (Win32_ShadowCopy). It takes an administrator. The ids are recorded in a file as soon as they are known, so that a
 * process that was killed leaves nothing for long: the next one deletes them, and no other program's.
 */
export class WmiShadowCopies {
  readonly #record: string;
  readonly #run: PowerShell;
  /** By drive letter. */
  readonly #copies = new Map<string, ShadowCopy | undefined>();

  /** @param record path of the file with the ids */
  constructor(record: string, run: PowerShell = runPowerShell) {
    this.#record = record;
    this.#run = run;
  }

  /** Deletes the copies of a process that was killed. */
  async sweep(): Promise<void> {
    if (this.#recorded().length > 0) await this.deleteAll();
  }

  async copyFor(path: string): Promise<ShadowCopy | undefined> {
    // Shares of other computers have no copies here.
    const drive = DRIVE.exec(path)?.[1]?.toUpperCase();
    if (drive === undefined) return undefined;
    if (!this.#copies.has(drive)) this.#copies.set(drive, await this.#create(drive));
    return this.#copies.get(drive);
  }

  async #create(drive: string): Promise<ShadowCopy | undefined> {
    const output = await this.#run(createScript(drive));
    const [id, device] = output?.trim().split(/\r?\n/) ?? [];
    if (id === undefined || !ID.test(id)) return undefined;
    this.#write([...this.#recorded(), id]);
    if (device === undefined || !DEVICE.test(device)) return undefined;
    const root = device.replaceAll('\\', '/');
    return { placeOf: (path) => `${root}/${path.replace(DRIVE, '')}` };
  }

  async deleteAll(): Promise<void> {
    const left: string[] = [];
    for (const id of this.#recorded()) {
      if ((await this.#run(deleteScript(id)))?.trim() !== 'gone') left.push(id);
    }
    this.#copies.clear();
    this.#write(left);
  }

  #recorded(): readonly string[] {
    try {
      return readFileSync(this.#record, 'utf8')
        .split('\n')
        .filter((id) => ID.test(id));
    } catch (error) {
      if (systemCodeOf(error) === undefined) throw error;
      return [];
    }
  }

  #write(ids: readonly string[]): void {
    if (ids.length === 0 && this.#recorded().length === 0) return;
    writeFileAtomicallySync(this.#record, ids.join('\n'));
  }
}

/** Context `ClientAccessible`: only its kind can be made by WMI. */
function createScript(drive: string): string {
  return [
    "$ErrorActionPreference = 'Stop'",
    `$made = Invoke-CimMethod -ClassName Win32_ShadowCopy -MethodName Create -Arguments @{ Volume = '${drive}:\\'; Context = 'ClientAccessible' }`,
    'if ($made.ReturnValue -ne 0) { exit 1 }',
    '$made.ShadowID',
    `(Get-CimInstance Win32_ShadowCopy -Filter "ID = '$($made.ShadowID)'").DeviceObject`,
  ].join('; ');
}

function deleteScript(id: string): string {
  return [
    "$ErrorActionPreference = 'Stop'",
    `Get-CimInstance Win32_ShadowCopy -Filter "ID = '${id}'" | Remove-CimInstance`,
    "'gone'",
  ].join('; ');
}

function runPowerShell(script: string): Promise<string | undefined> {
  const words = ['-NoProfile', '-NonInteractive', '-Command', script];
  return new Promise((resolve) => {
    execFile('powershell.exe', words, { timeout: LIMIT_MS, windowsHide: true }, (error, stdout) => {
      resolve(error ? undefined : stdout);
    });
  });
}
