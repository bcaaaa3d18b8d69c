/** A fault that replaces or accompanies the normal response of a scripted call. */
export type Fault =
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: string }
  /** Responds 401 and invalidates all access tokens. */
  | { readonly kind: 'token-expired' }
  /** Resets the connection before the body is read. */
  | { readonly kind: 'reset-before' }
  /** The call takes effect, but its response is lost. */
  | { readonly kind: 'reset-after' }
  /** The body ends after this many bytes, although the headers announce all of it. */
  | { readonly kind: 'truncate'; readonly after: number }
  /** Flips one bit of the byte at this position of the body. */
  | { readonly kind: 'flip'; readonly at: number }
  /** Presigns an address that has expired. */
  | { readonly kind: 'expired-address' }
  /** Presigns an address that claims this lifetime. */
  | { readonly kind: 'short-lived-address'; readonly seconds: number }
  | { readonly kind: 'html'; readonly status?: number }
  /** Responds with another JSON body; the call has no effect. */
  | { readonly kind: 'answer'; readonly body: unknown; readonly status?: number }
  /** Delays the normal response by this many milliseconds. */
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

/** Assigns faults to calls, and records which have occurred. */
export interface FaultScript {
  add(...scripted: readonly ScriptedFault[]): void;
  /** Counts a call and returns its fault, if it has one. */
  next(endpoint: EndpointName): Fault | undefined;
  /** Removes all remaining faults. */
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
