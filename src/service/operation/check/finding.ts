/** Subjects of the checks in order of output. */
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
  'mail',
  'clock',
] as const;
export type Check = (typeof CHECKS)[number];

/** One line of `service check`. */
export interface Finding {
  readonly check: Check;
  /** With a warning the service runs, but perhaps not as intended; with a failure it does not run. */
  readonly status: 'ok' | 'warning' | 'failed';
  /** The result in one sentence. */
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

/** Returns the code of a system, database or HTTP error, else its name. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.cause === undefined ? error.name : reasonOf(error.cause);
}

/** Rejects with `TIMEOUT` if `work` exceeds the given milliseconds. */
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
