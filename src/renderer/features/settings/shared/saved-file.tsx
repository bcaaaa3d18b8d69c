import type { ReactElement } from 'react';
import { shortPath } from '../../../../strings/short-path.ts';
import { call } from '../../../bridge/bridge.ts';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Notice } from '../../../../ui/feedback/notice.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { useLanguage } from '../../../shared/use-language.ts';

interface SavedFileProps {
  readonly said: string;
  readonly path: string;
  readonly hint?: string;
}

/** Confirms that a file was saved, with a button that shows it. */
export function SavedFile({ said, path, hint }: SavedFileProps): ReactElement {
  const { strings } = useLanguage();
  const { failure, run } = useAction();
  return (
    <Notice tone="good">
      <p>
        {said} <span title={path}>{shortPath(path, 60)}</span>
      </p>
      {hint !== undefined && <p>{hint}</p>}
      <div>
        <Button onPress={() => run(() => call('shell.show-path', { path }))}>{strings.settings.showFile}</Button>
      </div>
      <FailureNotice failure={failure} />
    </Notice>
  );
}
