import type { ReactElement } from 'react';
import type { AppState } from '../../../../ipc/state.ts';
import type { MountState } from '../../../../ipc/home-state.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Notice } from '../../../../ui/feedback/notice.tsx';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { call } from '../../../bridge/bridge.ts';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import './mount-notices.css';

const mountsOf = (state: AppState): AppState['mounts'] => state.mounts;
const NONE: readonly MountState[] = [];

/** The sets that are open in the file manager, each with the button that closes it. */
export function MountNotices(): ReactElement {
  const mounts = useAppState(mountsOf) ?? NONE;
  return (
    <>
      {mounts.map((mount) => (
        <MountNotice key={mount.id} mount={mount} />
      ))}
    </>
  );
}

function MountNotice({ mount: { id, set, folder, isEnding, isBusy } }: { readonly mount: MountState }): ReactElement {
  const { strings } = useLanguage();
  const words = strings.restore.mount;
  const { run, failure } = useAction();
  const isStuck = isEnding && isBusy;
  return (
    <Notice tone={isStuck ? 'warning' : 'plain'}>
      <div className="mount-notice">
        <div className="mount-notice-text">
          <p>{isStuck ? words.busy(set) : isEnding ? words.ending(set) : words.shown(set)}</p>
          {!isEnding && (
            <p className="ui-hint ui-ellipsis" title={folder}>
              <bdi dir="ltr">{folder}</bdi>
            </p>
          )}
        </div>
        <div className="ui-row">
          {!isEnding && (
            <Button label={words.open(set)} onPress={() => run(() => call('shell.show-path', { path: folder }))}>
              {words.openShort}
            </Button>
          )}
          {(!isEnding || isBusy) && (
            <Button
              label={isStuck ? words.endNow(set) : words.end(set)}
              onPress={() => run(() => call('mounts.end', { id, detaches: isStuck }))}
            >
              {isStuck ? words.endNow(set) : strings.common.close}
            </Button>
          )}
        </div>
      </div>
      <FailureNotice failure={failure} />
    </Notice>
  );
}
