import { useState } from 'react';
import type { ReactElement } from 'react';
import { call } from '../../../bridge/bridge.ts';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { Loaded } from '../../../../ui/requests/loaded.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { DataTable } from '../../../../ui/tables/data-table.tsx';
import { ModalDialog } from '../../../../ui/dialogs/modal-dialog.tsx';
import { Panel } from '../../../../ui/layout/panel.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { useCall } from '../../../bridge/use-call.ts';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { CrashPanel } from './crash-panel.tsx';
import { LIBRARIES } from './libraries.ts';
import { UpdatesPanel } from './updates-panel.tsx';
import type { PreferenceControl } from '../preferences/use-preferences.ts';
import { SavedFile } from '../shared/saved-file.tsx';

interface AboutPartProps {
  readonly control: PreferenceControl;
}

/** The version with its licences, the updates, the data folder and the diagnostics. */
export function AboutPart({ control }: AboutPartProps): ReactElement {
  return (
    <div className="ui-stack">
      <AboutPanel />
      <UpdatesPanel control={control} />
      <DataPanel />
      <DiagnosticsPanel />
      <CrashPanel />
    </div>
  );
}

function DataPanel(): ReactElement {
  const { strings } = useLanguage();
  const words = strings.settings;
  const home = useAppState((state) => state.home) ?? '';
  const { failure, run } = useAction();
  return (
    <Panel
      title={words.data}
      actions={
        <Button kind="quiet" onPress={() => run(() => call('shell.show-path', { path: home }))}>
          {words.showFolder}
        </Button>
      }
    >
      <p className="settings-path ui-path">{home}</p>
      <p className="ui-soft settings-text">{words.dataText}</p>
      <FailureNotice failure={failure} />
    </Panel>
  );
}

function DiagnosticsPanel(): ReactElement {
  const { strings } = useLanguage();
  const words = strings.settings;
  const [isShown, setShown] = useState(false);
  const [saved, setSaved] = useState<string>();
  const { isPending, failure, run } = useAction();
  const save = async (): Promise<void> => setSaved((await call('shell.save-diagnostics', {})).path);
  return (
    <Panel title={words.diagnostics}>
      <p className="ui-soft settings-text">{words.diagnosticsText}</p>
      <div className="ui-row">
        <Button onPress={() => setShown(true)}>{words.preview}</Button>
        <Button isPending={isPending} onPress={() => run(save)}>
          {words.export}
        </Button>
      </div>
      {saved !== undefined && <SavedFile said={words.exported} path={saved} />}
      <FailureNotice failure={failure} />
      {isShown && <DiagnosticsDialog onClose={() => setShown(false)} />}
    </Panel>
  );
}

function DiagnosticsDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const { strings } = useLanguage();
  const words = strings.settings;
  const answer = useCall('diagnostics.text', {});
  const [isCopied, setCopied] = useState(false);
  const { failure, run } = useAction();
  return (
    <ModalDialog title={words.previewTitle} onClose={onClose}>
      <Loaded resource={answer}>
        {({ text }) => (
          <>
            {/* It scrolls, also by keys. */}
            {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
            <pre className="settings-text-box" tabIndex={0} role="region" aria-label={words.diagnostics}>
              {text}
            </pre>
            <FailureNotice failure={failure} />
            <div className="ui-actions">
              <Button onPress={() => run(() => call('shell.copy', { text }).then(() => setCopied(true)))}>
                {isCopied ? words.copied : words.copy}
              </Button>
              <Button kind="primary" onPress={onClose}>
                {strings.common.close}
              </Button>
            </div>
          </>
        )}
      </Loaded>
    </ModalDialog>
  );
}

function AboutPanel(): ReactElement {
  const { strings } = useLanguage();
  const words = strings.settings;
  const version = useAppState((state) => state.version) ?? '';
  const hasNoSandbox = useAppState((state) => state.hasNoSandbox) === true;
  const [isShown, setShown] = useState(false);
  return (
    <Panel title={words.about}>
      <p>{words.version(version)}</p>
      <p className="ui-soft">{words.licence}</p>
      {hasNoSandbox && <p>{words.noSandbox}</p>}
      <div>
        <Button onPress={() => setShown(true)}>{words.libraries}</Button>
      </div>
      {isShown && (
        <ModalDialog title={words.librariesTitle} onClose={() => setShown(false)}>
          <p>{words.librariesText}</p>
          <DataTable
            caption={words.librariesTitle}
            rows={LIBRARIES}
            keyOf={({ name }) => name}
            columns={[
              { id: 'name', label: words.library, cell: ({ name }) => name },
              { id: 'licence', label: words.libraryLicence, cell: ({ licence }) => licence },
            ]}
          />
          <div className="ui-actions">
            <Button kind="primary" onPress={() => setShown(false)}>
              {strings.common.close}
            </Button>
          </div>
        </ModalDialog>
      )}
    </Panel>
  );
}
