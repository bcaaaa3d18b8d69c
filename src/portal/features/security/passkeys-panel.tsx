import { useState } from 'react';
import type { ReactElement } from 'react';
import type { AccountUser } from '../../../protocol/accounts.ts';
import type { Passkey } from '../../../protocol/portal/passkeys.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { Panel } from '../../../ui/layout/panel.tsx';
import { passkeys } from '../../api/passkeys.ts';
import { CodeField } from '../../shared/code-field.tsx';
import { Confirmation } from '../../shared/confirmation.tsx';
import { formCode, formText } from '../../shared/form-text.ts';
import { useLanguage } from '../../strings/language.ts';

type Open = { readonly kind: 'add' } | { readonly kind: 'remove'; readonly passkey: Passkey };

interface PasskeysPanelProps {
  readonly user: AccountUser;
  readonly onChanged: () => void;
}

/** The person's passkeys; nothing if there are none and the browser makes none here. */
export function PasskeysPanel({ user, onChanged }: PasskeysPanelProps): ReactElement | null {
  const { strings } = useLanguage();
  const words = strings.passkeys;
  const [open, setOpen] = useState<Open>();
  const close = (): void => setOpen(undefined);
  const done = (): void => {
    close();
    onChanged();
  };
  const mayAdd = user.may_add_passkeys && passkeys.areSupported();
  if (!mayAdd && user.passkeys.length === 0) return null;
  return (
    <Panel
      title={words.title}
      {...(mayAdd ? { actions: <Button onPress={() => setOpen({ kind: 'add' })}>{words.add}</Button> } : {})}
    >
      <p className="ui-soft">{words.lead}</p>
      {user.passkeys.length > 0 && (
        <ul className="portal-list">
          {user.passkeys.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} onRemove={() => setOpen({ kind: 'remove', passkey })} />
          ))}
        </ul>
      )}
      {open?.kind === 'add' && (
        <FormDialog
          title={words.add}
          submit={strings.entrance.next}
          work={async (form) => {
            await passkeys.add(formText(form, 'name'), formCode(form));
            done();
          }}
          onClose={close}
        >
          <p>{words.addLead}</p>
          <TextField label={words.name} hint={words.nameHint} name="name" maxLength={100} takesFocus isRequired />
          <CodeField hint={words.codeHint} />
        </FormDialog>
      )}
      {open?.kind === 'remove' && (
        <Confirmation
          title={words.removeTitle(open.passkey.friendly_name)}
          body={words.removeBody}
          action={words.remove}
          asksCode
          work={(code) => passkeys.remove(open.passkey.id, code)}
          onDone={done}
          onClose={close}
        />
      )}
    </Panel>
  );
}

function PasskeyRow({ passkey, onRemove }: { readonly passkey: Passkey; readonly onRemove: () => void }): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.passkeys;
  const { friendly_name: name, last_used_at: used, created_at: created } = passkey;
  return (
    <li>
      <span>
        {name}{' '}
        <span className="ui-soft ui-small">
          {used === null ? words.addedAt(formats.ago(created)) : words.usedAt(formats.ago(used))}
        </span>
      </span>
      <Button kind="quiet" label={words.removeOf(name)} onPress={onRemove}>
        {words.remove}
      </Button>
    </li>
  );
}
