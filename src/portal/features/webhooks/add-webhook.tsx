import { useState } from 'react';
import type { ReactElement } from 'react';
import { Form } from 'react-aria-components';
import type { WebhookSecret } from '../../../protocol/portal.ts';
import { EVENT_TYPES, eventType } from '../../../protocol/webhooks.ts';
import { Button } from '../../../renderer/ui/button.tsx';
import { CheckboxList } from '../../../renderer/ui/checkbox-list.tsx';
import { ModalDialog } from '../../../renderer/ui/modal-dialog.tsx';
import { TextField } from '../../../renderer/ui/text-field.tsx';
import { webhooks } from '../../api/calls.ts';
import { useAction } from '../../api/use-action.ts';
import { FailureNotice } from '../../shell/failure-notice.tsx';
import { formText } from '../../shell/form-text.ts';
import { useLanguage } from '../../strings/language.ts';

const ALL = 'all';
const OPTIONS = EVENT_TYPES.map((type) => ({ value: type, label: type }));

interface AddWebhookProps {
  readonly onAdded: (secret: WebhookSecret) => void;
  readonly onClose: () => void;
}

export function AddWebhook({ onAdded, onClose }: AddWebhookProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.webhooks;
  const action = useAction();
  const [all, setAll] = useState<readonly string[]>([ALL]);
  const [chosen, setChosen] = useState<readonly string[]>(['backup.failed']);
  const takesAll = all.includes(ALL);
  return (
    <ModalDialog title={words.add} onClose={onClose}>
      <Form
        className="ui-stack"
        onSubmit={(event) => {
          event.preventDefault();
          const url = formText(event.currentTarget, 'url');
          const events = takesAll ? [] : chosen.map((name) => eventType.parse(name));
          action.run(() => webhooks.create(url, events).then(onAdded));
        }}
      >
        <TextField
          label={words.url}
          hint={words.urlHint}
          name="url"
          type="url"
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
            {words.add}
          </Button>
        </div>
      </Form>
    </ModalDialog>
  );
}
