import type { ReactElement } from 'react';
import { Notice } from '../../../../ui/feedback/notice.tsx';
import { absentFolderHint, needSentence } from '../../../../strings/state-sentence.ts';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { AbsentFolderButtons } from './absent-folder-buttons.tsx';

interface AbsentFoldersProps {
  readonly set: string;
  /** Called with a backup that a person has started here. */
  readonly onStarted?: (run: number) => void;
}

/** The folders that the newest backup of a set did without, each with its ways out. */
export function AbsentFolders({ set, onStarted }: AbsentFoldersProps): ReactElement | null {
  const { strings } = useLanguage();
  const needs = useAppState((state) => state.needs) ?? [];
  const absent = needs.flatMap((need) => (need.kind === 'folder-missing' && need.set === set ? need : []));
  if (absent.length === 0) return null;
  const hints = [...new Set(absent.map((need) => absentFolderHint(need, strings)))];
  return (
    <Notice tone="warning">
      <div className="ui-stack-tight">
        {absent.map((need) => (
          <div key={need.folder} className="ui-between set-absent">
            <p>{needSentence(need, strings)}</p>
            <AbsentFolderButtons {...need} onStarted={onStarted} />
          </div>
        ))}
        {hints.map((hint) => (
          <p key={hint} className="ui-hint">
            {hint}
          </p>
        ))}
      </div>
    </Notice>
  );
}
