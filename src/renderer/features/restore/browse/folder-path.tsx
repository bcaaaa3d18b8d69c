import type { ReactElement } from 'react';
import { Breadcrumb, Breadcrumbs, Link } from 'react-aria-components';
import { IconButton } from '../../../../ui/buttons/icon-button.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import { PathText } from '../../../shared/path-text.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import { climbTo } from '../store/restore-store.ts';
import type { Step } from '../store/restore-store.ts';

interface FolderPathProps {
  readonly steps: readonly Step[];
  readonly onClimbed: () => void;
}

/** Breadcrumbs from the top to the open folder. */
export function FolderPath({ steps, onClimbed }: FolderPathProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.restore.browser;
  const depth = steps.length - 1;
  const climb = (to: number): void => {
    climbTo(to);
    onClimbed();
  };
  return (
    <div className="restore-path">
      <IconButton icon="up" label={words.up} isDisabled={depth === 0} onPress={() => climb(depth - 1)} />
      <Breadcrumbs className="restore-crumbs" aria-label={words.path}>
        {steps.map((step, index) => (
          <Breadcrumb key={step.path} id={step.path} className="restore-crumb">
            <Link className="restore-crumb-link" onPress={() => climb(index)}>
              {index === 0 ? words.top : <PathText path={step.name} />}
            </Link>
            {index < depth && <Icon name="right" />}
          </Breadcrumb>
        ))}
      </Breadcrumbs>
    </div>
  );
}
