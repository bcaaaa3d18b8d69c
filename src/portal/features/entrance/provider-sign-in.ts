import { ACCOUNT_ENDPOINTS } from '../../../protocol/accounts.ts';
import { readProviderReturn } from './provider-return.ts';
import type { ProviderReturn } from './provider-return.ts';

/** Where the verifier waits while the browser is at the provider: in this tab, for this page. */
const VERIFIER_KEY = 'holdfast.verifier';

/** Whether this page can sign anybody in through a provider: what it takes is for pages that came safely only. */
export function canUseProviders(): boolean {
  return isSecureContext;
}

/** Leaves for the provider, which leads back here; with PKCE (RFC 7636), so that the code is worth nothing to others. */
export async function leaveForProvider(name: string): Promise<void> {
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
  const challenge = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  sessionStorage.setItem(VERIFIER_KEY, verifier);
  const query = new URLSearchParams({
    provider: name,
    redirect_to: `${location.origin}/`,
    code_challenge: base64url(new Uint8Array(challenge)),
    code_challenge_method: 's256',
  });
  location.assign(`${ACCOUNT_ENDPOINTS.authorize}?${query.toString()}`);
}

let taken: ProviderReturn | undefined;

/** Reads it once, and takes it out of the address; a view may ask twice. */
export function takeProviderReturn(): ProviderReturn {
  if (taken) return taken;
  taken = readProviderReturn(new URLSearchParams(location.search), sessionStorage.getItem(VERIFIER_KEY));
  if (taken.kind === 'none') return taken;
  sessionStorage.removeItem(VERIFIER_KEY);
  history.replaceState(null, '', '/');
  return taken;
}

/** A code is good once: whoever starts again starts without it. */
export function forgetProviderReturn(): void {
  taken = { kind: 'none' };
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
