import type { ReactElement } from 'react';
import { call } from '../../bridge.ts';
import { FailureNotice } from '../../shell/failure-notice.tsx';
import { Button } from '../../ui/button.tsx';
import { Panel } from '../../ui/panel.tsx';
import { useAction } from '../../use-action.ts';
import { useAppState } from '../../use-app-state.ts';
import { useLanguage } from '../../use-language.ts';
import { Facts } from './facts.tsx';
import { SignedOut } from './signed-out.tsx';

/** Where backups go, and as which computer. */
export function DestinationPart(): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.settings;
  const destination = useAppState((state) => state.destination);
  const device = useAppState((state) => state.device);
  const isSignedOut = useAppState((state) => state.needs.some(({ kind }) => kind === 'signed-out'));
  const { run, failure } = useAction();
  if (!destination) return <p className="ui-soft">{words.notSetUp}</p>;
  const { kind, place, freeBytes } = destination;
  return (
    <div className="ui-stack">
      {isSignedOut === true && <SignedOut url={place} />}
      <Panel
        title={words.destination}
        actions={
          kind === 'folder' && (
            <Button kind="quiet" onPress={() => run(() => call('shell.show-path', { path: place }))}>
              {words.showFolder}
            </Button>
          )
        }
      >
        <Facts
          facts={[
            [words.kinds[kind], place],
            ...(freeBytes === undefined ? [] : [['', words.free(formats.bytes(freeBytes))] as const]),
            ...(device === undefined ? [] : [[words.device, device.name] as const]),
          ]}
        />
        <FailureNotice failure={failure} />
      </Panel>
      <Panel title={words.another}>
        <p className="ui-soft settings-text">{words.anotherText}</p>
      </Panel>
    </div>
  );
}
