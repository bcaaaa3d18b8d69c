import { z } from 'zod';

/** An opaque identifier, in UTF-16 code units: an index of PostgreSQL holds 2,704 bytes. */
export const identifier = z.string().min(1).max(512);

/** A token or key; a header of Node.js holds 16 KiB. */
export const opaqueToken = z.string().min(1).max(16_000);
