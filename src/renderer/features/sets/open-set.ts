import type { View } from '../../../ipc/contract/contract.ts';
import { call } from '../../bridge/bridge.ts';
import { draftOf, isChanged, openDraft, showSection, useDraft } from './draft/draft.ts';
import type { Section } from './draft/draft.ts';

interface Opening {
  readonly set: string;
  readonly section?: Section;
  /** Whether the view that asks is still shown. */
  readonly isShown: () => boolean;
  readonly onView: (view: View) => void;
}

/** Shows a set in the editor. Changes of another set that are not saved yet stay open instead. */
export async function openSet({ set, section = 'what', isShown, onView }: Opening): Promise<void> {
  const held = useDraft.getState();
  if (!held.draft || !isChanged(held)) {
    const { form } = await call('sets.get', { set });
    if (!isShown()) return;
    openDraft(draftOf(form));
    showSection(section);
  }
  onView('sets');
}
