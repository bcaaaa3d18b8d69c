import type { MetadataStore } from '../store/metadata-store.ts';

/** What a payment provider signs its notices with: as text, whose UTF-8 bytes are the key, as with our own webhooks. */
export async function billingSecret(metadata: Pick<MetadataStore, 'secret'>): Promise<string> {
  const bytes = await metadata.secret('billing-notices', 32);
  return `whsec_${bytes.toString('base64url')}`;
}
