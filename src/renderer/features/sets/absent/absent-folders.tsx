import type { ReactElement } from 'react';
import { Notice } from '../../../../ui/feedback/notice.tsx';
import { needSentence } from '../../../../strings/state-sentence.ts';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { AbsentFolderButtons } from './absent-folder-buttons.tsx';

/** The folders that the newest backup of a set did without, each with its ways out. */
export function AbsentFolders({ set }: { readonly set: string }): ReactElement | null {
  const { strings } = useLanguage();
  const needs = useAppState((state) => state.needs) ?? [];
  const absent = needs.flatMap((need) => (need.kind === 'folder-missing' && need.set === set ? need : []));
  if (absent.length === 0) return null;
  return (
    <Notice tone="warning">
      <div className="ui-stack-tight">
        {absent.map((need) => (
          <div key={need.folder} className="ui-between set-absent">
            <p>{needSentence(need, strings)}</p>
            <AbsentFolderButtons set={set} folder={need.folder} />
          </div>
        ))}
        <p className="ui-hint">{strings.home.needHints['folder-missing']}</p>
      </div>
    </Notice>
  );
}
