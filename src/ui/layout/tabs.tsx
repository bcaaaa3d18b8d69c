import type { ReactElement, ReactNode } from 'react';
import { Tab, TabList, TabPanel, Tabs as AriaTabs } from 'react-aria-components';

export interface TabPart<Id extends string> {
  readonly id: Id;
  readonly label: string;
  readonly content: ReactNode;
}

interface TabsProps<Id extends string> {
  /** Accessible name of the whole. */
  readonly label: string;
  readonly tabs: readonly TabPart<Id>[];
  readonly selected: Id;
  readonly onChange: (id: Id) => void;
}

/** Parts of a view, one of which is shown. */
export function Tabs<Id extends string>({ label, tabs, selected, onChange }: TabsProps<Id>): ReactElement {
  return (
    <AriaTabs className="ui-tabs" selectedKey={selected} onSelectionChange={(key) => onChange(key as Id)}>
      <TabList className="ui-tab-list" aria-label={label}>
        {tabs.map((tab) => (
          <Tab key={tab.id} id={tab.id} className="ui-tab">
            {tab.label}
          </Tab>
        ))}
      </TabList>
      {tabs.map((tab) => (
        <TabPanel key={tab.id} id={tab.id} className="ui-tab-panel">
          {tab.content}
        </TabPanel>
      ))}
    </AriaTabs>
  );
}
