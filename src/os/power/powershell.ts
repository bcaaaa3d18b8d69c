import { outputOf } from './program-output.ts';

/** Otherwise PowerShell writes to a pipe in the code page of the console, in which letters of names are lost. */
const IN_UTF8 = '[Console]::OutputEncoding = [Text.Encoding]::UTF8';

/** Returns what Windows PowerShell 5.1 prints for a script; `undefined` if it is missing, fails or does not end in time. */
export function outputOfPowerShell(script: string): Promise<string | undefined> {
  return outputOf('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', `${IN_UTF8}\n${script}`]);
}

/** Returns the JSON value that a script has printed; `undefined` for anything else: policies can leave PowerShell there and forbid what it does. */
export function jsonIn(output: string): unknown {
  try {
    return JSON.parse(output);
  } catch {
    return undefined;
  }
}
