import type { ReactElement } from 'react';
import type { View } from '../../../ipc/contract/contract.ts';
import type { AppState } from '../../../ipc/state.ts';
import { copiesWords } from '../../../strings/destinations/copies-sentence.ts';
import { isOnOneDisk } from '../../../strings/destinations/one-disk.ts';
import { shortPath } from '../../../strings/short-path.ts';
import { Panel } from '../../../ui/layout/panel.tsx';
import { useLanguage } from '../../shared/use-language.ts';
import { ThinningLine } from './thinning-line.tsx';
import { AddDestinationButton } from '../destination/add-destination-button.tsx';
import { DAY } from '../../../model/units.ts';

const LOCATION_LENGTH = 44;

interface StoragePanelProps {
  readonly state: AppState;
  readonly now: number;
  readonly onView: (view: View) => void;
}

/** Protected data, used space and free space. Several destinations are added up, and each has its own figures in its row. */
export function StoragePanel({ state, now, onView }: StoragePanelProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.home.storage;
  const { storage, destination, destinations } = state;
  const shown = destinations.length > 1 ? { ...storage, ...totalOf(destinations) } : storage;
  return (
    <Panel title={words.title}>
      <dl className="home-storage">
        <Amount name={words.protected} bytes={shown.protectedBytes} />
        <Amount name={words.stored} bytes={shown.storedBytes} />
        <Amount name={words.deduplicated} bytes={shown.savedBytes} />
        <Amount name={words.compressed} bytes={shown.compressedBytes} />
        {destinations.length < 2 && <Amount name={words.free} bytes={destination?.freeBytes} />}
      </dl>
      <div className="ui-stack-tight">
        {destination && destinations.length < 2 && (
          <p className="ui-small ui-soft">
            {words.at} <code title={destination.location}>{shortPath(destination.location, LOCATION_LENGTH)}</code>
          </p>
        )}
        {shown.savedBytes !== undefined && <p className="ui-small ui-soft">{words.deduplicatedHint}</p>}
        <Growths destinations={destinations} now={now} />
        {destinations.length > 1 && (shown.storedBytes ?? shown.savedBytes ?? shown.compressedBytes) !== undefined && (
          <p className="ui-small ui-soft">{words.together}</p>
        )}
      </div>
      {state.runs.length === 0 && <ThinningLine stored={shown.storedBytes} sets={state.sets} onView={onView} />}
      {destinations.length === 1 && !isOnOneDisk(state) && <OnlyCopy state={state} now={now} />}
    </Panel>
  );
}

/** A forecast of more than a month ahead is rounded to a month. */
const FULL_WARNING_MS = 30 * DAY;

/** The growth of the only destination, and when the space of each runs out. */
function Growths({
  destinations,
  now,
}: Pick<AppState, 'destinations'> & { readonly now: number }): ReactElement | null {
  const { strings, formats } = useLanguage();
  const words = strings.home.storage;
  const lines = destinations.flatMap(({ id, name, storage: { growth, fullAt } }) => {
    const isSoon = fullAt !== undefined && fullAt < now + FULL_WARNING_MS;
    const end =
      fullAt === undefined ? [] : [isSoon ? words.fullSoon(formats.day(fullAt)) : words.full(formats.month(fullAt))];
    if (destinations.length > 1) return end.map((sentence) => ({ id, isSoon, text: words.fullAt(name, sentence) }));
    if (!growth) return [];
    const { bytes, days } = growth;
    const size = formats.bytes(Math.abs(bytes));
    const change = bytes > 0 ? words.grew(size, days) : bytes < 0 ? words.shrank(size, days) : words.same(days);
    return [{ id, isSoon, text: [change, ...end].join(' ') }];
  });
  if (lines.length === 0) return null;
  return (
    <ul className="home-growth ui-small">
      {lines.map(({ id, isSoon, text }) => (
        <li key={id} data-tone={isSoon ? 'warning' : 'plain'}>
          {text}
        </li>
      ))}
    </ul>
  );
}

type Figures = AppState['destinations'][number]['storage'];

/** Adds the figures of the destinations with backups. The stored bytes are unknown if those of any of them are. */
function totalOf(all: AppState['destinations']): Figures {
  const destinations = all.filter(({ sets, storage }) => hasBackups(sets) || storage.storedBytes !== undefined);
  const known = (figure: 'storedBytes' | 'savedBytes' | 'compressedBytes'): readonly number[] =>
    destinations.flatMap(({ storage }) => storage[figure] ?? []);
  const stored = known('storedBytes');
  return {
    storedBytes: stored.length < destinations.length ? undefined : sumOf(stored),
    savedBytes: sumOf(known('savedBytes')),
    compressedBytes: sumOf(known('compressedBytes')),
  };
}

function hasBackups(sets: AppState['destinations'][number]['sets']): boolean {
  return sets.some(({ state, lastGoodAt }) => state !== 'none' || lastGoodAt !== undefined);
}

function sumOf(amounts: readonly number[]): number | undefined {
  return amounts.length === 0 ? undefined : amounts.reduce((sum, bytes) => sum + bytes, 0);
}

/** Advises a second place if the only copy is beside the computer. A note says so of the disk of the files. */
function OnlyCopy({ state, now }: Omit<StoragePanelProps, 'onView'>): ReactElement | null {
  const language = useLanguage();
  const words = copiesWords(state, language, now);
  if (words?.advice === undefined) return null;
  return (
    <div className="home-only-copy">
      <p className="ui-small ui-soft">
        {words.copies} {words.advice}
      </p>
      <AddDestinationButton label={language.strings.destination.add.open} />
    </div>
  );
}

interface AmountProps {
  readonly name: string;
  readonly bytes: number | undefined;
}

/** Empty if the figure is unknown. */
function Amount({ name, bytes }: AmountProps): ReactElement | null {
  const { formats } = useLanguage();
  if (bytes === undefined) return null;
  return (
    <div>
      <dt className="ui-soft ui-small">{name}</dt>
      <dd>{formats.bytes(bytes)}</dd>
    </div>
  );
}
