import type { ReactElement } from 'react';
import { Breadcrumb, Breadcrumbs, Button as AriaButton, Link } from 'react-aria-components';
import { Icon } from '../../../../ui/icon.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import { climbTo } from '../store/restore-store.ts';
import type { Step } from '../store/restore-store.ts';

/** The way down to the folder that is seen; each folder on it leads back there. */
export function FolderPath({ steps }: { readonly steps: readonly Step[] }): ReactElement {
  const { strings } = useLanguage();
  const words = strings.restore.browser;
  const depth = steps.length - 1;
  return (
    <div className="restore-path">
      <AriaButton
        className="ui-button"
        data-kind="quiet"
        data-icon
        aria-label={words.up}
        isDisabled={depth === 0}
        onPress={() => climbTo(depth - 1)}
      >
        <Icon name="up" />
      </AriaButton>
      <Breadcrumbs className="restore-crumbs" aria-label={words.path}>
        {steps.map((step, index) => (
          <Breadcrumb key={step.path} id={step.path} className="restore-crumb">
            <Link className="restore-crumb-link" onPress={() => climbTo(index)}>
              {index === 0 ? words.top : step.name}
            </Link>
            {index < depth && <Icon name="right" />}
          </Breadcrumb>
        ))}
      </Breadcrumbs>
    </div>
  );
}
