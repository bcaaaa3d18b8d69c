import { useCallback } from 'react';
import type { ReactElement } from 'react';
import type { Device } from '../../../protocol/devices.ts';
import type { PortalUsage } from '../../../protocol/portal.ts';
import { Empty } from '../../../ui/feedback/empty.tsx';
import { Figure } from '../../../ui/layout/figure.tsx';
import { Meter } from '../../../ui/feedback/meter.tsx';
import { Panel } from '../../../ui/layout/panel.tsx';
import { TimeChart } from '../../../ui/charts/time-chart.tsx';
import { backups, devices } from '../../api/calls.ts';
import { useResource } from '../../../ui/requests/use-resource.ts';
import { Loaded } from '../../../ui/requests/loaded.tsx';
import { Page } from '../../shared/page.tsx';
import { useLanguage } from '../../strings/language.ts';
import { PlanPanel } from './plan-panel.tsx';
import { savedPart } from './saved-part.ts';
import './overview.css';

export function OverviewPage(): ReactElement {
  const { strings } = useLanguage();
  const both = useResource(useCallback(async () => Promise.all([backups.usage(), devices.list()]), []));
  return (
    <Page title={strings.overview.title}>
      <Loaded resource={both}>
        {([usage, { devices: all }]) => (
          <>
            <Figures usage={usage} all={all.filter(({ status }) => status !== 'revoked')} />
            <Charts usage={usage} />
            <PlanPanel onChanged={both.reload} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Figures({ usage, all }: { readonly usage: PortalUsage; readonly all: readonly Device[] }): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.overview;
  const { plan, storage_used: used } = usage;
  const saved = savedPart(usage.days);
  const troubled = all.filter(({ status }) => status !== 'healthy').length;
  const last =
    all
      .map(({ last_backup: time }) => time ?? '')
      .toSorted()
      .at(-1) ?? '';
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
        <p className="ui-soft ui-small">{words.savedHint}</p>
      </Figure>
      <Figure label={words.devices} value={formats.number(all.length)}>
        <p className="ui-soft ui-small">
          {all.length === 0 ? words.nothingYet : troubled === 0 ? words.allWell : words.attention(troubled)}
        </p>
      </Figure>
      <Figure label={words.lastBackup} value={last === '' ? strings.common.never : formats.ago(last)}>
        {last !== '' && <p className="ui-soft ui-small">{formats.dateTime(last)}</p>}
      </Figure>
    </div>
  );
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
