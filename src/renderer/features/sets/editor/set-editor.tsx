import { useEffect, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { call } from '../../../bridge/bridge.ts';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { useNow } from '../../../shared/use-now.ts';
import { usePageKeys } from '../../../shared/use-page-keys.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { TextField } from '../../../../ui/fields/text-field.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { DiscardDialog } from './discard-dialog.tsx';
import {
  changeDraft,
  closeDraft,
  fillDraft,
  formOf,
  isChanged,
  showSection,
  useDraft,
  whenSaved,
  whetherOpen,
  withWritten,
} from '../draft/draft.ts';
import type { Draft } from '../draft/draft.ts';
import { draftProblems } from '../draft/draft-problems.ts';
import { EditorSections } from './editor-sections.tsx';
import { EstimateLine } from '../estimate/estimate-line.tsx';
import { useEstimate } from '../estimate/use-estimate.ts';
import { useStoredPolicy } from '../sections/use-stored-policy.ts';
import { forgetThinning } from '../thinning.ts';
import { isEqual } from '../../../bridge/deep-equality.ts';
import { focusLateView, PAGE_IN_VIEW, PAGE_TITLE } from '../../../shared/view-title.ts';
import './set-editor.css';

interface SetEditorProps {
  readonly onSaved: (set: string, passedOver: readonly string[]) => void;
}

/** Edits a new or an existing set in sections. It is saved on demand, and leaving it asks first. */
export function SetEditor({ onSaved }: SetEditorProps): ReactElement | null {
  const draft = useDraft((held) => held.draft);
  return draft ? <Editor draft={draft} onSaved={onSaved} /> : null;
}

function Editor({ draft, onSaved }: SetEditorProps & { readonly draft: Draft }): ReactElement {
  const { strings } = useLanguage();
  const words = strings.sets.editor;
  const saved = useDraft((held) => held.saved);
  const isTried = useDraft((held) => held.isTried);
  const sets = useAppState((state) => state.sets);
  const names = useMemo(() => (sets ?? []).map(({ name }) => name), [sets]);
  const now = useNow();
  const written = useDraft((held) => held.written);
  const whole = withWritten(draft, written);
  const counted = useEstimate(whole);
  const stored = useStoredPolicy(draft.origin);
  const saving = useAction();
  const [isLeaving, setLeaving] = useState(false);
  useEffect(focusLateView, []);

  const problems = draftProblems(draft, names);
  const nameProblem = problems.find(({ section }) => section === 'name')?.problem;
  const changed = isChanged({ draft: whole, saved });
  const leave = (): void => {
    if (changed) setLeaving(true);
    else closeDraft();
  };
  const save = (): void => {
    useDraft.setState({ isTried: true });
    const [first] = problems;
    if (first) {
      if (first.section === 'name') document.querySelector<HTMLInputElement>('.set-name input')?.focus();
      else showSection(first.section);
      return;
    }
    saving.run(async () => {
      const isOpen = whetherOpen();
      const end = whenSaved(whole);
      const { set, passedOver } = await saveDraft(whole, saved, isOpen);
      if (isOpen()) end(set);
      onSaved(set, passedOver);
    });
  };
  usePageKeys({ onLeave: leave, onSave: save });
  const title = draft.origin === undefined ? words.addTitle : words.editTitle(draft.origin);
  return (
    // By its heading, which is made at the same time, it has no name yet when Orca asks.
    <div className="set-editor" {...PAGE_IN_VIEW} aria-labelledby={undefined} aria-label={title}>
      <header className="set-editor-head">
        <h1 id={PAGE_TITLE}>{title}</h1>
        <div className="ui-row">
          {changed && <span className="ui-soft ui-small">{words.unsaved}</span>}
          <Button onPress={leave}>{strings.common.cancel}</Button>
          <Button kind="primary" isPending={saving.isPending} onPress={save}>
            {draft.origin === undefined ? words.create : words.save}
          </Button>
        </div>
      </header>
      <FailureNotice failure={saving.failure} />
      {draft.origin === undefined && (
        <div className="set-name">
          <TextField
            spellCheck="false"
            label={words.name}
            hint={words.nameHint}
            value={draft.name}
            error={isTried && nameProblem ? words.problems[nameProblem] : undefined}
            takesFocus
            onChange={(name) => changeDraft({ name: name.slice(0, 100) })}
          />
        </div>
      )}
      <EditorSections
        draft={draft}
        counted={counted}
        stored={stored}
        problems={isTried ? problems : problems.filter(({ section }) => section === 'when' || section === 'limits')}
        now={now}
      />
      <EstimateLine counted={counted} />
      {isLeaving && (
        <DiscardDialog
          onKeep={() => setLeaving(false)}
          onDiscard={() => {
            setLeaving(false);
            closeDraft();
          }}
        />
      )}
    </div>
  );
}

/** Saves the set, then its policy. If only the second fails, the draft is one of an existing set from then on. */
async function saveDraft(
  draft: Draft,
  saved: Draft | undefined,
  isOpen: () => boolean,
): Promise<{ readonly set: string; readonly passedOver: readonly string[] }> {
  const form = formOf(draft);
  const set = draft.origin ?? form.name;
  const { passedOver } =
    draft.origin === undefined ? await call('sets.add', { form }) : await call('sets.save', { set, form });
  if (draft.origin === undefined && isOpen()) fillDraft({ origin: set });
  forgetThinning(set);
  if (draft.policy && !isEqual(draft.policy, saved?.policy)) {
    await call('sets.retention.save', { set, policy: draft.policy });
  }
  for (const [destination, policy] of Object.entries(draft.policies)) {
    if (isEqual(policy, saved?.policies[destination])) continue;
    await call('sets.retention.save', { set, policy, destination });
  }
  return { set, passedOver };
}
