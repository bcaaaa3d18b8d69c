import { z } from 'zod';
import { method } from '../../../base/calls/contract.ts';
import { destinationId } from '../../../model/destination.ts';
import { setName } from '../../../model/set.ts';

/** Bytes up to which a file is shown at once, and with the person's consent. */
export const PREVIEW_BYTES = 32 * 2 ** 20;
export const MOST_PREVIEW_BYTES = 256 * 2 ** 20;

/** Bytes up to which a picture is fetched for its thumbnail, and the pixels up to which it is decoded for that. */
export const THUMBNAIL_BYTES = 24 * 2 ** 20;
export const THUMBNAIL_PIXELS = 64_000_000;

/** A file of a restore point. */
const fileReference = z.object({
  set: setName,
  device: z.string().optional(),
  destination: destinationId.optional(),
  restorePoint: z.string(),
  /** Entry path. */
  path: z.string(),
});
export type FileReference = Readonly<z.infer<typeof fileReference>>;

/** A file to show; with `isOnDisk`, what is in its original place on this computer now. */
const shownFile = { file: fileReference, isOnDisk: z.boolean().optional() };

/** Names a preview whose content is in the memory of the main process. */
const preview = z.string().regex(/^[0-9a-f]{32}$/);

const held = { preview, size: z.number() };

const shown = z.discriminatedUnion('kind', [
  /** Nothing was fetched. `isPossible` if it may be fetched on request. */
  z.object({ kind: z.literal('too-large'), size: z.number(), isPossible: z.boolean() }),
  /** `isWhole` is false if only the beginning is here. */
  z.object({ kind: z.literal('text'), ...held, text: z.string(), isWhole: z.boolean() }),
  /** `address` of a page for a sandboxed frame. */
  z.object({ kind: z.literal('picture'), ...held, address: z.string(), width: z.int(), height: z.int() }),
  z.object({ kind: z.enum(['audio', 'pdf']), ...held, address: z.string() }),
  z.object({ kind: z.literal('none'), ...held, reason: z.enum(['huge-picture', 'unknown', 'empty']) }),
]);
export type Preview = Readonly<z.infer<typeof shown>>;

const gallery = preview;

/** What a thumbnail is made of: a picture that the gallery's page fetches once by this name. */
const thumbnail = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('picture'), picture: z.string() }),
  /** It is too large, has too many pixels, or is no picture. */
  z.object({ kind: z.literal('none') }),
]);

/** The calls of the main process that show a file of a restore point without restoring it. */
export const previewMethods = {
  /** Fetches a file into memory. Fails with `path_not_found`, `chunk_*` and what reading a restore point fails with. */
  'preview.open': method(z.object({ ...shownFile, isLarge: z.boolean() }), shown),
  /** Asks where, and saves a copy there; `path` is missing if the person cancels it. Fails with `target_*`. */
  'preview.save': method(z.object({ preview }), z.object({ path: z.string().optional() })),
  /** Opens a temporary copy with the program for its kind. `isOpened` is false for programs, which are never started. */
  'preview.open-copy': method(z.object({ preview }), z.object({ isOpened: z.boolean() })),
  /** Begins to drag a temporary copy out of the window. */
  'preview.drag': method(z.object({ preview }), z.object({})),
  /** Forgets the content. */
  /** Opens a gallery: a page for a sandboxed frame, which draws thumbnails. The one before is closed. */
  'preview.gallery': method(z.object({}), z.object({ gallery, address: z.string() })),
  /** Fetches a picture for its thumbnail. Fails as `preview.open`, and with `refused` if the gallery is closed. */
  'preview.thumbnail': method(z.object({ gallery, file: fileReference }), thumbnail),
  'preview.close-gallery': method(z.object({ gallery }), z.object({})),
  'preview.close': method(z.object({ preview }), z.object({})),
} as const;

/** The method of the agent for the main process alone. */
export const privateContentMethods = {
  /** Reads a file into memory; `bytes` is missing if it is larger than `most`. */
  'content.read': method(
    z.object({ ...shownFile, most: z.int().min(0).max(MOST_PREVIEW_BYTES) }),
    z.object({ size: z.number(), bytes: z.instanceof(Uint8Array).optional() }),
  ),
} as const;
