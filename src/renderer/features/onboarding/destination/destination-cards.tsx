import type { ReactElement } from 'react';
import type { Place } from '../../../../ipc/contract/setup.ts';
import { Badge } from '../../../../ui/feedback/badge.tsx';
import type { IconName } from '../../../../ui/icon.tsx';
import { RadioCards } from '../../../../ui/choices/radio-cards.tsx';
import type { RadioCard } from '../../../../ui/choices/radio-cards.tsx';
import type { Language } from '../../../../strings/strings.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { diskValue } from '../page/draft.ts';

const ICONS: Readonly<Record<Place['kind'], IconName>> = {
  external: 'usb',
  internal: 'disk',
  network: 'network',
  system: 'disk',
};

interface DestinationCardsProps {
  readonly places: readonly Place[];
  readonly value: string | undefined;
  readonly onChoose: (value: string) => void;
}

/** The disks that were found, and other kinds of destinations. */
export function DestinationCards({ places, value, onChoose }: DestinationCardsProps): ReactElement {
  const language = useLanguage();
  const words = language.strings.onboarding.place;
  return (
    <RadioCards
      label={words.label}
      isLabelHidden
      value={value}
      onChange={onChoose}
      cards={[
        ...places.map((place) => diskCard(place, language)),
        { value: 'folder', title: words.folder, icon: 'folder', hint: words.folderHint },
        { value: 'service', title: words.service, icon: 'cloud', hint: words.serviceHint },
        { value: 'bucket', title: words.bucket, icon: 'bucket', hint: words.bucketHint },
      ]}
    />
  );
}

function diskCard(place: Place, { strings, formats }: Language): RadioCard<string> {
  const words = strings.onboarding.place;
  const isSystem = place.kind === 'system';
  const free = words.freeOf(formats.bytes(place.freeBytes), formats.bytes(place.totalBytes));
  return {
    value: diskValue(place.path),
    // The name of the system's disk means nothing to people.
    title: isSystem ? words.kinds.system : place.label,
    icon: ICONS[place.kind],
    hint: (
      <>
        {isSystem ? place.path : words.kinds[place.kind]}
        {' · '}
        <span className="ui-number">{free}</span>
        {place.isSameDisk && <span className="first-caution">{words.sameDiskHint}</span>}
      </>
    ),
    ...(place.holdsBackups ? { aside: <Badge tone="good">{words.hasBackups}</Badge> } : {}),
  };
}
