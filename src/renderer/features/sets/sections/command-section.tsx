import type { ReactElement } from 'react';
import type { RetentionForm } from '../../../../ipc/contract/sets.ts';
import type { SetForm } from '../../../../model/set.ts';
import { call } from '../../../bridge/bridge.ts';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { Loaded } from '../../../../ui/requests/loaded.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { toast } from '../../../../ui/feedback/toast.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { useCall } from '../../../bridge/use-call.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { formOf } from '../draft/draft.ts';
import type { Draft } from '../draft/draft.ts';

/** The commands that make the same set. */
export function CommandSection({ draft }: { readonly draft: Draft }): ReactElement {
  const words = useLanguage().strings.sets.command;
  const form = formOf(draft);
  const isFinished = form.name !== '' && form.roots.length > 0;
  return (
    <div className="ui-stack">
      <p className="ui-soft">{words.lead}</p>
      {isFinished ? <Commands form={form} policy={draft.policy} /> : <p className="ui-soft">{words.waiting}</p>}
    </div>
  );
}

interface CommandsProps {
  readonly form: SetForm;
  readonly policy: RetentionForm | undefined;
}

function Commands({ form, policy }: CommandsProps): ReactElement {
  const words = useLanguage().strings.sets.command;
  const isThinned = policy !== undefined && Object.keys(policy).length > 0;
  const answer = useCall('sets.command', { form, ...(isThinned ? { policy } : {}) });
  return (
    <Loaded resource={answer}>
      {({ command, retention }) => (
        <>
          <Command command={command} />
          {retention !== undefined && (
            <>
              <p className="ui-soft">{words.retention}</p>
              <Command command={retention} />
            </>
          )}
        </>
      )}
    </Loaded>
  );
}

function Command({ command }: { readonly command: string }): ReactElement {
  const words = useLanguage().strings.sets.command;
  const copying = useAction();
  return (
    <>
      <pre className="ui-well">
        <code>{command}</code>
      </pre>
      <div className="ui-row">
        <Button
          isPending={copying.isPending}
          onPress={() => copying.run(() => call('shell.copy', { text: command }).then(() => toast(words.copied)))}
        >
          {words.copy}
        </Button>
      </div>
      <FailureNotice failure={copying.failure} />
    </>
  );
}
