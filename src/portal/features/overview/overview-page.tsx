import { useCallback } from 'react';
import type { ReactElement } from 'react';
import type { PortalUsage } from '../../../protocol/portal/portal.ts';
import { LISTED_STATUSES } from '../../../protocol/portal/portal-devices.ts';
import type { PortalAttention } from '../../../protocol/portal/portal-devices.ts';
import { Empty } from '../../../ui/feedback/empty.tsx';
import { Figure } from '../../../ui/layout/figure.tsx';
import { Meter } from '../../../ui/feedback/meter.tsx';
import { Panel } from '../../../ui/layout/panel.tsx';
import { TimeChart } from '../../../ui/charts/time-chart.tsx';
import { backups, devices } from '../../api/calls.ts';
import { useResource } from '../../../ui/requests/use-resource.ts';
import { Loaded } from '../../../ui/requests/loaded.tsx';
import { Page } from '../../shared/page.tsx';
import type { Strings } from '../../strings/compiled/portal-en.ts';
import { useLanguage } from '../../strings/language.ts';
import { devicesAddress } from '../../use-section.ts';
import { AttentionPanel } from './attention-panel.tsx';
import { PlanPanel } from './plan-panel.tsx';
import { savedPart } from './saved-part.ts';
import './overview.css';

/** @param mayManage whether the person may end a hold on removals */
export function OverviewPage({ mayManage }: { readonly mayManage: boolean }): ReactElement {
  const { strings } = useLanguage();
  const both = useResource(useCallback(async () => Promise.all([backups.usage(), devices.attention()]), []));
  return (
    <Page title={strings.overview.title}>
      <Loaded resource={both}>
        {([usage, attention]) => (
          <>
            <AttentionPanel attention={attention} mayManage={mayManage} onChanged={both.reload} />
            <Figures usage={usage} attention={attention} />
            <Charts usage={usage} />
            <PlanPanel onChanged={both.reload} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** Statuses that need somebody. */
const TROUBLED = LISTED_STATUSES.filter((status) => status !== 'healthy' && status !== 'revoked');

interface FiguresProps {
  readonly usage: PortalUsage;
  readonly attention: PortalAttention;
}

function Figures({ usage, attention }: FiguresProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.overview;
  const { plan, storage_used: used } = usage;
  const saved = savedPart(usage.days);
  const { counts, last_backup: last } = attention;
  const all = LISTED_STATUSES.reduce((sum, status) => sum + (status === 'revoked' ? 0 : counts[status]), 0);
  return (
    <div className="ui-figures">
      <Figure label={words.stored} value={formats.bytes(used)}>
        {plan?.quota ? (
          <Meter label={words.storedOf(formats.bytes(used), formats.bytes(plan.quota))} part={used / plan.quota} />
        ) : (
          <p className="ui-soft ui-small">{words.noQuota}</p>
        )}
      </Figure>
      <Figure label={words.saved} value={saved === undefined ? '–' : formats.percent(saved)}>
        <p className="ui-soft ui-small">{saved === undefined ? words.nothingSaved : words.savedHint}</p>
      </Figure>
      <Figure label={words.devices} value={formats.number(all)}>
        <p className="ui-soft ui-small">{healthText(attention, all, strings)}</p>
        <ul className="portal-statuses">
          {TROUBLED.filter((status) => counts[status] > 0).map((status) => (
            <li key={status}>
              <a href={devicesAddress(status)}>
                {strings.pages.counted(strings.devices.states[status] ?? status, formats.number(counts[status]))}
              </a>
            </li>
          ))}
        </ul>
      </Figure>
      <Figure label={words.lastBackup} value={last === null ? strings.common.never : formats.ago(last)}>
        {last !== null && <p className="ui-soft ui-small">{formats.dateTime(last)}</p>}
      </Figure>
    </div>
  );
}

/** Devices are only called protected if nothing at all needs somebody. */
function healthText({ counts, items }: PortalAttention, all: number, { overview: words }: Strings): string {
  const troubled = all - counts.healthy;
  if (troubled > 0) return words.attention(troubled);
  if (items.length > 0) return words.otherAttention;
  return all === 0 ? words.nothingYet : words.allWell;
}

function Charts({ usage }: { readonly usage: PortalUsage }): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.overview;
  const newest = usage.days.at(-1);
  if (!newest) {
    return (
      <Panel title={words.storageChart}>
        <Empty icon="backups" title={words.noRuns}>
          {words.nothingYetHint} <code>{location.origin}</code>
        </Empty>
      </Panel>
    );
  }
  const shared = { unit: unitOf(usage), formatValue: formats.bytes, formatDay: formats.day };
  const points = (valueOf: (day: PortalUsage['days'][number]) => number) =>
    usage.days.map((day) => ({ at: Date.parse(`${day.day}T12:00:00Z`), value: valueOf(day) }));
  return (
    <div className="portal-pair">
      <Panel title={words.storageChart}>
        <TimeChart
          kind="line"
          label={words.storageLabel(formats.bytes(newest.storage_used))}
          points={points(({ storage_used: value }) => value)}
          {...shared}
        />
      </Panel>
      <Panel title={words.newChart}>
        <TimeChart
          kind="bars"
          label={words.newLabel(formats.bytes(newest.bytes_new))}
          points={points(({ bytes_new: value }) => value)}
          {...shared}
        />
      </Panel>
    </div>
  );
}

/** Returns the unit in which values are shown, for round numbers on the axes. */
function unitOf({ storage_used: used }: PortalUsage): number {
  return used < 1 ? 1 : 1000 ** Math.floor(Math.log10(used) / 3);
}
