import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import type { SetState } from '../../../ipc/state.ts';
import { call } from '../../bridge/bridge.ts';
import { FailureNotice } from '../../../ui/requests/failure-notice.tsx';
import { useNow } from '../../shared/use-now.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { Empty } from '../../../ui/feedback/empty.tsx';
import { Notice } from '../../../ui/feedback/notice.tsx';
import { toast } from '../../../ui/feedback/toast.tsx';
import { useAction } from '../../../ui/requests/use-action.ts';
import { useAppState } from '../../bridge/use-app-state.ts';
import { useLanguage } from '../../shared/use-language.ts';
import { draftOf, newDraft, openDraft } from './draft/draft.ts';
import { RemoveSet } from './remove-set.tsx';
import { SetCard } from './set-card.tsx';
import { VerifySet } from './verify-set.tsx';
import { focusLateView, focusView, VIEW_TITLE } from '../../shared/view-title.ts';

const NO_SETS: readonly SetState[] = [];

/** A saved set, with those of its folders that were left out of it. */
export interface PassedOver {
  readonly set: string;
  readonly paths: readonly string[];
}

interface SetListProps {
  readonly passedOver: PassedOver | undefined;
}

export function SetList({ passedOver }: SetListProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.sets;
  const sets = useAppState((state) => state.sets) ?? NO_SETS;
  const now = useNow();
  const opening = useAction();
  const [asked, setAsked] = useState<{ readonly kind: 'remove' | 'verify'; readonly set: string }>();
  // Screen readers announce the view after the editor.
  useEffect(focusLateView, []);
  const add = (): void =>
    opening.run(async (isShown) => {
      const { presets } = await call('sets.presets', {});
      if (isShown()) openDraft(newDraft(presets.filter(({ isDefault }) => isDefault).map(({ name }) => name)));
    });
  const edit = (set: string): void =>
    opening.run(async (isShown) => {
      const { form } = await call('sets.get', { set });
      if (isShown()) openDraft(draftOf(form));
    });
  const addButton = (
    <Button kind="primary" isPending={opening.isPending} onPress={add}>
      {words.add}
    </Button>
  );
  return (
    <div className="ui-page">
      <header className="sets-head">
        <div>
          <h1 id={VIEW_TITLE}>{strings.common.views.sets}</h1>
          <p className="ui-soft">{words.lead}</p>
        </div>
        {sets.length > 0 && addButton}
      </header>
      {passedOver && <PassedOverNotice passedOver={passedOver} />}
      <FailureNotice failure={opening.failure} />
      {sets.length === 0 ? (
        <div className="ui-panel">
          <Empty icon="backups" title={words.none}>
            {words.noneHint}
          </Empty>
          <div className="sets-empty-action">{addButton}</div>
        </div>
      ) : (
        <ul className="ui-stack sets-list">
          {sets.map((set) => (
            <li key={set.name}>
              <SetCard
                set={set}
                now={now}
                onEdit={() => edit(set.name)}
                onVerify={() => setAsked({ kind: 'verify', set: set.name })}
                onRemove={() => setAsked({ kind: 'remove', set: set.name })}
              />
            </li>
          ))}
        </ul>
      )}
      {asked?.kind === 'verify' && <VerifySet set={asked.set} onClose={() => setAsked(undefined)} />}
      {asked?.kind === 'remove' && (
        <RemoveSet
          set={asked.set}
          onClose={() => setAsked(undefined)}
          onRemoved={() => {
            setAsked(undefined);
            toast(words.removed(asked.set));
            focusView();
          }}
        />
      )}
    </div>
  );
}

function PassedOverNotice({ passedOver: { set, paths } }: { readonly passedOver: PassedOver }): ReactElement {
  const { strings } = useLanguage();
  const words = strings.sets;
  return (
    <Notice tone="good">
      <p>{words.saved(set)}</p>
      <p>{words.passedOver}</p>
      <ul className="ui-small">
        {paths.map((path) => (
          <li key={path}>{path}</li>
        ))}
      </ul>
    </Notice>
  );
}
