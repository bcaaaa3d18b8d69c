import { call } from '../../bridge/bridge.ts';
import { draftOf, isChanged, openDraft, showSection, useDraft } from './draft/draft.ts';
import type { Section } from './draft/draft.ts';

/** Opens a set in the editor, which the view of the sets then shows. Changes of another set that are not saved yet stay open instead. */
export async function openSet(set: string, section: Section = 'what'): Promise<void> {
  const held = useDraft.getState();
  if (held.draft && isChanged(held)) return;
  openDraft(draftOf((await call('sets.get', { set })).form));
  showSection(section);
}
