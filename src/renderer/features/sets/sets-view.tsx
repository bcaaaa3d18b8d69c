import { useState } from 'react';
import type { ReactElement } from 'react';
import { toast } from '../../../ui/feedback/toast.tsx';
import { useLanguage } from '../../shared/use-language.ts';
import { useDraft } from './draft/draft.ts';
import { SetEditor } from './editor/set-editor.tsx';
import { SetList } from './set-list.tsx';
import type { PassedOver } from './set-list.tsx';
import './sets.css';

export function SetsView(): ReactElement {
  const isEditing = useDraft(({ draft }) => draft !== undefined);
  const words = useLanguage().strings.sets;
  const [passedOver, setPassedOver] = useState<PassedOver>();
  const showPassedOver = (set: string, paths: readonly string[]): void => {
    setPassedOver(paths.length === 0 ? undefined : { set, paths });
    if (paths.length === 0) toast(words.saved(set));
  };
  return isEditing ? <SetEditor onSaved={showPassedOver} /> : <SetList passedOver={passedOver} />;
}
