import { useCallback, useEffect } from 'react';
import type { ReactElement } from 'react';
import type { View } from '../../../ipc/contract/contract.ts';
import type { SetState } from '../../../ipc/state.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { FailureNotice } from '../../../ui/requests/failure-notice.tsx';
import { useAction } from '../../../ui/requests/use-action.ts';
import { useResource } from '../../../ui/requests/use-resource.ts';
import { useStable } from '../../bridge/deep-equality.ts';
import { useLanguage } from '../../shared/use-language.ts';
import { openSet } from '../sets/open-set.ts';
import { doubtThinnings, largestThinning } from '../sets/thinning.ts';

/** Less than this share of what is stored is not worth a sentence. */
const WORTH_SAYING = 0.05;

interface ThinningLineProps {
  /** Bytes at the destinations, as far as they are known. */
  readonly stored: number | undefined;
  readonly sets: readonly SetState[];
  readonly onView: (view: View) => void;
}

/** What the recommended policy would free, for the set that keeps everything and has the most of it. */
export function ThinningLine({ stored = 0, sets, onView }: ThinningLineProps): ReactElement | null {
  const { strings, formats } = useLanguage();
  const words = strings.home.storage;
  // A new restore point may change it.
  const wanted = useStable(sets.map(({ name, lastPoint }) => ({ name, at: lastPoint?.at })));
  const answer = useResource(useCallback(() => largestThinning(wanted), [wanted]));
  const { reload } = answer;
  useEffect(() => {
    const readAgain = (): void => {
      doubtThinnings();
      reload();
    };
    window.addEventListener('focus', readAgain);
    return () => window.removeEventListener('focus', readAgain);
  }, [reload]);
  const { run, isPending, failure } = useAction();
  const found = answer.kind === 'ready' ? answer.value : undefined;
  if (!found || found.bytes < stored * WORTH_SAYING) return null;
  return (
    <div className="home-only-copy">
      <p className="ui-small ui-soft">{words.thins(found.set, formats.bytes(found.bytes))}</p>
      <Button
        isPending={isPending}
        onPress={() => run((isShown) => openSet({ set: found.set, section: 'keep', isShown, onView }))}
      >
        {words.thin}
      </Button>
      <FailureNotice failure={failure} />
    </div>
  );
}
