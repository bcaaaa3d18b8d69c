import type { KeyboardEvent, ReactElement } from 'react';
import { view as views } from '../../ipc/contract/contract.ts';
import type { View } from '../../ipc/contract/contract.ts';
import { Icon } from '../../ui/icon.tsx';
import type { IconName } from '../../ui/icon.tsx';
import { useAppState } from '../bridge/use-app-state.ts';
import { useLanguage } from '../shared/use-language.ts';
import { BrandMark } from '../shared/brand.tsx';
import { healthStyle } from '../shared/health-styles.ts';
import { IS_MAC } from '../shared/is-mac.ts';

const ICONS: Readonly<Record<View, IconName>> = {
  home: 'home',
  sets: 'backups',
  restore: 'restore',
  activity: 'audit',
  devices: 'device',
  settings: 'settings',
};

interface NavigationProps {
  readonly view: View;
  readonly onView: (view: View) => void;
}

/** The links to the views, for pointer, Tab, arrow keys and Ctrl+number. */
export function Navigation({ view, onView }: NavigationProps): ReactElement {
  const { strings } = useLanguage();
  const device = useAppState((state) => state.device?.name);
  return (
    <nav className="frame-side" aria-label={strings.common.sections}>
      <p className="frame-brand">
        <BrandMark />
        {strings.common.product}
      </p>
      {/* Arrow keys are a short cut; Tab reaches the links, too. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <ul className="frame-links" onKeyDown={moveAlong}>
        {views.options.map((one, index) => (
          <li key={one}>
            <button
              type="button"
              className="frame-link"
              aria-current={one === view ? 'page' : undefined}
              aria-keyshortcuts={`${IS_MAC ? 'Meta' : 'Control'}+${index + 1}`}
              title={strings.common.withControl(IS_MAC, String(index + 1))}
              onClick={() => onView(one)}
            >
              <Icon name={ICONS[one]} />
              <span className="ui-ellipsis frame-link-name">{strings.common.views[one]}</span>
              {one === 'home' && <HealthMark />}
            </button>
          </li>
        ))}
      </ul>
      {device !== undefined && <p className="ui-ellipsis frame-device ui-small ui-soft">{device}</p>}
    </nav>
  );
}

function HealthMark(): ReactElement | null {
  const { strings } = useLanguage();
  const health = useAppState((state) => state.health);
  const tone = useAppState((state) => healthStyle(state).tone);
  if (health === undefined) return null;
  return (
    <span className="frame-mark" data-tone={tone} data-health={health}>
      <span className="ui-hidden">{strings.common.health[health]}</span>
    </span>
  );
}

function moveAlong(event: KeyboardEvent<HTMLUListElement>): void {
  const links = [...event.currentTarget.querySelectorAll('button')];
  const at = links.findIndex((link) => link === document.activeElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 }[event.key];
  const link = to === undefined ? undefined : links.at(to % links.length);
  if (!link) return;
  event.preventDefault();
  link.focus();
}
