import type { ReactElement } from 'react';
import type { AppState, SetState } from '../../../ipc/state.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Panel } from '../../../ui/layout/panel.tsx';
import { FailureNotice } from '../../../ui/requests/failure-notice.tsx';
import { useAction } from '../../../ui/requests/use-action.ts';
import { call } from '../../bridge/bridge.ts';
import { useLanguage } from '../../shared/use-language.ts';
import './drill-panel.css';

interface DrillPanelProps {
  readonly sets: AppState['sets'];
  readonly isIdle: boolean;
}

/** The newest test restore of each set, if there are or will be any. */
export function DrillPanel({ sets, isIdle }: DrillPanelProps): ReactElement | null {
  const { strings } = useLanguage();
  const words = strings.drill;
  const saving = useAction();
  const tested = sets.filter(({ drill, lastDrill }) => drill !== undefined || lastDrill !== undefined);
  if (tested.length === 0) return null;
  return (
    <Panel
      title={words.title}
      actions={
        tested.some(({ lastDrill }) => lastDrill !== undefined) && (
          <Button
            kind="quiet"
            isPending={saving.isPending}
            onPress={() => saving.run(() => call('shell.save-certificate', {}))}
          >
            {words.save}
          </Button>
        )
      }
    >
      <FailureNotice failure={saving.failure} />
      <ul className="drill-lines">
        {tested.map((set) => (
          <DrillLine key={set.name} set={set} isIdle={isIdle} />
        ))}
      </ul>
      <p className="ui-hint">{words.hint}</p>
    </Panel>
  );
}

function DrillLine({ set, isIdle }: { readonly set: SetState; readonly isIdle: boolean }): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.drill;
  const starting = useAction();
  const { name, lastDrill: last } = set;
  const when = last && formats.when(new Date(last.at).toISOString());
  const hasFailed = last !== undefined && last.failures > 0;
  return (
    <li className="drill-line">
      <span className="drill-mark" data-tone={last === undefined ? 'plain' : hasFailed ? 'bad' : 'good'}>
        <Icon name={last === undefined ? 'clock' : hasFailed ? 'warning' : 'check'} />
      </span>
      <div className="drill-text">
        <p>
          {last
            ? hasFailed
              ? words.failed(name, when!)
              : words.passed(name, when!)
            : formats.labelled(name, words.never)}
        </p>
        {last && (
          <p className="ui-soft ui-small">
            {hasFailed ? words.failures(last.failures) : words.facts(last.files, formats.bytes(last.bytes))}
          </p>
        )}
        <FailureNotice failure={starting.failure} />
      </div>
      {isIdle && (
        <Button
          label={words.startSet(name)}
          isPending={starting.isPending}
          onPress={() => starting.run(() => call('runs.drill', { set: name }))}
        >
          {words.start}
        </Button>
      )}
    </li>
  );
}
