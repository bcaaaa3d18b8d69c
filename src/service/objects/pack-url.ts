/** Path of packs below the service's base address. */
export const PACKS_PATH = '/objects/v1/packs';

/** What an address for packs allows: to bring blobs to a backup session, or to fetch those of a restore session. */
export interface PackRequest {
  readonly kind: 'backup' | 'restore';
  readonly sessionId: string;
  /** Unix seconds. */
  readonly expires: number;
}
