import type { ReactElement } from 'react';
import type { RunAtDestination } from '../../../model/run.ts';
import { partDoneAt, runPlaceWords } from '../../../strings/destinations/run-place-words.ts';
import { failureWords } from '../../../strings/failure-sentence.ts';
import { useLanguage } from '../../shared/use-language.ts';
import './run-places.css';

interface RunPlacesProps {
  readonly destinations: readonly RunAtDestination[];
}

/** A line for each destination of a backup: how far it is there, or why it failed. */
export function RunPlaces({ destinations }: RunPlacesProps): ReactElement {
  const language = useLanguage();
  return (
    <ul className="run-places" aria-label={language.strings.destinations.title}>
      {destinations.map((place) => (
        <li key={place.id} data-phase={place.phase}>
          <span className="run-places-name" dir="auto">
            {place.name}
          </span>
          <span className="run-places-bar" aria-hidden="true">
            <span style={{ inlineSize: `${(partDoneAt(place) ?? 0) * 100}%` }} />
          </span>
          <span className="run-places-state ui-small ui-number">
            {runPlaceWords(place, language)}
            {place.failure && <span className="run-places-why">{failureWords(place.failure, language).what}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}
