import { nameOf } from '../../model/entry-path.ts';
import { app, shell } from 'electron';
import type { BrowserWindow } from 'electron';
import { join } from 'node:path';
import type { Call, Handlers } from '../../base/calls/contract.ts';
import { HoldfastError } from '../../base/errors/errors.ts';
import { withInheritedUmask } from '../../base/files/owner-only.ts';
import type { agentMethods } from '../../ipc/contract/contract.ts';
import {
  MOST_PREVIEW_BYTES,
  PREVIEW_BYTES,
  THUMBNAIL_BYTES,
  THUMBNAIL_PIXELS,
} from '../../ipc/contract/restore/preview.ts';
import type { Preview, previewMethods } from '../../ipc/contract/restore/preview.ts';
import type { Language } from '../../strings/strings.ts';
import { askSavePath } from '../shell/ask-save-path.ts';
import { saveFile } from '../shell/save-file.ts';
import { contentKind } from './content-kind.ts';
import { dragCopy } from './drag-copy.ts';
import { pictureSize } from './picture-size.ts';
import { previewAddress } from './preview-pages.ts';
import type { HeldPreview, Previews } from './previews.ts';
import { isProgramName, safeFileName } from './temporary-copies.ts';
import type { TemporaryCopies } from './temporary-copies.ts';
import { textContent } from './text-content.ts';

/** Pixels of a picture that is decoded: 400 MB of memory. */
const MOST_PIXELS = 100_000_000;

export interface PreviewParts {
  readonly agent: Call<typeof agentMethods>;
  readonly previews: Previews;
  readonly copies: TemporaryCopies;
  readonly language: () => Language;
  /** Returns the window that dialogs belong to, while it is open. */
  readonly window: () => BrowserWindow | undefined;
  /** The file of the picture that is dragged. */
  readonly icon: string;
}

/** Handlers for the calls that show a file without restoring it. */
export function previewCalls(parts: PreviewParts): Handlers<typeof previewMethods> {
  const { agent, previews, copies } = parts;
  const held = (preview: string): HeldPreview => {
    const found = previews.find(preview);
    if (!found) throw new HoldfastError('refused', { problem: 'preview' });
    return found;
  };
  return {
    'preview.open': async ({ file, isLarge, isOnDisk }) => {
      const most = isLarge ? MOST_PREVIEW_BYTES : PREVIEW_BYTES;
      const { size, bytes } = await agent('content.read', { file, most, isOnDisk });
      if (!bytes) return { kind: 'too-large', size, isPossible: size <= MOST_PREVIEW_BYTES };
      const name = nameOf(file.path);
      return show(previews, name, bytes);
    },
    'preview.save': async ({ preview }) => {
      const { name, bytes } = held(preview);
      const title = parts.language().strings.shell.dialogs.saveCopy;
      const defaultPath = join(app.getPath('documents'), safeFileName(name));
      const path = await askSavePath(parts.window(), { title, defaultPath });
      return path === undefined ? {} : saveFile(path, bytes);
    },
    'preview.open-copy': async ({ preview }) => {
      const found = held(preview);
      if (isProgramName(found.name)) return { isOpened: false };
      const path = copies.writeSync(found);
      const problem = await withInheritedUmask(() => shell.openPath(path));
      return { isOpened: problem === '' };
    },
    'preview.drag': ({ preview }) => {
      dragCopy(held(preview), { copies, contents: parts.window()?.webContents, icon: parts.icon });
      return {};
    },
    'preview.gallery': () => {
      const gallery = previews.gallery.open();
      return { gallery, address: previewAddress(gallery) };
    },
    'preview.thumbnail': async ({ gallery, file }) => {
      const { bytes } = await agent('content.read', { file, most: THUMBNAIL_BYTES });
      // It may have been closed while the file was fetched.
      if (!previews.gallery.isOpen(gallery)) throw new HoldfastError('refused', { problem: 'preview' });
      const found = bytes && contentKind(bytes);
      if (!bytes || found?.kind !== 'picture') return { kind: 'none' };
      const pixels = pictureSize(bytes, found.type);
      if (!pixels || pixels.width * pixels.height > THUMBNAIL_PIXELS) return { kind: 'none' };
      return { kind: 'picture', picture: previews.gallery.add({ bytes, type: found.type }) };
    },
    'preview.close-gallery': ({ gallery }) => {
      previews.gallery.close(gallery);
      return {};
    },
    'preview.close': ({ preview }) => {
      previews.remove(preview);
      return {};
    },
  };
}

/** Keeps the content, and returns what the window may know of it. */
function show(previews: Previews, name: string, bytes: Uint8Array<ArrayBuffer>): Preview {
  const found = contentKind(bytes);
  const size = bytes.length;
  const hold = (type?: string): { readonly preview: string; readonly size: number } => ({
    preview: previews.add({ name, bytes, type }),
    size,
  });
  switch (found.kind) {
    case 'text':
      return { kind: 'text', ...hold(), ...textContent(bytes) };
    case 'picture': {
      const pixels = pictureSize(bytes, found.type);
      if (!pixels || pixels.width * pixels.height > MOST_PIXELS) {
        return { kind: 'none', ...hold(), reason: pixels ? 'huge-picture' : 'unknown' };
      }
      const shown = hold(found.type);
      return { kind: 'picture', ...shown, address: previewAddress(shown.preview), ...pixels };
    }
    case 'audio':
    case 'pdf': {
      const shown = hold(found.type);
      return { kind: found.kind, ...shown, address: previewAddress(shown.preview) };
    }
    case 'unknown':
    case 'empty':
      return { kind: 'none', ...hold(), reason: found.kind };
  }
}
