import { nameOf, parentOf } from '../../../../model/entry-path.ts';
import { useState } from 'react';
import type { KeyboardEvent, ReactElement } from 'react';
import type { ConflictChoice } from '../../../../model/restore-request.ts';
import { Segments } from '../../../../ui/choices/segments.tsx';
import { ModalDialog } from '../../../../ui/dialogs/modal-dialog.tsx';
import { isolatedName, readablePath } from '../../../shared/readable-path.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { RestoreDialog } from '../dialog/restore-dialog.tsx';
import { lookAt } from '../store/restore-store.ts';
import type { Looking } from '../store/restore-store.ts';
import { chosenOnly } from '../store/use-chosen-entries.ts';
import { canCompare, Comparison } from './comparison.tsx';
import { LookActions } from './look-actions.tsx';
import { LookHead } from './look-head.tsx';
import { PreviewPane } from './preview-pane.tsx';
import { useCurrentFile } from './use-current-file.ts';
import { usePreview } from './use-preview.ts';
import { VersionList } from './version-list.tsx';
import { referenceOf, useVersions, versionAt } from './versions.ts';
import type { ShownVersion } from './versions.ts';
import './look.css';

/** Shows a file without restoring it, its versions, and what differs between two of them. */
export function LookDialog({ looking }: { readonly looking: Looking }): ReactElement {
  const { formats } = useLanguage();
  const { source, path, restorePoint } = looking;
  const all = useVersions(looking);
  const [wanted, setWanted] = useState(restorePoint);
  const [conflict, setConflict] = useState<ConflictChoice>();
  const [mode, setMode] = useState(looking.mode);
  const chosen = versionAt(all.versions, wanted);
  const name = nameOf(path);
  if (conflict !== undefined) {
    const { size, modified, to, madeTo } = chosen;
    return (
      <RestoreDialog
        source={source}
        restorePoint={to}
        when={formats.when(madeTo)}
        chosen={chosenOnly({ path, name, type: 'file', size, modified })}
        asking={{ conflict }}
        onClose={() => setConflict(undefined)}
      />
    );
  }
  return (
    <ModalDialog title={isolatedName(name)} isWide onClose={() => lookAt(undefined)}>
      <LookBody
        looking={looking}
        all={all}
        chosen={chosen}
        mode={mode}
        onMode={setMode}
        onChoose={({ to }) => setWanted(to)}
        onRestore={setConflict}
      />
    </ModalDialog>
  );
}

interface LookBodyProps {
  readonly looking: Looking;
  readonly all: ReturnType<typeof useVersions>;
  readonly chosen: ShownVersion;
  readonly mode: Looking['mode'];
  readonly onMode: (mode: Looking['mode']) => void;
  readonly onChoose: (version: ShownVersion) => void;
  readonly onRestore: (conflict: ConflictChoice) => void;
}

function LookBody(props: LookBodyProps): ReactElement {
  const { looking, all, chosen, mode, onMode, onChoose, onRestore } = props;
  const { strings, direction } = useLanguage();
  const words = strings.restore.look;
  const { source, path } = looking;
  const { versions, completeness, isLoading } = all;
  const name = nameOf(path);
  const preview = usePreview(referenceOf(looking, chosen));
  const current = useCurrentFile(looking);
  const isComparable = canCompare(versions, current);
  /** The keys to the left and the right go to the files beside this one, as those up and down go through its versions. */
  const goBeside = (event: KeyboardEvent): void => {
    const isInVersions = event.target instanceof Element && event.target.closest('.look-versions') !== null;
    if (!isInVersions || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    const isForward = (event.key === 'ArrowRight') === (direction === 'ltr');
    looking.neighbour?.(isForward ? 'next' : 'previous')?.();
    event.preventDefault();
  };
  return (
    <div className="look" onKeyDownCapture={goBeside}>
      <LookHead looking={looking} />
      <p className="ui-hint ui-ellipsis" title={readablePath(path)}>
        {strings.restore.find.place(source.set, isolatedName(parentOf(path) || '/'))}
      </p>
      <div className="look-body">
        <div className="look-side">
          <VersionList versions={versions} chosen={chosen} onChoose={onChoose} />
          {!isLoading && completeness && completeness.known < completeness.total && (
            <p className="ui-hint">{strings.restore.find.filling(completeness.known, completeness.total)}</p>
          )}
        </div>
        <div className="look-main">
          {isComparable && (
            <Segments
              label={words.mode}
              isLabelHidden
              options={[
                { value: 'content', label: words.content },
                { value: 'changes', label: words.changes },
              ]}
              value={mode}
              onChange={onMode}
            />
          )}
          {mode === 'changes' && isComparable ? (
            <Comparison looking={looking} versions={versions} chosen={chosen} preview={preview} current={current} />
          ) : (
            <PreviewPane name={name} preview={preview} />
          )}
        </div>
      </div>
      <LookActions preview={preview} current={current} onRestore={onRestore} />
    </div>
  );
}
