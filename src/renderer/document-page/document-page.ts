import { getDocument, PasswordException, type PDFDocumentProxy, type PDFPageProxy, type RenderTask } from 'pdfjs-dist';
import { WorkerMessageHandler } from 'pdfjs-dist/build/pdf.worker.mjs';
import type { DocumentMessage } from './messages.ts';
import { MIB } from '../../model/units.ts';

// Without a thread: the frame has a process of its own, and an opaque origin may not start one.
Object.assign(globalThis, { pdfjsWorker: { WorkerMessageHandler } });

/** Decodes one image after the other. */
class OneByOneDecoder extends ImageDecoder {
  static #last: Promise<unknown> = Promise.resolve();

  override decode(options?: ImageDecodeOptions): Promise<ImageDecodeResult> {
    const decoded = OneByOneDecoder.#last.then(() => super.decode(options));
    OneByOneDecoder.#last = decoded.catch(() => undefined);
    return decoded;
  }
}

// pdf.js decodes all images of a page at the same time where the browser does that aside, and nothing bounds what they take until all are
// decoded. Without the decompression of the browser it inflates one after the other, and no more bytes than an image has.
Reflect.deleteProperty(globalThis, 'DecompressionStream');
Object.assign(globalThis, { ImageDecoder: OneByOneDecoder });

/** More pages would make a long list of empty boxes, of which a file can name any number. */
const MOST_PAGES = 500;
/** Pixels of an image in the document, and of a drawn page. */
const MOST_IMAGE_PIXELS = 50_000_000;
const MOST_PAGE_PIXELS = 16_000_000;
const BYTES_PER_PIXEL = 4;
/** Bytes of all decoded images of a page. Those that come after that are left out: a small file may name any number of large ones. */
const MOST_IMAGE_BYTES = 512 * MIB;
/** Characters of a page that are told to a screen reader. */
const MOST_CHARACTERS = 20_000;
/** The width of a page that cannot be read, by its height: A4. */
const USUAL_RATIO = Math.SQRT1_2;

/** Fetches character maps, fonts and decoders that come with pdf.js. It would fetch them itself from addresses of the web only. */
class BinaryDataFactory {
  async fetch({ kind, filename }: { readonly kind: string; readonly filename: string }): Promise<Uint8Array> {
    const folder = { cMapUrl: 'cmaps', standardFontDataUrl: 'standard_fonts', wasmUrl: 'wasm' }[kind];
    return bytesOf(`${folder ?? 'unknown'}/${filename}`);
  }
}

async function bytesOf(address: string): Promise<Uint8Array> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return new Uint8Array(await answer.arrayBuffer());
}

function tell(message: DocumentMessage): void {
  // The page has an opaque origin, and cannot know the window's. What it tells is no secret.
  parent.postMessage(message, '*');
}

async function open(): Promise<void> {
  try {
    const document = await getDocument({
      data: await bytesOf('content'),
      BinaryDataFactory,
      useWorkerFetch: false,
      // The fonts of the system differ from those that a document names, and in their widths.
      useSystemFonts: false,
      // Only marks the folders as present: the factory has their addresses.
      cMapUrl: 'cmaps/',
      standardFontDataUrl: 'standard_fonts/',
      wasmUrl: 'wasm/',
      maxImageSize: MOST_IMAGE_PIXELS,
      // Reducing images would take a multiple of their memory.
      canvasMaxAreaInBytes: BYTES_PER_PIXEL * MOST_IMAGE_PIXELS,
      disableWorkerRendering: true,
      enableXfa: false,
      verbosity: 0,
    }).promise;
    const shown = Math.min(document.numPages, MOST_PAGES);
    await list(document, shown);
    tell({ kind: 'open', pages: document.numPages, shown });
  } catch (error) {
    tell({ kind: 'failed', reason: error instanceof PasswordException ? 'locked' : 'damaged' });
  }
}

/** Adds a box for each page, of which those near the visible part are drawn. */
async function list(source: PDFDocumentProxy, count: number): Promise<void> {
  const first = await firstReadable(source, count);
  const { width, height } = first.getViewport({ scale: 1 });
  const ratio = width > 0 && height > 0 ? width / height : USUAL_RATIO;
  const pages = new Map<Element, PageBox>();
  const visible = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) pages.get(target)!.show(isIntersecting);
    },
    { rootMargin: '50% 0px' },
  );
  for (let number = 1; number <= count; number += 1) {
    const page = new PageBox(source, number, ratio);
    pages.set(page.canvas, page);
    document.body.append(page.canvas);
    visible.observe(page.canvas);
  }
}

/** Returns the first page that can be read. @throws what the last one throws if none can */
async function firstReadable(source: PDFDocumentProxy, count: number): Promise<PDFPageProxy> {
  for (let number = 1; number < count; number += 1) {
    try {
      return await source.getPage(number);
    } catch {
      // The others may be whole.
    }
  }
  return await source.getPage(Math.max(1, count));
}

/** One page is drawn after the other, so that the bound for its images is one for the document. */
let drawing: Promise<void> = Promise.resolve();

/** A page. It holds pixels only while it is shown, and its decoded images only while it is drawn. */
class PageBox {
  readonly canvas = document.createElement('canvas');
  readonly #source: PDFDocumentProxy;
  readonly #number: number;
  #isShown = false;
  #task: RenderTask | undefined;

  constructor(source: PDFDocumentProxy, number: number, ratio: number) {
    this.#source = source;
    this.#number = number;
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', String(number));
    this.canvas.style.aspectRatio = String(ratio);
  }

  show(isShown: boolean): void {
    if (this.#isShown === isShown) return;
    this.#isShown = isShown;
    this.#task?.cancel();
    drawing = drawing.then(() => this.#update());
  }

  async #update(): Promise<void> {
    this.canvas.width = 0;
    if (!this.#isShown) return;
    try {
      const page = await this.#source.getPage(this.#number);
      boundImages(page);
      try {
        await this.#draw(page);
      } finally {
        page.cleanup();
      }
    } catch {
      // It was cancelled, or is damaged. The other pages can be drawn.
    }
  }

  async #draw(page: PDFPageProxy): Promise<void> {
    const { canvas } = this;
    const { width, height } = page.getViewport({ scale: 1 });
    canvas.style.aspectRatio = String(width / height);
    const wanted = (canvas.clientWidth / width) * devicePixelRatio;
    const viewport = page.getViewport({ scale: Math.min(wanted, Math.sqrt(MOST_PAGE_PIXELS / (width * height))) });
    canvas.width = Math.ceil(viewport.width);
    canvas.height = Math.ceil(viewport.height);
    this.#task = page.render({ canvas, viewport });
    await this.#task.promise;
    canvas.setAttribute('aria-label', `${this.#number}: ${await textOf(page)}`);
  }
}

/** Leaves out the images of a page that are decoded after so many bytes: pdf.js holds all of them until the page is cleaned up. */
function boundImages({ objs }: PDFPageProxy): void {
  let bytes = 0;
  const plain = Object.getPrototypeOf(objs) as PDFObjects;
  const resolve = (id: string, image: DecodedImage | null): void => {
    bytes += sizeOf(image);
    const isTaken = bytes <= MOST_IMAGE_BYTES;
    if (!isTaken) image?.bitmap?.close();
    // `null` is painted as nothing.
    plain.resolve.call(objs, id, isTaken ? image : null);
  };
  Object.assign(objs, { resolve });
}

/** What pdf.js holds of a page, by the part that its types leave out. */
interface PDFObjects {
  resolve(id: string, image: DecodedImage | null): void;
}

interface DecodedImage {
  readonly width: number;
  readonly height: number;
  readonly bitmap?: { close(): void };
  readonly data?: ArrayBufferView;
}

function sizeOf(image: DecodedImage | null): number {
  if (!image) return 0;
  return image.bitmap ? BYTES_PER_PIXEL * image.width * image.height : (image.data?.byteLength ?? 0);
}

async function textOf(page: PDFPageProxy): Promise<string> {
  const { items } = await page.getTextContent();
  const text = items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join('');
  return text.slice(0, MOST_CHARACTERS);
}

void open();
