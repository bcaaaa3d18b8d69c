import type { ReactElement } from 'react';
import type { AvailableDisk } from '../../../ipc/contract/setup.ts';
import { Badge } from '../../../ui/feedback/badge.tsx';
import type { IconName } from '../../../ui/icon.tsx';
import { RadioCards } from '../../../ui/choices/radio-cards.tsx';
import type { RadioCard } from '../../../ui/choices/radio-cards.tsx';
import type { Language } from '../../../strings/strings.ts';
import { useLanguage } from '../../shared/use-language.ts';
import { diskValue } from './destination-draft.ts';

const ICONS: Readonly<Record<AvailableDisk['kind'], IconName>> = {
  external: 'usb',
  internal: 'disk',
  network: 'network',
  system: 'disk',
};

interface DestinationCardsProps {
  readonly disks: readonly AvailableDisk[];
  readonly isLooking: boolean;
  readonly value: string | undefined;
  readonly onChoose: (value: string) => void;
}

/** The disks that were found, and other kinds of destinations. */
export function DestinationCards({ disks, isLooking, value, onChoose }: DestinationCardsProps): ReactElement {
  const language = useLanguage();
  const words = language.strings.destinationChoice;
  return (
    <RadioCards
      label={words.label}
      isLabelHidden
      value={value}
      onChange={onChoose}
      cards={[
        ...disks.map((disk) => diskCard(disk, isLooking, language)),
        { value: 'folder', title: words.folder, icon: 'folder', hint: words.folderHint },
        { value: 'server', title: words.server, icon: 'network', hint: words.serverHint },
        { value: 'service', title: words.service, icon: 'cloud', hint: words.serviceHint },
      ]}
    />
  );
}

function diskCard(disk: AvailableDisk, isLooking: boolean, { strings, formats }: Language): RadioCard<string> {
  const words = strings.destinationChoice;
  const isSystem = disk.kind === 'system';
  const free = words.freeOf(formats.bytes(disk.freeBytes), formats.bytes(disk.totalBytes));
  return {
    value: diskValue(disk.path),
    // The name of the system's disk means nothing to people.
    title: isSystem ? words.kinds.system : disk.label,
    icon: ICONS[disk.kind],
    hint: (
      <>
        {isSystem ? <bdi dir="ltr">{disk.folder}</bdi> : words.kinds[disk.kind]}
        {' · '}
        <span className="ui-number">{free}</span>
        {disk.isSameDisk && !isLooking && <span className="destination-caution">{words.sameDiskHint}</span>}
      </>
    ),
    ...(disk.holdsBackups ? { aside: <Badge tone="good">{words.hasBackups}</Badge> } : {}),
  };
}
