import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import type { View } from '../../../ipc/contract/contract.ts';
import { FailureNotice } from '../../../ui/requests/failure-notice.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Notice } from '../../../ui/feedback/notice.tsx';
import { Tabs } from '../../../ui/layout/tabs.tsx';
import { useAppState } from '../../bridge/use-app-state.ts';
import { useLanguage } from '../../shared/use-language.ts';
import { AboutPart } from './about/about-part.tsx';
import { AccountPart } from './account/account-part.tsx';
import { DestinationSettings } from './destination/destination-settings.tsx';
import { GeneralPart } from './preferences/general-part.tsx';
import { openPart, useOpenedPart } from './opened-part.ts';
import type { Part } from './opened-part.ts';
import { NetworkPart } from './preferences/network-part.tsx';
import { SecurityPart } from './security/security-part.tsx';
import { SessionsPart } from './account/sessions-part.tsx';
import './settings.css';
import { usePreferences } from './preferences/use-preferences.ts';
import { VIEW_TITLE } from '../../shared/view-title.ts';

interface SettingsViewProps {
  readonly onView: (view: View) => void;
  /** The person wants to write the recovery phrase down and confirm it. */
  readonly onPhrase: () => void;
}

/** The preferences for the whole program. Each change is saved immediately. */
export function SettingsView({ onView, onPhrase }: SettingsViewProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.settings;
  const isSignedOut = useAppState((state) => state.needs.some(({ kind }) => kind === 'signed-out')) === true;
  const opened = useOpenedPart((state) => state.part);
  const [usual] = useState<Part>(isSignedOut ? 'account' : 'general');
  // The next time, the usual tab is shown again.
  useEffect(() => () => openPart(undefined), []);
  const control = usePreferences();
  const hasService = useAppState(({ destinations }) => destinations.some(({ kind }) => kind === 'service')) === true;
  return (
    <div className="ui-page settings-page">
      <header className="settings-head">
        <h1 id={VIEW_TITLE}>{strings.common.views.settings}</h1>
        <p role="status" data-live-announcer>
          {control.saved > 0 && control.failure === undefined && (
            <span className="settings-saved" key={control.saved}>
              <Icon name="check" />
              {words.saved}
            </span>
          )}
        </p>
      </header>
      {control.failure && (
        <>
          <Notice tone="warning">
            <p>{words.notSaved}</p>
          </Notice>
          <FailureNotice failure={control.failure} />
        </>
      )}
      <Tabs
        label={strings.common.views.settings}
        selected={opened ?? usual}
        onChange={openPart}
        tabs={[
          { id: 'general', label: words.tabs.general, content: <GeneralPart control={control} /> },
          {
            id: 'account',
            label: words.tabs.account,
            content: (
              <div className="ui-stack">
                <DestinationSettings onView={onView} />
                <AccountPart />
              </div>
            ),
          },
          {
            id: 'security',
            label: words.tabs.security,
            content: (
              <div className="ui-stack">
                <SecurityPart onPhrase={onPhrase} />
                <SessionsPart />
              </div>
            ),
          },
          // Without a service there is nothing to limit.
          ...(hasService
            ? [{ id: 'network' as const, label: words.tabs.network, content: <NetworkPart control={control} /> }]
            : []),
          { id: 'about', label: words.tabs.about, content: <AboutPart control={control} /> },
        ]}
      />
    </div>
  );
}
