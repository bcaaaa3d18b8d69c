import { useState } from 'react';
import type { ReactElement } from 'react';
import type { View } from '../../../../ipc/contract/contract.ts';
import type { Need } from '../../../../model/need.ts';
import type { Place } from '../../../../model/destination.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Notice } from '../../../../ui/feedback/notice.tsx';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { CheckDialog } from '../../../shared/check-dialog.tsx';
import { openRun } from '../../../shared/opened-run.ts';
import { useRestore } from '../store/restore-store.ts';

/** A destination whose list of restore points cannot be vouched for. */
interface Unlisted {
  /** Missing if there is only one. */
  readonly place: Place | undefined;
  /** The check that has found out why, which offers the repair. */
  readonly check: number | undefined;
}

interface UnlistedPointsProps {
  readonly onView: (view: View) => void;
}

/** Says that newer or other restore points may exist where this view restores from, with the way to list them. */
export function UnlistedPoints({ onView }: UnlistedPointsProps): ReactElement | null {
  const { strings } = useLanguage();
  const words = strings.home;
  const held = useRestore((state) => state.destination);
  const needs = useAppState((state) => state.needs) ?? [];
  const chosen = useAppState((state) => state.destinations.find(({ id }) => id === held)?.id);
  const isBusy = useAppState((state) => state.runs.length > 0) === true;
  const [checking, setChecking] = useState<Unlisted>();
  const shown = needs
    .flatMap(unlistedBy)
    .filter(({ place }) => chosen === undefined || place === undefined || place.id === chosen);
  const open = (run: number): void => {
    openRun(run);
    onView('activity');
  };
  return (
    <>
      {shown.map((unlisted) => {
        const { place, check } = unlisted;
        return (
          <Notice key={place?.id ?? ''} tone="warning">
            <div className="ui-between restore-away">
              <div>
                <p>{words.needs.pointsUnlisted(place?.name)}</p>
                <p className="ui-hint">{words.needHints['points-unlisted']}</p>
              </div>
              {check === undefined ? (
                <Button isDisabled={isBusy} onPress={() => setChecking(unlisted)}>
                  {words.actions.checkDamage}
                </Button>
              ) : (
                <Button onPress={() => open(check)}>{words.actions.repair}</Button>
              )}
            </div>
          </Notice>
        );
      })}
      {checking && <CheckDialog destination={checking.place} onStarted={open} onClose={() => setChecking(undefined)} />}
    </>
  );
}

function unlistedBy(need: Need): readonly Unlisted[] {
  if (need.kind === 'points-unlisted') return [{ place: need.destination, check: undefined }];
  const isDoubtful = need.kind === 'destination-damaged' && need.isDoubtful === true;
  return isDoubtful ? [{ place: need.destination, check: need.run }] : [];
}
