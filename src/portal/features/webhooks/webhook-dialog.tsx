import { useState } from 'react';
import type { ReactElement } from 'react';
import { Form } from 'react-aria-components';
import type { PortalWebhook } from '../../../protocol/portal.ts';
import { EVENT_TYPES, eventType } from '../../../protocol/webhooks.ts';
import type { EventType } from '../../../protocol/webhooks.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { CheckboxList } from '../../../ui/choices/checkbox-list.tsx';
import { ModalDialog } from '../../../ui/dialogs/modal-dialog.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { useAction } from '../../api/use-action.ts';
import { FailureNotice } from '../../shared/failure-notice.tsx';
import { formText } from '../../shared/form-text.ts';
import { useLanguage } from '../../strings/language.ts';

const ALL = 'all';
const OPTIONS = EVENT_TYPES.map((type) => ({ value: type, label: type }));

interface WebhookDialogProps {
  readonly title: string;
  /** What the button says that does it. */
  readonly submit: string;
  /** Nothing for a new one. */
  readonly webhook?: Pick<PortalWebhook, 'url' | 'events'>;
  /** @param events none means all */
  readonly work: (url: string, events: readonly EventType[]) => Promise<void>;
  readonly onClose: () => void;
}

/** Where a webhook leads, and which events it is told. */
export function WebhookDialog({ title, submit, webhook, work, onClose }: WebhookDialogProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.webhooks;
  const action = useAction();
  const [all, setAll] = useState<readonly string[]>(webhook && webhook.events.length > 0 ? [] : [ALL]);
  const [chosen, setChosen] = useState<readonly string[]>(
    webhook && webhook.events.length > 0 ? webhook.events : ['backup.failed'],
  );
  const takesAll = all.includes(ALL);
  return (
    <ModalDialog title={title} onClose={onClose}>
      <Form
        className="ui-stack"
        onSubmit={(event) => {
          event.preventDefault();
          const url = formText(event.currentTarget, 'url');
          const events = takesAll ? [] : chosen.map((name) => eventType.parse(name));
          action.run(() => work(url, events));
        }}
      >
        <TextField
          label={words.url}
          hint={words.urlHint}
          name="url"
          type="url"
          defaultValue={webhook?.url ?? ''}
          maxLength={2_048}
          takesFocus
          isRequired
        />
        <CheckboxList
          label={words.events}
          options={[{ value: ALL, label: words.allEvents }]}
          value={all}
          onChange={setAll}
        />
        {!takesAll && <CheckboxList label={words.chosenEvents} options={OPTIONS} value={chosen} onChange={setChosen} />}
        <FailureNotice failure={action.failure} />
        <div className="ui-actions">
          <Button onPress={onClose}>{strings.common.cancel}</Button>
          <Button
            kind="primary"
            type="submit"
            isPending={action.isPending}
            isDisabled={!takesAll && chosen.length === 0}
          >
            {submit}
          </Button>
        </div>
      </Form>
    </ModalDialog>
  );
}
