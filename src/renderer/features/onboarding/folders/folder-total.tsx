import type { ReactElement } from 'react';
import { Notice } from '../../../../ui/feedback/notice.tsx';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import type { FolderSize } from './use-folder-sizes.ts';

interface FolderTotalProps {
  readonly roots: readonly string[];
  readonly sizes: ReadonlyMap<string, FolderSize>;
}

/** The total size of the chosen folders, with a warning if it does not fit. */
export function FolderTotal({ roots, sizes }: FolderTotalProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.onboarding.folders;
  const free = useAppState((state) => state.destination?.freeBytes);
  let [bytes, files, isDone] = [0, 0, true];
  for (const root of roots) {
    const size = sizes.get(root);
    if (size === undefined) isDone = false;
    else if (size !== 'failed') {
      bytes += size.bytes;
      files += size.files;
      isDone &&= size.done;
    }
  }
  return (
    <div className="ui-stack-tight">
      <p className="first-total">
        <span>{isDone ? words.total : words.totalSoFar}</span>
        <strong className="ui-number">{words.size(formats.bytes(bytes), files)}</strong>
      </p>
      {free !== undefined && bytes > free && (
        <Notice tone="warning">
          <p>{words.tooMuch(formats.bytes(free))}</p>
        </Notice>
      )}
    </div>
  );
}
