import type { WebContents } from 'electron';
import type { HeldPreview } from './previews.ts';
import type { TemporaryCopies } from './temporary-copies.ts';

export interface DragParts {
  readonly copies: Pick<TemporaryCopies, 'writeSync'>;
  /** The page that the drag begins in; `undefined` if its window was closed meanwhile. */
  readonly contents: Pick<WebContents, 'startDrag'> | undefined;
  /** The file of the picture that is dragged. */
  readonly icon: string;
}

/** Begins to drag a temporary copy out of the window. Where it is dropped, the system copies it. */
export function dragCopy(held: HeldPreview, { copies, contents, icon }: DragParts): void {
  if (!contents) return;
  contents.startDrag({ file: copies.writeSync(held), icon });
}
