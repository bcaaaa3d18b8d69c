/** What a scripted call meets in place of, or beside, a good answer. */
export type Fault =
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: string }
  /** 401, and every access token that was given out so far is dead. */
  | { readonly kind: 'token-expired' }
  /** The connection is reset before the body is read. */
  | { readonly kind: 'reset-before' }
  /** The call has its effect, and its answer is lost. */
  | { readonly kind: 'reset-after' }
  /** The headers promise the whole body, which ends after so many bytes. */
  | { readonly kind: 'truncate'; readonly after: number }
  /** One bit of the body's byte at this place is turned. */
  | { readonly kind: 'flip'; readonly at: number }
  /** The presigned address that is given out has expired already. */
  | { readonly kind: 'expired-address' }
  /** The presigned address says that it lives for so long. */
  | { readonly kind: 'short-lived-address'; readonly seconds: number }
  | { readonly kind: 'html'; readonly status?: number }
  /** Another JSON answer; the call has no effect. */
  | { readonly kind: 'answer'; readonly body: unknown; readonly status?: number }
  /** The good answer, this many milliseconds later. */
  | { readonly kind: 'slow'; readonly milliseconds: number };

export const ENDPOINT_NAMES = [
  'backup/init',
  'backup/presign',
  'backup/progress',
  'backup/complete',
  'restore/manifest',
  'restore/presign',
  'auth/password',
  'auth/verify',
  'auth/refresh',
  'auth/device',
  'devices',
  'capabilities',
  'storage/put',
  'storage/get',
] as const;
export type EndpointName = (typeof ENDPOINT_NAMES)[number];

export interface ScriptedFault {
  readonly endpoint: EndpointName;
  /** Counts the endpoint's calls from 1. */
  readonly call: number | 'every';
  readonly fault: Fault;
}

/** Hands out the fault of each call, and knows which have been met. */
export interface FaultScript {
  add(...scripted: readonly ScriptedFault[]): void;
  /** Counts a call and answers its fault, if it has one. */
  next(endpoint: EndpointName): Fault | undefined;
  /** No further call meets a fault. */
  clear(): void;
  callsOf(endpoint: EndpointName): number;
  unfired(): readonly ScriptedFault[];
}

export function faultScript(): FaultScript {
  const entries: { scripted: ScriptedFault; fired: boolean }[] = [];
  const counts = new Map<EndpointName, number>();
  return {
    add(...scripted) {
      for (const one of scripted) entries.push({ scripted: one, fired: false });
    },
    next(endpoint) {
      const call = (counts.get(endpoint) ?? 0) + 1;
      counts.set(endpoint, call);
      const entry = entries.find(
        ({ scripted }) => scripted.endpoint === endpoint && (scripted.call === call || scripted.call === 'every'),
      );
      if (entry) entry.fired = true;
      return entry?.scripted.fault;
    },
    clear() {
      entries.length = 0;
    },
    callsOf: (endpoint) => counts.get(endpoint) ?? 0,
    unfired: () => entries.filter(({ fired }) => !fired).map(({ scripted }) => scripted),
  };
}
