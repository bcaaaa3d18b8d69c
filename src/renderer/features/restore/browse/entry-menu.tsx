import type { ReactElement } from 'react';
import type { BrowsedEntry } from '../../../../ipc/contract/restore/restore.ts';
import { ContextMenu } from '../../../../ui/buttons/context-menu.tsx';
import type { MenuPlace } from '../../../../ui/buttons/context-menu.tsx';
import { isolatedName } from '../../../shared/readable-path.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { setAsking } from '../store/restore-store.ts';
import type { PointTime } from '../store/restore-store.ts';
import { copyPath } from './copy-path.ts';

interface EntryMenuProps {
  readonly entry: BrowsedEntry;
  readonly at: MenuPlace;
  readonly point: PointTime;
  /** Opens a folder, or looks at a file. */
  readonly onOpen: () => void;
  readonly onVersions: () => void;
  readonly onClose: () => void;
}

/** What can be done with an entry. */
export function EntryMenu({ entry, at, point, onOpen, onVersions, onClose }: EntryMenuProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.restore.menu;
  const isFolder = entry.type === 'directory';
  return (
    <ContextMenu
      label={words.label(isolatedName(entry.name))}
      at={at}
      onClose={onClose}
      choices={[
        ...(entry.type === 'symlink'
          ? []
          : [
              {
                id: 'open',
                label: isFolder ? words.open : words.look,
                icon: isFolder ? ('folder' as const) : ('search' as const),
                onChoose: onOpen,
              },
            ]),
        ...(entry.type === 'file'
          ? [{ id: 'versions', label: words.versions, icon: 'clock' as const, onChoose: onVersions }]
          : []),
        {
          id: 'restore',
          label: strings.restore.chosen.restore,
          icon: 'restore',
          onChoose: () => setAsking({ only: { entry, at: point } }),
        },
        { id: 'copy', label: words.copyPath, icon: 'copy', onChoose: () => copyPath(entry) },
      ]}
    />
  );
}
