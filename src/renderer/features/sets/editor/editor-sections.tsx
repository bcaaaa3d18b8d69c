import type { ReactElement } from 'react';
import { Sections } from '../../../../ui/layout/sections.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import { CheckSection } from '../sections/check-section.tsx';
import { CommandSection } from '../sections/command-section.tsx';
import { ConditionsSection } from '../sections/conditions-section.tsx';
import { SECTIONS, showSection, useDraft, withWritten } from '../draft/draft.ts';
import type { Draft, Section } from '../draft/draft.ts';
import type { DraftProblem } from '../draft/draft-problems.ts';
import { HooksSection } from '../sections/hooks-section.tsx';
import { KeepSection } from '../sections/keep-section.tsx';
import { LeaveOutSection } from '../sections/leave-out-section.tsx';
import { LimitsSection } from '../sections/limits-section.tsx';
import { useSectionSummary } from './section-summary.ts';
import { useStoredHooks, type StoredHooks } from '../sections/use-stored-hooks.ts';
import type { StoredPolicy } from '../sections/use-stored-policy.ts';
import { useMedia } from './use-media.ts';
import type { Counted } from '../estimate/use-estimate.ts';
import { WhatSection } from '../sections/what-section.tsx';
import { WhenSection } from '../sections/when-section.tsx';
import type { Resource } from '../../../../ui/requests/use-resource.ts';
import '../sections/sections.css';

interface EditorSectionsProps {
  readonly draft: Draft;
  readonly counted: Counted;
  readonly stored: Resource<StoredPolicy>;
  readonly problems: readonly DraftProblem[];
  readonly now: number;
}

/** The sections of a set. If there is room, their list shows a summary of each. */
export function EditorSections(props: EditorSectionsProps): ReactElement {
  const { draft, problems } = props;
  const { strings } = useLanguage();
  const words = strings.sets;
  const section = useDraft((held) => held.section);
  const hooks = useStoredHooks(draft.origin);
  const summary = useSectionSummary(draft, props.stored, hooks);
  const isWide = useMedia('(min-width: 58rem)');
  return (
    <Sections
      label={words.editor.parts}
      isWide={isWide}
      selected={section}
      onChange={showSection}
      sections={SECTIONS.map((id) => ({
        id,
        title: words[id].title,
        summary: summary(id),
        isWrong: problems.some((problem) => problem.section === id),
        content: (
          <>
            {problems
              .filter((problem) => problem.section === id && !IN_PLACE.has(problem.problem))
              .map(({ problem }) => (
                <p key={problem} className="ui-field-error" role="alert">
                  {words.editor.problems[problem]}
                </p>
              ))}
            <SectionContent {...props} hooks={hooks} section={id} />
          </>
        ),
      }))}
    />
  );
}

/** Shown beside their field. */
const IN_PLACE: ReadonlySet<DraftProblem['problem']> = new Set(['interval', 'days', 'cron', 'never', 'hours']);

interface SectionContentProps extends EditorSectionsProps {
  readonly hooks: Resource<StoredHooks>;
  readonly section: Section;
}

function SectionContent(props: SectionContentProps): ReactElement {
  const { section, draft, counted, stored, hooks, now } = props;
  const written = useDraft((held) => held.written);
  switch (section) {
    case 'what':
      return <WhatSection draft={draft} />;
    case 'leaveOut':
      return <LeaveOutSection draft={draft} counted={counted} />;
    case 'when':
      return <WhenSection schedule={draft.schedule} now={now} set={draft.origin} />;
    case 'conditions':
      return <ConditionsSection conditions={draft.conditions} />;
    case 'limits':
      return <LimitsSection limits={draft.limits} compression={draft.compression} />;
    case 'keep':
      return <KeepSection draft={draft} stored={stored} />;
    case 'check':
      return <CheckSection verification={draft.verification} drill={draft.drill} />;
    case 'hooks':
      return <HooksSection draft={draft} hooks={hooks} now={now} />;
    case 'command':
      return <CommandSection draft={withWritten(draft, written)} />;
  }
}
