import type { ReactElement } from 'react';
import { Segments } from '../../../../ui/choices/segments.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import type { FolderView } from './layout.ts';

interface ViewSwitchProps {
  readonly view: FolderView;
  readonly onChange: (view: FolderView) => void;
}

/** Shows folders as a list or as a grid of pictures. */
export function ViewSwitch({ view, onChange }: ViewSwitchProps): ReactElement {
  const words = useLanguage().strings.restore.browser;
  return (
    <Segments
      label={words.view}
      isLabelHidden
      options={[
        { value: 'list', label: words.list, icon: 'menu' },
        { value: 'grid', label: words.grid, icon: 'grid' },
      ]}
      value={view}
      onChange={onChange}
    />
  );
}
