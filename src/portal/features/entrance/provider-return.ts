/** The result with which the browser returned from an identity provider. */
export type ProviderReturn =
  | { readonly kind: 'none' }
  /** The provider or the service refused. */
  | { readonly kind: 'refused' }
  /** Started in another tab or by somebody else: it could be an attack. */
  | { readonly kind: 'stale' }
  | { readonly kind: 'code'; readonly code: string; readonly verifier: string };

/**
 * Reads the result from the query of the page's address.
 *
 * @param verifier the PKCE verifier that this tab stored before leaving
 */
export function readProviderReturn(query: URLSearchParams, verifier: string | null): ProviderReturn {
  const code = query.get('code');
  if (query.get('error') !== null) return { kind: 'refused' };
  if (code === null) return { kind: 'none' };
  return verifier === null ? { kind: 'stale' } : { kind: 'code', code, verifier };
}
