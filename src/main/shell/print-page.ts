import { BrowserWindow, session } from 'electron';
import { PAGE_ORIGIN, PAGE_SCHEME } from '../page-address.ts';

const ADDRESS = `${PAGE_ORIGIN}/kit.html`;
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/**
 * Prints HTML to a PDF in a hidden window, without scripts or network, in a session that exists in memory only and is
 * cleared afterwards.
 */
export async function printPage(html: string): Promise<Uint8Array> {
  const partition = session.fromPartition('recovery-kit', { cache: false });
  partition.webRequest.onBeforeRequest(({ url }, answer) => answer({ cancel: url !== ADDRESS }));
  partition.protocol.handle(PAGE_SCHEME, () => {
    const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY };
    return new Response(html, { headers });
  });
  const window = new BrowserWindow({
    show: false,
    webPreferences: { session: partition, javascript: false, sandbox: true, contextIsolation: true },
  });
  try {
    await window.loadURL(ADDRESS);
    return await window.webContents.printToPDF({ preferCSSPageSize: true, printBackground: true });
  } finally {
    window.destroy();
    partition.protocol.unhandle(PAGE_SCHEME);
    await partition.clearData();
  }
}
