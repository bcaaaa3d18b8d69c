import { useState } from 'react';
import type { ReactElement } from 'react';
import type { UpdateState } from '../../../../ipc/contract/update.ts';
import type { Language } from '../../../../strings/strings.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Switch } from '../../../../ui/choices/switch.tsx';
import { Panel } from '../../../../ui/layout/panel.tsx';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { call } from '../../../bridge/bridge.ts';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { useInstallation } from '../../../shared/use-installation.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import type { PreferenceControl } from '../preferences/use-preferences.ts';
import { NewsDialog } from './news-dialog.tsx';

interface UpdatesPanelProps {
  readonly control: PreferenceControl;
}

/** How Holdfast is updated, how far that is, and what is new. */
export function UpdatesPanel({ control: { preferences, change } }: UpdatesPanelProps): ReactElement {
  const language = useLanguage();
  const words = language.strings.updates;
  const update = useAppState((state) => state.update) ?? { kind: 'none' };
  const hasRuns = useAppState((state) => state.runs.length > 0) === true;
  const [isNewsShown, setNewsShown] = useState(false);
  const look = useAction();
  const { isPending, failure, isHeldUp, install } = useInstallation();
  const sentence = sentenceOf(update, language);
  const canInstall = update.kind === 'ready' || update.kind === 'replaced';
  const isOwnChoice = !canInstall && (update.kind !== 'off' || update.by === 'person');
  const looks = isOwnChoice && update.kind !== 'none' && update.kind !== 'package-manager';
  return (
    <Panel title={words.title}>
      {looks && (
        <Switch
          label={words.look}
          hint={words.lookHint}
          isSelected={preferences.updates}
          onChange={(updates) => change({ updates })}
        />
      )}
      {sentence !== undefined && (
        <p role="status" data-live-announcer>
          {sentence}
        </p>
      )}
      {canInstall && (hasRuns || isHeldUp) && (
        <p className="ui-soft" role="status" data-live-announcer>
          {words.afterRun}
        </p>
      )}
      <div className="ui-row">
        {canInstall && (
          <Button kind="primary" isDisabled={hasRuns} isPending={isPending} onPress={install}>
            {update.kind === 'ready' ? words.install : words.restart}
          </Button>
        )}
        {looks && update.kind !== 'off' && (
          <Button
            isDisabled={hasRuns || update.kind === 'checking' || update.kind === 'downloading'}
            onPress={() => look.run(() => call('update.check', {}))}
          >
            {words.check}
          </Button>
        )}
        <Button onPress={() => setNewsShown(true)}>{words.news}</Button>
      </div>
      <FailureNotice failure={failure ?? look.failure} />
      {isNewsShown && <NewsDialog onClose={() => setNewsShown(false)} />}
    </Panel>
  );
}

/** Returns `undefined` where the switch says it all. */
function sentenceOf(update: UpdateState, { strings: { updates: words }, formats }: Language): string | undefined {
  switch (update.kind) {
    case 'none':
      return words.none;
    case 'package-manager':
      return words.packageManager;
    case 'off':
      return update.by === 'administrator' ? words.byAdministrator : undefined;
    case 'current':
      return update.checkedAt === undefined ? words.notChecked : words.current(formats.dateTime(update.checkedAt));
    case 'checking':
      return words.checking;
    case 'offered':
      return words.offered(update.version);
    case 'system-too-old':
      return words.systemTooOld(update.version);
    case 'downloading':
      return words.downloading(update.version, formats.percent(update.percent / 100));
    case 'ready':
      return words.ready(update.version);
    case 'failed':
      return words.problems[update.problem];
    case 'replaced':
      return words.replaced;
  }
}
