import { useState } from 'react';
import type { ReactElement } from 'react';
import { shortPath } from '../../../../strings/short-path.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { ConfirmDialog } from '../../../../ui/dialogs/confirm-dialog.tsx';
import { call } from '../../../bridge/bridge.ts';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { useLanguage } from '../../../shared/use-language.ts';

interface AcceptFolderProps {
  readonly set: string;
  /** That the newest backup refused to take as it was. */
  readonly folder: string;
  /** Called with the backup if the person has stayed. */
  readonly onStarted?: ((run: number) => void) | undefined;
}

const LENGTH = 40;

/** Backs up a set without what was in a folder, once a person has said that it is gone for good. */
export function AcceptFolder({ set, folder, onStarted }: AcceptFolderProps): ReactElement {
  const words = useLanguage().strings.sets.absent;
  const isBusy = useAppState((state) => state.runs.length > 0) === true;
  const [isAsking, setAsking] = useState(false);
  const name = shortPath(folder, LENGTH);
  const accept = async (isShown: () => boolean): Promise<void> => {
    const { run } = await call('runs.accept', { set, folder });
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
