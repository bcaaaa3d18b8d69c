import type { ReactElement } from 'react';
import type { View } from '../../../../ipc/contract/contract.ts';
import { SearchField } from '../../../../ui/fields/search-field.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import { FoundFiles } from '../../restore/find/found-files.tsx';
import { setSearch } from '../../restore/store/restore-store.ts';
import { useTypeToFind } from './use-type-to-find.ts';

interface FindFieldProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onView: (view: View) => void;
}

/** Finds a file in all backups while the name is typed. Enter and the buttons of what was found continue in Restore. */
export function FindField({ text, onText, onView }: FindFieldProps): ReactElement {
  const words = useLanguage().strings.restore.find;
  useTypeToFind();
  const go = (): void => {
    if (text.trim() === '') return;
    setSearch(text);
    onView('restore');
  };
  return (
    <>
      <SearchField label={words.field} placeholder={words.hint} value={text} onChange={onText} onSubmit={go} />
      {text.trim() !== '' && <FoundFiles text={text} onOpen={go} />}
    </>
  );
}
