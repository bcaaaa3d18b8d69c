import type { ReactElement } from 'react';
import { MEMBER_FILTERS, MEMBER_ORDERS, memberFilter, memberOrder } from '../../../protocol/portal/portal-members.ts';
import type { MemberFilter, MemberOrder, PortalMembers } from '../../../protocol/portal/portal-members.ts';
import { NativeSelect } from '../../../ui/fields/native-select.tsx';
import { SearchField } from '../../../ui/fields/search-field.tsx';
import type { Strings } from '../../strings/compiled/portal-en.ts';
import { useLanguage } from '../../strings/language.ts';
import './team.css';

/** The parameters in the address. */
export const TEAM_FIELDS = ['search', 'show', 'sort'] as const;
type TeamQuery = Readonly<Record<(typeof TEAM_FIELDS)[number], string>>;

/** Returns what an address asks for, without what does not exist. */
export function chosenIn({ show, sort }: Pick<TeamQuery, 'show' | 'sort'>): {
  readonly show: MemberFilter | undefined;
  readonly sort: MemberOrder;
} {
  return { show: memberFilter.safeParse(show).data, sort: memberOrder.safeParse(sort).data ?? 'email' };
}

function labelOf(filter: MemberFilter, { roles, filters }: Strings['team']): string {
  return filter === 'no_factor' || filter === 'inactive' ? filters[filter] : (roles[filter] ?? filter);
}

interface MemberFiltersProps {
  readonly page: PortalMembers;
  readonly query: TeamQuery;
  readonly onQuery: (change: Partial<TeamQuery>) => void;
}

export function MemberFilters({ page: { all, counts }, query, onQuery }: MemberFiltersProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.team;
  const { counted } = strings.pages;
  const { show, sort } = chosenIn(query);
  return (
    <div className="portal-team-filters">
      <SearchField label={strings.pages.search} value={query.search} onChange={(search) => onQuery({ search })} />
      <NativeSelect
        label={words.show}
        value={show ?? ''}
        options={[
          { value: '', label: counted(words.everybody, formats.number(all)) },
          ...MEMBER_FILTERS.filter((one) => counts[one] > 0 || one === show).map((one) => ({
            value: one,
            label: counted(labelOf(one, words), formats.number(counts[one])),
          })),
        ]}
        onChange={(chosen) => onQuery({ show: chosen })}
      />
      <NativeSelect
        label={words.sort}
        value={sort}
        options={MEMBER_ORDERS.map((order) => ({ value: order, label: words.orders[order] }))}
        onChange={(chosen) => onQuery({ sort: chosen === 'email' ? '' : chosen })}
      />
    </div>
  );
}
