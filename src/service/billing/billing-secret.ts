import type { MetadataStore } from '../metadata-store.ts';

/** The text whose UTF-8 bytes sign a payment provider's notices, as with our own webhooks. */
export async function billingSecret(metadata: Pick<MetadataStore, 'secret'>): Promise<string> {
  const bytes = await metadata.secret('billing-notices', 32);
  return `whsec_${bytes.toString('base64url')}`;
}
