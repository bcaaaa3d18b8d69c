import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import type { AgentTrouble } from '../../../ipc/home-state.ts';
import { call } from '../../bridge/bridge.ts';
import { FailureNotice } from '../../../ui/requests/failure-notice.tsx';
import { Button } from '../../../ui/buttons/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { useAction } from '../../../ui/requests/use-action.ts';
import { useLanguage } from '../../shared/use-language.ts';
import '../home/state-panel.css';
import './agent-trouble.css';

interface AgentTroubleProps {
  readonly trouble: AgentTrouble;
  /** The folder with this computer's data. */
  readonly home: string;
}

/** Replaces all views while the agent does not run: what is wrong, and what to do. */
export function AgentTroubleView({ trouble, home }: AgentTroubleProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.home.trouble;
  const [saved, setSaved] = useState<string>();
  const { isPending, failure, run } = useAction();
  useEffect(() => {
    document.title = strings.common.product;
  }, [strings]);
  const save = (): void =>
    run(async () => {
      const { path } = await call('shell.save-diagnostics', {});
      setSaved(path);
    });
  return (
    <main className="trouble">
      <div className="trouble-page ui-stack">
        <header className="home-state" data-tone="bad">
          <span className="home-state-mark">
            <Icon name="attention" />
          </span>
          <h1>
            {words.title} <span className="home-state-detail">{words.problems[trouble.problem]}</span>
          </h1>
        </header>
        <p>{words.todo}</p>
        <div className="trouble-actions">
          <Button kind="primary" isPending={isPending} onPress={() => run(() => call('shell.restart-agent', {}))}>
            {strings.common.retry}
          </Button>
          <Button onPress={save}>{words.save}</Button>
          <Button onPress={() => run(() => call('shell.show-path', { path: home }))}>{words.showData}</Button>
        </div>
        <FailureNotice failure={failure} />
        {saved !== undefined && (
          <p role="status" data-live-announcer>
            {words.saved(saved)}
          </p>
        )}
        {trouble.lines.length > 0 && (
          <section className="ui-stack-tight" aria-label={words.lines}>
            <h2 className="ui-small ui-soft">{words.lines}</h2>
            <pre className="trouble-lines">{trouble.lines.join('\n')}</pre>
          </section>
        )}
      </div>
    </main>
  );
}
