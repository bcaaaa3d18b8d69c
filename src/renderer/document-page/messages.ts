import { z } from 'zod';

/** What the page of a document tells the window. */
export const documentMessage = z.discriminatedUnion('kind', [
  /** The document is open. Pages after `shown` are not shown. */
  z.object({ kind: z.literal('open'), pages: z.int().min(0), shown: z.int().min(0) }),
  z.object({ kind: z.literal('failed'), reason: z.enum(['locked', 'damaged']) }),
]);
export type DocumentMessage = Readonly<z.infer<typeof documentMessage>>;
