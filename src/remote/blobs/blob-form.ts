import type { Capability } from '../../protocol/extensions.ts';
import type { BlobForm } from '../../format/crypto/blob.ts';

/** Returns how chunks are sealed for a service with these extensions. */
export function blobFormFor(capabilities: ReadonlySet<Capability>): BlobForm {
  return capabilities.has('backup.compression') ? 'packed' : 'plain';
}
