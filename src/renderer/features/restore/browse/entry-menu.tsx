import type { ReactElement } from 'react';
import type { BrowsedEntry } from '../../../../ipc/contract/restore/restore.ts';
import { ContextMenu } from '../../../../ui/buttons/context-menu.tsx';
import type { MenuPlace } from '../../../../ui/buttons/context-menu.tsx';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { isolatedName } from '../../../shared/readable-path.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { setAsking } from '../store/restore-store.ts';
import type { PointTime } from '../store/restore-store.ts';
import { copyPath } from './copy-path.ts';
import { isPackage } from '../packages.ts';

interface EntryMenuProps {
  readonly entry: BrowsedEntry;
  readonly at: MenuPlace;
  readonly point: PointTime;
  /** The destination is away, so that nothing can be fetched. */
  readonly isAway: boolean;
  /** Opens a folder or package, or looks at a file. */
  readonly onOpen: () => void;
  readonly onVersions: () => void;
  readonly onArchive: () => void;
  readonly onClose: () => void;
}

/** What can be done with an entry. */
export function EntryMenu(props: EntryMenuProps): ReactElement {
  const { entry, at, point, isAway, onOpen, onVersions, onArchive, onClose } = props;
  const { strings } = useLanguage();
  const isBusy = useAppState((state) => state.runs.length > 0) === true;
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
                label: isPackage(entry) ? words.contents : isFolder ? words.open : words.look,
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
          isDisabled: isAway,
          onChoose: () => setAsking({ only: { entry, at: point } }),
        },
        {
          id: 'archive',
          label: strings.restore.chosen.archive,
          icon: 'download',
          isDisabled: isAway || isBusy,
          onChoose: onArchive,
        },
        { id: 'copy', label: words.copyPath, icon: 'copy', onChoose: () => copyPath(entry) },
      ]}
    />
  );
}
