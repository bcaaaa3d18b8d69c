import type { ReactElement } from 'react';
import { view as views } from '../../ipc/contract.ts';
import type { View } from '../../ipc/contract.ts';
import { ActivityView } from '../features/activity/activity-view.tsx';
import { DevicesView } from '../features/devices/devices-view.tsx';
import { HomeView } from '../features/home/home-view.tsx';
import { RestoreView } from '../features/restore/restore-view.tsx';
import { SetsView } from '../features/sets/sets-view.tsx';
import { SettingsView } from '../features/settings/settings-view.tsx';
import { Icon } from '../ui/icon.tsx';
import type { IconName } from '../ui/icon.tsx';
import { useLanguage } from '../use-language.ts';

const ICONS: Readonly<Record<View, IconName>> = {
  home: 'overview',
  sets: 'backups',
  restore: 'restore',
  activity: 'audit',
  devices: 'device',
  settings: 'settings',
};

interface FrameProps {
  readonly view: View;
  readonly onView: (view: View) => void;
}

/** The views on the left, and the chosen one beside them. */
export function Frame({ view, onView }: FrameProps): ReactElement {
  const { strings } = useLanguage();
  return (
    <div className="frame">
      <a className="frame-skip" href="#content" onClick={focusContent}>
        {strings.common.skip}
      </a>
      <nav className="frame-side" aria-label={strings.common.sections}>
        <ul>
          {views.options.map((one) => (
            <li key={one}>
              <button
                type="button"
                className="frame-link"
                aria-current={one === view ? 'page' : undefined}
                onClick={() => onView(one)}
              >
                <Icon name={ICONS[one]} />
                {strings.common.views[one]}
              </button>
            </li>
          ))}
        </ul>
      </nav>
      <main id="content" tabIndex={-1} className="frame-main">
        <Shown view={view} onView={onView} />
      </main>
    </div>
  );
}

function focusContent(event: { preventDefault: () => void }): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#content')?.focus();
}

function Shown({ view, onView }: FrameProps): ReactElement {
  switch (view) {
    case 'home':
      return <HomeView onView={onView} />;
    case 'sets':
      return <SetsView />;
    case 'restore':
      return <RestoreView />;
    case 'activity':
      return <ActivityView />;
    case 'devices':
      return <DevicesView />;
    case 'settings':
      return <SettingsView />;
  }
}
