import { useState } from 'react';
import type { ReactElement } from 'react';
import type { PortalWebhook } from '../../../protocol/portal/portal.ts';
import { EVENT_TYPES, eventType } from '../../../protocol/webhooks.ts';
import type { EventType } from '../../../protocol/webhooks.ts';
import { CheckboxList } from '../../../ui/choices/checkbox-list.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { formText } from '../../shared/form-text.ts';
import { useLanguage } from '../../strings/language.ts';
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx';

const ALL = 'all';
const OPTIONS = EVENT_TYPES.map((type) => ({ value: type, label: type }));

interface WebhookDialogProps {
  readonly title: string;
  /** Label of the button that submits. */
  readonly submit: string;
  /** `undefined` for a new one. */
  readonly webhook?: Pick<PortalWebhook, 'url' | 'events'>;
  /** @param events an empty list means all */
  readonly work: (url: string, events: readonly EventType[]) => Promise<void>;
  readonly onClose: () => void;
}

/** The address of a webhook and its events. */
export function WebhookDialog({ title, submit, webhook, work, onClose }: WebhookDialogProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.webhooks;
  const [all, setAll] = useState<readonly string[]>(webhook && webhook.events.length > 0 ? [] : [ALL]);
  const [chosen, setChosen] = useState<readonly string[]>(
    webhook && webhook.events.length > 0 ? webhook.events : ['backup.failed'],
  );
  const takesAll = all.includes(ALL);
  return (
    <FormDialog
      title={title}
      submit={submit}
      isDisabled={!takesAll && chosen.length === 0}
      work={(form) => work(formText(form, 'url'), takesAll ? [] : chosen.map((name) => eventType.parse(name)))}
      onClose={onClose}
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
    </FormDialog>
  );
}
