import type { ReactElement, ReactNode } from 'react';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import { Icon } from '../icon.tsx';

export interface Section<Id extends string> {
  readonly id: Id;
  readonly title: string;
  /** The current choice in it; shown if the list is beside the section. */
  readonly summary?: string;
  /** It contains an error. */
  readonly isWrong?: boolean;
  readonly content: ReactNode;
}

interface SectionsProps<Id extends string> {
  /** Accessible name of the whole. */
  readonly label: string;
  readonly sections: readonly Section<Id>[];
  readonly selected: Id;
  /** Places the list beside the section. */
  readonly isWide: boolean;
  readonly onChange: (id: Id) => void;
}

/** Sections of a form: a list of them, and the selected one. */
export function Sections<Id extends string>(props: SectionsProps<Id>): ReactElement {
  const { label, sections, selected, isWide, onChange } = props;
  return (
    <Tabs
      className="ui-sections"
      data-wide={isWide ? true : undefined}
      orientation={isWide ? 'vertical' : 'horizontal'}
      selectedKey={selected}
      onSelectionChange={(key) => onChange(key as Id)}
    >
      <TabList className="ui-sections-list" aria-label={label}>
        {sections.map(({ id, title, summary, isWrong = false }) => (
          <Tab key={id} id={id} className="ui-sections-one">
            <span className="ui-sections-title">
              {title}
              {isWrong && <Icon name="warning" />}
            </span>
            {isWide && summary !== undefined && <span className="ui-sections-summary">{summary}</span>}
          </Tab>
        ))}
      </TabList>
      {sections.map(({ id, title, content }) => (
        <TabPanel key={id} id={id} className="ui-section">
          <h2>{title}</h2>
          {content}
        </TabPanel>
      ))}
    </Tabs>
  );
}
