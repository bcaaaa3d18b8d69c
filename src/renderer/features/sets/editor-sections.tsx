import type { ReactElement } from 'react';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import { Icon } from '../../ui/icon.tsx';
import { useLanguage } from '../../use-language.ts';
import { CheckSection } from './check-section.tsx';
import { CommandSection } from './command-section.tsx';
import { ConditionsSection } from './conditions-section.tsx';
import { SECTIONS, showSection, useDraft } from './draft.ts';
import type { Draft, Section } from './draft.ts';
import type { DraftProblem } from './draft-problems.ts';
import { KeepSection } from './keep-section.tsx';
import { LeaveOutSection } from './leave-out-section.tsx';
import { LimitsSection } from './limits-section.tsx';
import { useSectionSummary } from './section-summary.ts';
import { useMedia } from './use-media.ts';
import type { Counted } from './use-estimate.ts';
import type { StoredPolicy } from './use-stored-policy.ts';
import { WhatSection } from './what-section.tsx';
import { WhenSection } from './when-section.tsx';

interface EditorSectionsProps {
  readonly draft: Draft;
  readonly counted: Counted;
  readonly stored: StoredPolicy;
  readonly problems: readonly DraftProblem[];
  readonly now: number;
}

/** The parts of a set: beside each other where there is room, each with what is chosen in it. */
export function EditorSections(props: EditorSectionsProps): ReactElement {
  const { draft, problems } = props;
  const { strings } = useLanguage();
  const words = strings.sets;
  const section = useDraft((held) => held.section);
  const summary = useSectionSummary(draft);
  const isWide = useMedia('(min-width: 58rem)');
  return (
    <Tabs
      className="set-sections"
      data-wide={isWide ? true : undefined}
      orientation={isWide ? 'vertical' : 'horizontal'}
      selectedKey={section}
      onSelectionChange={(key) => showSection(key as Section)}
    >
      <TabList className="set-tabs" aria-label={words.editor.parts}>
        {SECTIONS.map((one) => (
          <Tab key={one} id={one} className="set-tab">
            <span className="set-tab-title">
              {words[one].title}
              {problems.some((problem) => problem.section === one) && <Icon name="warning" />}
            </span>
            {isWide && <span className="set-tab-summary">{summary(one)}</span>}
          </Tab>
        ))}
      </TabList>
      {SECTIONS.map((one) => (
        <TabPanel key={one} id={one} className="set-section">
          <h2>{words[one].title}</h2>
          {problems
            .filter((problem) => problem.section === one && !IN_PLACE.has(problem.problem))
            .map(({ problem }) => (
              <p key={problem} className="ui-field-error" role="alert">
                {words.editor.problems[problem]}
              </p>
            ))}
          <SectionContent {...props} section={one} />
        </TabPanel>
      ))}
    </Tabs>
  );
}

/** Said beside the field that it is about. */
const IN_PLACE: ReadonlySet<DraftProblem['problem']> = new Set(['interval', 'days', 'cron', 'never', 'hours']);

function SectionContent(props: EditorSectionsProps & { readonly section: Section }): ReactElement {
  const { section, draft, counted, stored, now } = props;
  switch (section) {
    case 'what':
      return <WhatSection draft={draft} />;
    case 'leaveOut':
      return <LeaveOutSection draft={draft} counted={counted} />;
    case 'when':
      return <WhenSection schedule={draft.schedule} now={now} />;
    case 'conditions':
      return <ConditionsSection conditions={draft.conditions} />;
    case 'limits':
      return <LimitsSection limits={draft.limits} />;
    case 'keep':
      return <KeepSection draft={draft} stored={stored} />;
    case 'check':
      return <CheckSection verification={draft.verification} />;
    case 'command':
      return <CommandSection draft={draft} />;
  }
}
