import { z } from 'zod';
import { wrongUsage } from '../../base/errors/errors.ts';
import { hookCommand, pings, type HookCommand, type Hooks, type Pings } from '../../model/set.ts';
import type { HookText } from '../../ipc/contract/hooks.ts';
import { wordForNoBatchFile } from '../hooks/batch-file.ts';

/** Commands as people write them. */
export interface RequestedHooks {
  readonly before?: HookText | undefined;
  readonly after?: HookText | undefined;
}

/** Parses commands; empty ones are left out. @throws HoldfastError `usage` (`hook-command`, `hook-batch-file`) */
export function hooksOf({ before, after }: RequestedHooks, platform: NodeJS.Platform = process.platform): Hooks {
  const first = commandOf(before, platform);
  const last = commandOf(after, platform);
  return { ...(first && { before: first }), ...(last && { after: last }) };
}

/** Writes commands as `hooksOf` parses them. */
export function hookTexts({ before, after }: Hooks): RequestedHooks {
  return { ...(before && { before: textOf(before) }), ...(after && { after: textOf(after) }) };
}

/** Returns `undefined` if there is no address. @throws HoldfastError `usage` (`ping-address`) */
export function pingsOf(requested: Pings): Pings | undefined {
  const given = Object.entries(requested).flatMap(([kind, text]) => {
    const address = text?.trim() ?? '';
    return address === '' ? [] : [[kind, address] as const];
  });
  if (given.length === 0) return undefined;
  for (const [kind, address] of given) {
    if (!pings.safeParse({ [kind]: address }).success) throw wrongUsage({ problem: 'ping-address', address });
  }
  return pings.parse(Object.fromEntries(given));
}

const wordList = z.array(z.string()).min(1);

/** As in a Dockerfile: a list in JSON is a program with its arguments, anything else a line for the shell. */
function commandOf(text: HookText | undefined, platform: NodeJS.Platform): HookCommand | undefined {
  const line = text?.line.trim() ?? '';
  if (line === '') return undefined;
  const parsed = hookCommand.safeParse({ run: runOf(line), timeoutSeconds: text?.timeoutSeconds });
  if (!parsed.success) throw wrongUsage({ problem: 'hook-command' });
  const { run, timeoutSeconds } = parsed.data;
  const isRefused = platform === 'win32' && typeof run !== 'string' && wordForNoBatchFile(run) !== undefined;
  if (isRefused) throw wrongUsage({ problem: 'hook-batch-file' });
  return { run, ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }) };
}

/** @throws HoldfastError `usage` (`hook-command`) for a list that is wrong. `[ -d /mnt/nas ]` is a line for the shell. */
function runOf(line: string): unknown {
  if (!line.startsWith('[')) return line;
  const words = wordList.safeParse(jsonIn(line));
  if (words.success) return words.data;
  if (line.startsWith('["') || jsonIn(line) !== undefined) throw wrongUsage({ problem: 'hook-command' });
  return line;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function textOf({ run, timeoutSeconds }: HookCommand): HookText {
  const line = typeof run === 'string' ? run : JSON.stringify(run);
  return { line, ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }) };
}
