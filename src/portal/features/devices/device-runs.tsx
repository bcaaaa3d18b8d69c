import type { ReactElement } from 'react';
import type { PortalRun } from '../../../protocol/portal/portal-devices.ts';
import { Badge } from '../../../ui/feedback/badge.tsx';
import { DataTable } from '../../../ui/tables/data-table.tsx';
import { useLanguage } from '../../strings/language.ts';

/** The newest runs of a device, with the errors of failed ones. */
export function DeviceRuns({ runs }: { readonly runs: readonly PortalRun[] }): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.device;
  if (runs.length === 0) return <p className="ui-soft">{words.noRuns}</p>;
  return (
    <>
      <DataTable
        caption={words.runs}
        rows={runs}
        keyOf={({ id }) => id}
        columns={[
          {
            id: 'started',
            label: words.started,
            cell: ({ started }) => <span className="portal-short">{formats.dateTime(started)}</span>,
          },
          { id: 'set', label: strings.backups.set, cell: ({ backup_set: set }) => set },
          { id: 'result', label: words.result, cell: (run: PortalRun) => <Result run={run} /> },
          {
            id: 'duration',
            label: words.duration,
            cell: ({ started, ended }) =>
              ended === null ? (
                ''
              ) : (
                <span className="portal-short">
                  {formats.duration((Date.parse(ended) - Date.parse(started)) / 1000)}
                </span>
              ),
          },
          { id: 'files', label: strings.backups.files, align: 'end', cell: ({ files }) => formats.number(files) },
          { id: 'size', label: strings.backups.size, align: 'end', cell: ({ bytes }) => formats.bytes(bytes) },
          { id: 'new', label: words.newData, align: 'end', cell: ({ bytes_new: bytes }) => formats.bytes(bytes) },
        ]}
      />
      <p className="ui-soft ui-small">{words.runsHint}</p>
    </>
  );
}

function Result({ run }: { readonly run: PortalRun }): ReactElement {
  const { strings } = useLanguage();
  const words = strings.device;
  if (run.suspicious) return <Badge tone="bad">{words.suspicious}</Badge>;
  switch (run.state) {
    case 'running':
      return <Badge tone="plain">{words.running}</Badge>;
    case 'failed':
      return (
        <span className="ui-row">
          <Badge tone="bad">{words.failed}</Badge>
          <span className="ui-soft ui-small">{strings.attention.failures[run.failure ?? 'none']}</span>
        </span>
      );
    case 'completed':
      return run.warnings === 0 ? (
        <Badge tone="good">{words.completed}</Badge>
      ) : (
        <Badge tone="warning">{words.warnings(run.warnings)}</Badge>
      );
  }
}
