import { PortalFailure } from './failure.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

let onSignedOut = (): void => undefined;

/** @param listener called when the service answers that the session has ended */
export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener;
}

let askForCode = (): Promise<boolean> => Promise.resolve(false);
let asking: Promise<boolean> | undefined;

/** @param listener called when a request takes a fresh code; resolves with whether one was accepted */
export function whenCodeNeeded(listener: () => Promise<boolean>): void {
  askForCode = listener;
}

/**
 * Sends a request to the service that serves this page, so both have the same version.
 *
 * A request that takes a fresh code of the second factor is sent again after the person has entered one.
 *
 * @param parameters values for the `:names` of the path
 * @throws PortalFailure
 */
export async function call<Answer>(
  method: Method,
  path: string,
  options: { readonly parameters?: Readonly<Record<string, string>>; readonly body?: unknown } = {},
): Promise<Answer> {
  const { parameters = {}, body } = options;
  const address = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''));
  const response = await fetch(address, {
    method,
    credentials: 'same-origin',
    ...(method === 'GET' ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body ?? {}) }),
  }).catch((): never => {
    throw new PortalFailure(0, 'offline');
  });
  const text = await response.text();
  const answer: unknown = /json/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : undefined;
  if (response.ok) return answer as Answer;
  const { code = 'internal', detail } = (answer ?? {}) as { code?: string; detail?: string };
  if (code === 'token_invalid' || code === 'token_missing') onSignedOut();
  if (code === 'factor_required' && (await hasFreshCode())) return call(method, path, options);
  const wait = Number(response.headers.get('retry-after') ?? Number.NaN);
  throw new PortalFailure(response.status, code, detail, Number.isNaN(wait) ? undefined : wait);
}

/** Requests that fail together ask once. */
async function hasFreshCode(): Promise<boolean> {
  asking ??= askForCode().finally(() => (asking = undefined));
  return asking;
}
