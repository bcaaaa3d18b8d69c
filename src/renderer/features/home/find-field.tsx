import { useState } from 'react';
import type { ReactElement } from 'react';
import type { View } from '../../../ipc/contract/contract.ts';
import { SearchField } from '../../../ui/fields/search-field.tsx';
import { useLanguage } from '../../shared/use-language.ts';
import { setSearch } from '../restore/store/restore-store.ts';

/** Finds a file in all backups: Enter shows what was found in Restore. */
export function FindField({ onView }: { readonly onView: (view: View) => void }): ReactElement {
  const { strings } = useLanguage();
  const words = strings.restore.find;
  const [text, setText] = useState('');
  const find = (): void => {
    if (text.trim() === '') return;
    setSearch(text);
    onView('restore');
  };
  return <SearchField label={words.field} placeholder={words.hint} value={text} onChange={setText} onSubmit={find} />;
}
