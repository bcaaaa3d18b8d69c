/** What was looked at, in the order in which it is told. */
export const CHECKS = [
  'config',
  'user',
  'data',
  'database',
  'objects',
  'address',
  'tls',
  'proxy',
  'webhooks',
  'clock',
] as const;
export type Check = (typeof CHECKS)[number];

/** One line of what `service check` says. */
export interface Finding {
  readonly check: Check;
  /** With a warning the service runs, but perhaps not as it should; with a failure it does not. */
  readonly status: 'ok' | 'warning' | 'failed';
  /** What is so, in a sentence. */
  readonly message: string;
}

export function ok(check: Check, message: string): Finding {
  return { check, status: 'ok', message };
}

export function warning(check: Check, message: string): Finding {
  return { check, status: 'warning', message };
}

export function failed(check: Check, message: string): Finding {
  return { check, status: 'failed', message };
}

/** The code of a system's, database's or HTTP client's error, else its name. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.cause === undefined ? error.name : reasonOf(error.cause);
}

/** Rejects with `TIMEOUT` where `work` takes longer than so many milliseconds. */
export async function inTime<Result>(work: Promise<Result>, milliseconds: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error('no answer in time'), { code: 'TIMEOUT' })), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
