import { z } from 'zod';

/** Pixels of the longer side of a thumbnail. */
export const THUMBNAIL_SIDE = 256;

const side = z.int().min(1).max(THUMBNAIL_SIDE);

/** What the window asks of the page of a gallery: to draw a picture, which it fetches by its name. */
export const galleryRequest = z.object({ picture: z.string().regex(/^[0-9a-f]{32}$/) });
export type GalleryRequest = Readonly<z.infer<typeof galleryRequest>>;

/**
 * What the page tells the window: pixels and never a file, so that nothing of the picture is decoded in the window. `pixels` are RGBA, and missing
 * if the picture cannot be drawn.
 */
export const galleryMessage = z
  .object({
    picture: z.string(),
    drawn: z.object({ width: side, height: side, pixels: z.instanceof(Uint8ClampedArray) }).optional(),
  })
  .refine(({ drawn }) => !drawn || drawn.pixels.length === 4 * drawn.width * drawn.height);
export type GalleryMessage = Readonly<z.infer<typeof galleryMessage>>;
