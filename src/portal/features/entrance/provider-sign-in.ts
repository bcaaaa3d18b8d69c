import { ACCOUNT_ENDPOINTS } from '../../../protocol/accounts.ts';
import { readProviderReturn } from './provider-return.ts';
import type { ProviderReturn } from './provider-return.ts';

/** Key of the verifier in the session storage of this tab, while the browser is at the provider. */
const VERIFIER_KEY = 'holdfast.verifier';

/** Returns whether sign-in through a provider works here: its cryptography needs a secure context. */
export function canUseProviders(): boolean {
  return isSecureContext;
}

/**
 * Leaves for the provider, which redirects back here. PKCE (RFC 7636) makes the code useless to others.
 *
 * @param invitation the token of an invitation to join by this sign-in
 */
export async function leaveForProvider(name: string, invitation?: string): Promise<void> {
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
  const challenge = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  sessionStorage.setItem(VERIFIER_KEY, verifier);
  const query = new URLSearchParams({
    provider: name,
    redirect_to: `${location.origin}/`,
    code_challenge: base64url(new Uint8Array(challenge)),
    code_challenge_method: 's256',
    ...(invitation === undefined ? {} : { invitation }),
  });
  location.assign(`${ACCOUNT_ENDPOINTS.authorize}?${query.toString()}`);
}

let taken: ProviderReturn | undefined;

/** Reads the result once and removes it from the address. Later calls return the same. */
export function takeProviderReturn(): ProviderReturn {
  if (taken) return taken;
  taken = readProviderReturn(new URLSearchParams(location.search), sessionStorage.getItem(VERIFIER_KEY));
  if (taken.kind === 'none') return taken;
  sessionStorage.removeItem(VERIFIER_KEY);
  history.replaceState(null, '', '/');
  return taken;
}

/** Drops the result, since a code can be used once. */
export function forgetProviderReturn(): void {
  taken = { kind: 'none' };
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
