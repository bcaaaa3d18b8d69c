interface TrustedTypes {
  createPolicy(name: 'default', rules: { readonly createHTML: (text: string) => string | null }): unknown;
}

/**
 * Allows clearing markup in a page whose policy forbids making markup from text. react-aria clears its announcements this
 * way, and the refusal would crash the window. Everything else stays forbidden.
 */
export function allowClearing(): void {
  const { trustedTypes } = globalThis as unknown as { readonly trustedTypes?: TrustedTypes };
  trustedTypes?.createPolicy('default', { createHTML: (text) => (text === '' ? '' : null) });
}
