import { useState } from 'react';
import type { ReactElement } from 'react';
import { Button } from '../../../../ui/buttons/button.tsx';
import { CutText } from '../../../shared/cut-text.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import { MoreWays } from '../outside/more-ways.tsx';
import { chooseNothing, setAsking } from '../store/restore-store.ts';
import type { Asking, PointTime, Source } from '../store/restore-store.ts';
import { countOf } from '../store/selection.ts';
import type { ChosenHere } from '../store/use-chosen-entries.ts';

interface ChosenBarProps extends ChosenHere {
  /** The current row, which is offered while nothing is selected. */
  readonly current: Asking['only'];
  readonly source: Pick<Source, 'set' | 'device' | 'destination'>;
  readonly point: PointTime;
  /** The name of the destination while it is away. */
  readonly away: string | undefined;
}

/** What is selected, and the button that restores it. */
export function ChosenBar(props: ChosenBarProps): ReactElement {
  const { selection, missing, isLookingUp, isEverything, current, source, point, away } = props;
  const { strings, formats } = useLanguage();
  const words = strings.restore.chosen;
  const { folders, files, leftOut, bytes } = countOf(selection);
  const isNothing = !isEverything && folders + files === 0;
  const isAway = away !== undefined;
  const what = words.some(folders, files);
  // Before the first choice it is no news.
  const [hasChosen, setChosen] = useState(!isEverything);
  if (!isEverything && !hasChosen) setChosen(true);
  const isFirst = isEverything && !isAway && !hasChosen;
  return (
    <footer className="ui-between restore-chosen" data-away={isAway ? true : undefined}>
      <div>
        {isFirst && <p className="ui-soft">{current ? words.nothing : words.none}</p>}
        <div role="status" data-live-announcer>
          {away !== undefined && <p>{words.away(away)}</p>}
          {isEverything && !isAway && !isFirst && <p className="ui-soft">{words.nothing}</p>}
          {!isEverything && isLookingUp && <p className="ui-soft">{words.lookingUp}</p>}
          {!isEverything && !isLookingUp && !isNothing && (
            <p>
              {bytes === undefined ? words.sentence(what) : words.sized(what, formats.bytes(bytes))}
              {leftOut > 0 && <span className="ui-soft"> {words.leftOut(leftOut)}</span>}
            </p>
          )}
          {!isLookingUp && missing > 0 && (
            <p className="ui-hint">{isNothing ? words.noneThere : words.missing(missing)}</p>
          )}
        </div>
      </div>
      <div className="ui-row">
        <MoreWays source={source} point={point} chosen={props} current={current?.entry} isAway={isAway} />
        {!isEverything && (
          <Button kind="quiet" onPress={chooseNothing}>
            {words.clear}
          </Button>
        )}
        <Button
          kind={isEverything ? 'plain' : 'primary'}
          isDisabled={isNothing || isLookingUp || isAway}
          onPress={() => setAsking({})}
        >
          {isEverything ? words.restoreAll : words.restore}
        </Button>
        {isEverything && current && (
          <span className="restore-one">
            <Button kind="primary" isDisabled={isAway} onPress={() => setAsking({ only: current })}>
              <CutText text={words.restoreOne} part={current.entry.name} />
            </Button>
          </span>
        )}
      </div>
    </footer>
  );
}
