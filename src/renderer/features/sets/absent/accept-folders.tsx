import { useState } from 'react';
import type { ReactElement } from 'react';
import { shortPath } from '../../../../strings/short-path.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { ConfirmDialog } from '../../../../ui/dialogs/confirm-dialog.tsx';
import { call } from '../../../bridge/bridge.ts';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { useLanguage } from '../../../shared/use-language.ts';

interface AcceptFoldersProps {
  readonly set: string;
  /** What the newest backup refused to take as they were; at least one. */
  readonly folders: readonly string[];
  /** Called with the backup if the person has stayed. */
  readonly onStarted?: ((run: number) => void) | undefined;
}

const LENGTH = 40;

/** Backs up a set without what was in some folders, once a person has said that it is gone for good. */
export function AcceptFolders({ set, folders, onStarted }: AcceptFoldersProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.sets.absent;
  const isBusy = useAppState((state) => state.runs.length > 0) === true;
  const [isAsking, setAsking] = useState(false);
  const name = formats.list(folders.map((folder) => shortPath(folder, LENGTH)));
  const accept = async (isShown: () => boolean): Promise<void> => {
    const { run } = await call('runs.accept', { set, folders: [...folders] });
    if (!isShown()) return;
    setAsking(false);
    onStarted?.(run);
  };
  return (
    <>
      <Button label={words.acceptOf(name)} isDisabled={isBusy} onPress={() => setAsking(true)}>
        {words.accept}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={words.acceptTitle(name)}
          confirm={words.acceptConfirm}
          work={accept}
          onClose={() => setAsking(false)}
        >
          <p>{words.acceptText(name, set)}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
