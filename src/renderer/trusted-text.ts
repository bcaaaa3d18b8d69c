interface TrustedTypes {
  createPolicy(name: 'default', rules: { readonly createHTML: (text: string) => string | null }): unknown;
}

/**
 * Lets markup be cleared away, in a page whose policy lets no text become markup: react-aria does so with what it has said
 * to screen readers, and the refusal would take the whole window down. Everything else stays refused.
 */
export function allowClearing(): void {
  const { trustedTypes } = globalThis as unknown as { readonly trustedTypes?: TrustedTypes };
  trustedTypes?.createPolicy('default', { createHTML: (text) => (text === '' ? '' : null) });
}
