import type { ReactElement } from 'react';
import { Button } from '../../../ui/buttons/button.tsx';
import { NativeDateField } from '../../../ui/fields/native-date-field.tsx';
import { NativeSelect } from '../../../ui/fields/native-select.tsx';
import { SearchField } from '../../../ui/fields/search-field.tsx';
import { useLanguage } from '../../strings/language.ts';
import { AUDIT_FIELDS, AUDIT_GROUPS, type AuditSearch, NO_SEARCH } from './audit-search.ts';

interface AuditFiltersProps {
  readonly search: AuditSearch;
  readonly people: ReadonlyMap<string, string>;
  readonly devices: ReadonlyMap<string, string>;
  readonly onSearch: (change: Partial<AuditSearch>) => void;
}

export function AuditFilters({ search, people, devices, onSearch }: AuditFiltersProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.audit;
  const isFiltered = AUDIT_FIELDS.some((field) => search[field] !== '');
  return (
    <div className="portal-audit-filters">
      <div className="portal-audit-search">
        <SearchField
          label={strings.pages.search}
          value={search.search}
          onChange={(text) => onSearch({ search: text })}
        />
      </div>
      <NativeSelect
        label={words.what}
        value={AUDIT_GROUPS.some((group) => group === search.what) ? search.what : ''}
        options={[
          { value: '', label: words.everything },
          ...AUDIT_GROUPS.map((group) => ({ value: group, label: words.groups[group] ?? group })),
        ]}
        onChange={(what) => onSearch({ what })}
      />
      <NativeSelect
        label={words.who}
        value={search.who}
        options={optionsOf(people, search.who, words.everybody, words.formerMember)}
        onChange={(who) => onSearch({ who })}
      />
      <NativeSelect
        label={words.device}
        value={search.device}
        options={optionsOf(devices, search.device, words.everyDevice, words.formerDevice)}
        onChange={(device) => onSearch({ device })}
      />
      <NativeDateField
        label={words.from}
        value={search.from}
        max={search.to || undefined}
        onChange={(from) => onSearch({ from })}
      />
      <NativeDateField
        label={words.to}
        value={search.to}
        min={search.from || undefined}
        onChange={(to) => onSearch({ to })}
      />
      {isFiltered && (
        <div className="portal-audit-clear">
          <Button onPress={() => onSearch(NO_SEARCH)}>{words.clear}</Button>
        </div>
      )}
    </div>
  );
}

/** The choices by name. An address may lead to somebody who left, or to a device that is gone. */
function optionsOf(names: ReadonlyMap<string, string>, chosen: string, all: string, gone: string) {
  const known = [...names]
    .map(([value, label]) => ({ value, label }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
  const missing = chosen === '' || names.has(chosen) ? [] : [{ value: chosen, label: gone }];
  return [{ value: '', label: all }, ...missing, ...known];
}
