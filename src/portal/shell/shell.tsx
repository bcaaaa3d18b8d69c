import { useState } from 'react';
import type { ReactElement } from 'react';
import { Button } from '../../ui/buttons/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import type { IconName } from '../../ui/icon.tsx';
import type { SignedIn } from '../../protocol/portal/portal.ts';
import { entrance } from '../api/calls.ts';
import { Toasts } from '../../ui/feedback/toast.tsx';
import { CONTENT, useLostFocus } from '../../ui/layout/use-lost-focus.ts';
import { useAction } from '../../ui/requests/use-action.ts';
import { AuditPage } from '../features/audit/audit-page.tsx';
import { BackupsPage } from '../features/backups/backups-page.tsx';
import { DevicePage } from '../features/devices/device-page.tsx';
import { DevicesPage } from '../features/devices/devices-page.tsx';
import { OverviewPage } from '../features/overview/overview-page.tsx';
import { SecurityPage } from '../features/security/security-page.tsx';
import { TeamPage } from '../features/team/team-page.tsx';
import { WebhooksPage } from '../features/webhooks/webhooks-page.tsx';
import { useLanguage } from '../strings/language.ts';
import type { LanguageCode } from '../strings/language.ts';
import { sectionAddress, SECTIONS, useView } from '../use-section.ts';
import type { Section, View } from '../use-section.ts';
import { Brand } from '../shared/brand.tsx';
import { focusPage } from '../shared/page.tsx';
import { FailureNotice } from '../../ui/requests/failure-notice.tsx';
import { LanguageChoice } from '../shared/language-choice.tsx';
import { NoFiles } from '../shared/no-files.tsx';
import { CodePrompt } from './code-prompt.tsx';
import './shell.css';

const ICONS: Readonly<Record<Section, IconName>> = {
  overview: 'overview',
  devices: 'device',
  backups: 'backups',
  webhooks: 'webhooks',
  team: 'team',
  security: 'security',
  audit: 'audit',
};

/** Sections of those who do not manage the account. */
const LIMITED: Readonly<Record<string, ReadonlySet<Section>>> = {
  member: new Set<Section>(['overview', 'devices', 'backups', 'security']),
  auditor: new Set<Section>(['overview', 'devices', 'backups', 'team', 'security', 'audit']),
};

const OVERVIEW: View = { section: 'overview', id: undefined, filter: undefined };

interface ShellProps {
  readonly signedIn: SignedIn;
  readonly onSignedOut: () => void;
  readonly onLanguage: (code: LanguageCode) => void;
}

/** The navigation, which is behind a button on a narrow screen, and the selected section. */
export function Shell({ signedIn, onSignedOut, onLanguage }: ShellProps): ReactElement {
  const { strings } = useLanguage();
  const view = useView();
  const { section } = view;
  const [isOpen, setOpen] = useState(false);
  const [explains, setExplains] = useState(false);
  const signOut = useAction();
  useLostFocus(focusPage);
  const sections = SECTIONS.filter((one) => LIMITED[signedIn.user.role]?.has(one) ?? true);
  return (
    <div className="portal">
      <a className="portal-skip" href={`#${CONTENT}`} onClick={focusContent}>
        {strings.shell.skip}
      </a>
      <header className="portal-side" data-open={isOpen}>
        <div className="portal-brand">
          <Brand />
          <button
            type="button"
            className="portal-menu"
            aria-expanded={isOpen}
            aria-controls="sections"
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name={isOpen ? 'close' : 'menu'} />
            <span className="ui-hidden">{strings.shell.openSections}</span>
          </button>
        </div>
        <div className="portal-drawer" id="sections">
          <nav aria-label={strings.shell.sections}>
            <ul>
              {sections.map((one) => (
                <li key={one}>
                  <a
                    className="portal-link"
                    href={sectionAddress(one)}
                    aria-current={one === section ? 'page' : undefined}
                    onClick={() => setOpen(false)}
                  >
                    <Icon name={ICONS[one]} />
                    {strings.sections[one]}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
          <div className="portal-person">
            <p className="ui-small portal-email">{signedIn.user.email}</p>
            <Button kind="quiet" onPress={() => setExplains(true)}>
              <Icon name="lock" />
              {strings.shell.whyNoFiles}
            </Button>
            <div className="ui-row">
              <Button
                isPending={signOut.isPending}
                onPress={() => signOut.run(() => entrance.signOut().then(onSignedOut))}
              >
                {strings.shell.signOut}
              </Button>
              <LanguageChoice onLanguage={onLanguage} />
            </div>
            <FailureNotice failure={signOut.failure} />
          </div>
        </div>
      </header>
      <SectionPage view={sections.includes(section) ? view : OVERVIEW} signedIn={signedIn} />
      {explains && <NoFiles onClose={() => setExplains(false)} />}
      <CodePrompt />
      <Toasts label={strings.shell.messages} closeLabel={strings.common.close} />
    </div>
  );
}

/** Moves the focus without changing the address, which names the section. */
function focusContent(event: { preventDefault: () => void }): void {
  event.preventDefault();
  focusPage();
}

function SectionPage({ view, signedIn }: { readonly view: View; readonly signedIn: SignedIn }): ReactElement {
  const mayManage = LIMITED[signedIn.user.role] === undefined;
  switch (view.section) {
    case 'overview':
      return <OverviewPage mayManage={mayManage} />;
    case 'devices':
      return view.id === undefined ? (
        <DevicesPage key={view.filter ?? ''} status={view.filter} />
      ) : (
        <DevicePage key={view.id} id={view.id} mayManage={mayManage} />
      );
    case 'backups':
      return <BackupsPage mayManage={mayManage} />;
    case 'webhooks':
      return <WebhooksPage />;
    case 'team':
      return <TeamPage user={signedIn.user} />;
    case 'security':
      return <SecurityPage user={signedIn.user} />;
    case 'audit':
      return <AuditPage />;
  }
}
