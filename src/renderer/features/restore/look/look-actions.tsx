import { useState } from 'react';
import type { DragEvent, ReactElement } from 'react';
import type { ConflictChoice } from '../../../../model/restore-request.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { call } from '../../../bridge/bridge.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import type { CurrentFile } from './use-current-file.ts';
import type { PreviewResource } from './use-preview.ts';

interface LookActionsProps {
  readonly preview: PreviewResource;
  readonly current: CurrentFile;
  readonly onRestore: (conflict: ConflictChoice) => void;
}

/** What can be done with the version that is shown. */
export function LookActions({ preview, current, onRestore }: LookActionsProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.restore.look;
  const { failure, run, isPending } = useAction();
  const [news, setNews] = useState<{ readonly preview: string; readonly text: string }>();
  const held = preview.kind === 'ready' && 'preview' in preview.value ? preview.value.preview : undefined;
  const save = (id: string): Promise<void> =>
    call('preview.save', { preview: id }).then(({ path }) =>
      setNews(path === undefined ? undefined : { preview: id, text: words.saved(path) }),
    );
  const open = (id: string): Promise<void> =>
    call('preview.open-copy', { preview: id }).then(({ isOpened }) =>
      setNews(isOpened ? undefined : { preview: id, text: words.notOpened }),
    );
  const drag = (event: DragEvent, id: string): void => {
    // The system drags the file instead of this element.
    event.preventDefault();
    run(() => call('preview.drag', { preview: id }));
  };
  return (
    <div className="look-foot">
      <FailureNotice failure={failure} />
      {news && news.preview === held && (
        <p className="ui-hint" role="status" data-live-announcer>
          {news.text}
        </p>
      )}
      <div className="look-buttons">
        <div className="ui-row">
          {held !== undefined && (
            <>
              <span className="look-drag" draggable title={words.drag} onDragStart={(event) => drag(event, held)}>
                <Icon name="file" />
                {words.dragShort}
              </span>
              <Button kind="quiet" isPending={isPending} onPress={() => run(() => save(held))}>
                {words.save}
              </Button>
              <Button kind="quiet" isPending={isPending} onPress={() => run(() => open(held))}>
                {words.openCopy}
              </Button>
            </>
          )}
        </div>
        <RestoreButtons state={current.state} onRestore={onRestore} />
      </div>
    </div>
  );
}

interface RestoreButtonsProps {
  readonly state: CurrentFile['state'];
  readonly onRestore: (conflict: ConflictChoice) => void;
}

/** The ways to restore the version. Without a current file nothing can be replaced. */
function RestoreButtons({ state, onRestore }: RestoreButtonsProps): ReactElement | null {
  const words = useLanguage().strings.restore.look;
  switch (state) {
    case 'unknown':
      return null;
    case 'elsewhere':
    case 'gone':
      return (
        <Button kind="primary" onPress={() => onRestore('keep-both')}>
          {state === 'gone' ? words.putBack : words.restoreThis}
        </Button>
      );
    case 'there':
      return (
        <div className="ui-row">
          <Button onPress={() => onRestore('overwrite')}>{words.restoreThis}</Button>
          <Button kind="primary" onPress={() => onRestore('keep-both')}>
            {words.restoreBeside}
          </Button>
        </div>
      );
  }
}
