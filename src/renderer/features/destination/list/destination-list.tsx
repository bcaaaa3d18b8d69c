import { useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import type { ConfiguredDestination } from '../../../../ipc/state.ts';
import { isBackedUp } from '../../../../strings/destinations/standing.ts';
import type { Standing } from '../../../../strings/destinations/standing.ts';
import { MenuButton } from '../../../../ui/buttons/menu-button.tsx';
import type { MenuChoice } from '../../../../ui/buttons/menu-choices.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import { useNow } from '../../../shared/use-now.ts';
import { parseSchedule } from '../../../../model/schedule/grammar.ts';
import { scheduleWords } from '../../sets/draft/schedule-words.ts';
import type { DestinationChange } from '../change-destination.tsx';
import { DestinationRow } from './destination-row.tsx';
import { RemoveDialog } from './remove-dialog.tsx';
import { RenameDialog } from './rename-dialog.tsx';
import { ScheduleDialog } from './schedule-dialog.tsx';

type Opened = 'rename' | 'schedule' | 'remove';

interface DestinationListProps {
  readonly standings: readonly Standing[];
  /** Further entries of the menu of a destination. */
  readonly choicesOf: (destination: ConfiguredDestination) => readonly MenuChoice[];
  readonly onChange: (change: DestinationChange, destination: ConfiguredDestination) => void;
}

/** Several destinations, each with a menu of what can be changed. */
export function DestinationList({ standings, choicesOf, onChange }: DestinationListProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.destinations;
  const now = useNow();
  const [opened, setOpened] = useState<{ readonly what: Opened; readonly id: string }>();
  const chosen = standings.find(({ destination }) => destination.id === opened?.id)?.destination;
  const close = (): void => setOpened(undefined);
  const choices = (destination: ConfiguredDestination): readonly MenuChoice[] => {
    const open = (what: Opened) => () => setOpened({ what, id: destination.id });
    const change = (what: DestinationChange) => () => onChange(what, destination);
    return [
      ...choicesOf(destination),
      { id: 'rename', label: words.rename.open, icon: 'edit', onChoose: open('rename') },
      { id: 'schedule', label: words.schedule.open, icon: 'clock', onChoose: open('schedule') },
      { id: 'move', label: strings.destination.move.open, icon: 'search', onChoose: change('move') },
      { id: 'begin', label: strings.destination.begin.open, icon: 'disk', onChoose: change('begin') },
      { id: 'remove', label: words.remove.open, icon: 'remove', isDanger: true, onChoose: open('remove') },
    ];
  };
  return (
    <>
      <ul className="dest-rows">
        {standings.map((standing) => (
          <DestinationRow
            key={standing.destination.id}
            standing={standing}
            isCovered={standings.some((other) => other !== standing && isBackedUp(other))}
            now={now}
            actions={
              <MenuButton
                label={words.actionsOf(standing.destination.name)}
                kind="quiet"
                choices={choices(standing.destination)}
              />
            }
          >
            <Place destination={standing.destination} />
          </DestinationRow>
        ))}
      </ul>
      {chosen && opened?.what === 'rename' && <RenameDialog destination={chosen} onClose={close} />}
      {chosen && opened?.what === 'schedule' && <ScheduleDialog destination={chosen} onClose={close} />}
      {chosen && opened?.what === 'remove' && <RemoveDialog destination={chosen} onClose={close} />}
    </>
  );
}

/** The kind and the location of a destination, and its own schedule if it has one. */
function Place({ destination }: { readonly destination: ConfiguredDestination }): ReactNode {
  const language = useLanguage();
  const { kind, location, schedule, parity = 0 } = destination;
  const { kinds, parity: parityLabel, parityShare } = language.strings.settings;
  return (
    <>
      <p className="ui-small">
        {kinds[kind]} · <bdi>{location}</bdi>
        {parity > 0 && ` · ${language.formats.labelled(parityLabel, parityShare(parity))}`}
      </p>
      {schedule !== undefined && (
        <p className="ui-small ui-soft">
          {language.strings.destinations.schedule.isOwn(
            scheduleWords(parseSchedule(schedule) ?? { kind: 'manual' }, language),
          )}
        </p>
      )}
    </>
  );
}
