import { getDocument, PasswordException, type PDFDocumentProxy, type PDFPageProxy, type RenderTask } from 'pdfjs-dist';
import { WorkerMessageHandler } from 'pdfjs-dist/build/pdf.worker.mjs';
import type { DocumentMessage } from './messages.ts';

// Without a thread: the frame has a process of its own, and an opaque origin may not start one.
Object.assign(globalThis, { pdfjsWorker: { WorkerMessageHandler } });

/** More pages would make a long list of empty boxes, of which a file can name any number. */
const MOST_PAGES = 500;
/** Pixels of an image in the document, and of a drawn page. */
const MOST_IMAGE_PIXELS = 50_000_000;
const MOST_PAGE_PIXELS = 16_000_000;
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
      canvasMaxAreaInBytes: 4 * MOST_IMAGE_PIXELS,
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
  const first = await source.getPage(1);
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

/** A page. It holds pixels only while it is shown. */
class PageBox {
  readonly canvas = document.createElement('canvas');
  readonly #source: PDFDocumentProxy;
  readonly #number: number;
  #isShown = false;
  #task: RenderTask | undefined;
  /** One drawing after the other: a canvas takes only one at a time. */
  #drawing: Promise<void> = Promise.resolve();

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
    this.#drawing = this.#drawing.then(() => this.#update());
  }

  async #update(): Promise<void> {
    this.canvas.width = 0;
    if (!this.#isShown) return;
    try {
      await this.#draw(await this.#source.getPage(this.#number));
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

async function textOf(page: PDFPageProxy): Promise<string> {
  const { items } = await page.getTextContent();
  const text = items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join('');
  return text.slice(0, MOST_CHARACTERS);
}

void open();
