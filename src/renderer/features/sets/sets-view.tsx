import { useState } from 'react';
import type { ReactElement } from 'react';
import { toast } from '../../../ui/toast.tsx';
import { useLanguage } from '../../use-language.ts';
import { useDraft } from './draft.ts';
import { SetEditor } from './set-editor.tsx';
import { SetList } from './set-list.tsx';
import './sets.css';

/** A set that was saved without some of its folders, which is told above the list. */
export interface PassedOver {
  readonly set: string;
  readonly paths: readonly string[];
}

export function SetsView(): ReactElement {
  const isEditing = useDraft(({ draft }) => draft !== undefined);
  const words = useLanguage().strings.sets;
  const [passedOver, setPassedOver] = useState<PassedOver>();
  const tell = (set: string, paths: readonly string[]): void => {
    setPassedOver(paths.length === 0 ? undefined : { set, paths });
    if (paths.length === 0) toast(words.saved(set));
  };
  return isEditing ? <SetEditor onSaved={tell} /> : <SetList passedOver={passedOver} />;
}
