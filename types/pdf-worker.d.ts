/** The part of pdf.js that reads documents. It looks for this class in `globalThis.pdfjsWorker` before it starts a thread. */
declare module 'pdfjs-dist/build/pdf.worker.mjs' {
  export const WorkerMessageHandler: unknown;
}
