import { useState } from 'react';
import type { ReactElement } from 'react';
import { useDraft } from './draft.ts';
import { SetEditor } from './set-editor.tsx';
import { SetList } from './set-list.tsx';
import './sets.css';

/** What has just been done, told above the list. */
export type Done =
  | { readonly kind: 'saved'; readonly set: string; readonly passedOver: readonly string[] }
  | { readonly kind: 'removed'; readonly set: string };

export function SetsView(): ReactElement {
  const isEditing = useDraft(({ draft }) => draft !== undefined);
  const [done, setDone] = useState<Done>();
  return isEditing ? (
    <SetEditor onSaved={(set, passedOver) => setDone({ kind: 'saved', set, passedOver })} />
  ) : (
    <SetList done={done} onDone={setDone} />
  );
}
