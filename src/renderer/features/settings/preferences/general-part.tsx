import type { ReactElement } from 'react';
import type { Preferences } from '../../../../ipc/contract/preferences.ts';
import type { Strings } from '../../../../strings/compiled/en.ts';
import { LANGUAGE_NAMES } from '../../../../strings/strings.ts';
import { Panel } from '../../../../ui/layout/panel.tsx';
import { Segments } from '../../../../ui/choices/segments.tsx';
import { Select } from '../../../../ui/choices/select.tsx';
import { Switch } from '../../../../ui/choices/switch.tsx';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { useCall } from '../../../bridge/use-call.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { ReportPanel } from '../report/report-panel.tsx';
import { DiskAccessPanel } from './disk-access-panel.tsx';
import type { PreferenceControl } from './use-preferences.ts';

interface GeneralPartProps {
  readonly control: PreferenceControl;
}

const DAYS = [0, 1, 3, 7, 14, 30] as const;

export function GeneralPart({ control: { preferences, change } }: GeneralPartProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.settings;
  const abilities = useCall('shell.abilities', {});
  const can = abilities.kind === 'ready' ? abilities.value : undefined;
  const isSetUp = useAppState((state) => state.destination !== undefined) === true;
  const { notifications } = preferences;
  const notify = (part: Partial<Preferences['notifications']>): void =>
    change({ notifications: { ...notifications, ...part } });
  return (
    <div className="ui-stack">
      <Panel title={words.languageSection}>
        <Segments
          label={words.appearance}
          value={preferences.appearance}
          options={(['system', 'light', 'dark'] as const).map((value) => ({ value, label: words.appearances[value] }))}
          onChange={(appearance) => change({ appearance })}
        />
        <div className="settings-narrow">
          <Select
            label={words.language}
            value={preferences.language}
            options={languagesOf(preferences.language, words.languages)}
            onChange={(language) => change({ language })}
          />
        </div>
      </Panel>
      <Panel title={words.background}>
        {can?.startAtLogin === false ? (
          <p className="ui-soft">{words.startAtLoginMissing}</p>
        ) : (
          <Switch
            label={words.startAtLogin}
            hint={words.startAtLoginHint}
            isSelected={preferences.startAtLogin}
            onChange={(startAtLogin) => change({ startAtLogin })}
          />
        )}
        {can?.fileManagers === true && (
          <Switch
            label={words.fileManagers}
            hint={can.platform === 'win32' ? words.explorerHint : words.fileManagersHint}
            isSelected={preferences.fileManagers}
            onChange={(fileManagers) => change({ fileManagers })}
          />
        )}
        <Switch
          label={words.keepAwake}
          hint={words.keepAwakeHint}
          isSelected={preferences.keepAwake}
          onChange={(keepAwake) => change({ keepAwake })}
        />
      </Panel>
      {can?.platform === 'darwin' && <DiskAccessPanel />}
      <Panel title={words.notifications}>
        {can?.notifications === false ? (
          <p className="ui-soft">{words.notificationsMissing}</p>
        ) : (
          <>
            <Switch
              label={words.notifyFailures}
              isSelected={notifications.failures}
              onChange={(failures) => notify({ failures })}
            />
            <Switch
              label={words.notifyRestores}
              isSelected={notifications.restores}
              onChange={(restores) => notify({ restores })}
            />
            <div className="settings-narrow">
              <Select
                label={words.notifyNoBackup}
                value={String(notifications.noBackupDays)}
                options={daysOf(notifications.noBackupDays).map((days) => ({
                  value: String(days),
                  label: days === 0 ? words.noBackupDays.never : words.noBackupDays.days(days),
                }))}
                onChange={(days) => notify({ noBackupDays: Number(days) })}
              />
            </div>
          </>
        )}
      </Panel>
      {isSetUp && <ReportPanel />}
    </div>
  );
}

/** The pseudo-locale is for development: it is offered only if the settings file selects it. */
function languagesOf(
  chosen: Preferences['language'],
  words: Strings['settings']['languages'],
): readonly { readonly value: Preferences['language']; readonly label: string }[] {
  const labels: Readonly<Partial<Record<Preferences['language'], string>>> = {
    system: words.system,
    ...LANGUAGE_NAMES,
    ...(chosen === 'pseudo' && { pseudo: words.pseudo }),
  };
  return Object.entries(labels).map(([value, label]) => ({ value: value as Preferences['language'], label }));
}

function daysOf(chosen: number): readonly number[] {
  return [...new Set([...DAYS, chosen])].toSorted((a, b) => a - b);
}
