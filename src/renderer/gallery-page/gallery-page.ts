import { galleryRequest, THUMBNAIL_SIDE, type GalleryMessage } from './messages.ts';

// One picture at a time: the largest takes some hundred megabytes while it is decoded.
let last = Promise.resolve();

addEventListener('message', ({ source, data }: MessageEvent) => {
  if (source !== parent) return;
  const { data: request } = galleryRequest.safeParse(data);
  if (!request) return;
  last = last.then(() => tell(request.picture));
});

async function tell(picture: string): Promise<void> {
  const drawn = await draw(picture).catch(() => undefined);
  const message: GalleryMessage = { picture, drawn };
  // The page has an opaque origin, and cannot know the window's. What it tells is no secret for its parent.
  parent.postMessage(message, { targetOrigin: '*', transfer: drawn ? [drawn.pixels.buffer] : [] });
}

async function draw(picture: string): Promise<NonNullable<GalleryMessage['drawn']>> {
  const answer = await fetch(picture);
  if (!answer.ok) throw new Error(`${answer.status}`);
  // As its camera was held.
  const bitmap = await createImageBitmap(await answer.blob(), { imageOrientation: 'from-image' });
  try {
    const scale = Math.min(1, THUMBNAIL_SIDE / Math.max(bitmap.width, bitmap.height));
    const width = Math.max(1, Math.round(bitmap.width * scale));
    const height = Math.max(1, Math.round(bitmap.height * scale));
    const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })!;
    context.imageSmoothingQuality = 'medium';
    context.drawImage(bitmap, 0, 0, width, height);
    const { data } = context.getImageData(0, 0, width, height);
    return { width, height, pixels: data };
  } finally {
    bitmap.close();
  }
}

parent.postMessage({ picture: '' } satisfies GalleryMessage, '*');
