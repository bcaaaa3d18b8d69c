import { useState } from 'react';
import type { ReactElement, ReactNode, SyntheticEvent } from 'react';
import type { PersonStep } from '../../../ipc/contract/account/account.ts';
import { isHoldfastError } from '../../../base/errors/errors.ts';
import type { Factor } from '../../../ipc/contract/setup.ts';
import { call } from '../../bridge/bridge.ts';
import { FailureNotice } from '../../../ui/requests/failure-notice.tsx';
import { Button } from '../../../ui/buttons/button.tsx';
import { Notice } from '../../../ui/feedback/notice.tsx';
import { useAction } from '../../../ui/requests/use-action.ts';
import { useCall } from '../../bridge/use-call.ts';
import { useLanguage } from '../../shared/use-language.ts';
import { FactorFields } from './factor-fields.tsx';
import { PasswordFields } from './password-fields.tsx';
import type { PasswordEntry } from './password-fields.tsx';
import { ProviderPart } from './provider-part.tsx';
import { useFactor } from './use-factor.ts';

export interface SignInFormProps {
  /** The id of the service; the first by default. */
  readonly destination?: string | undefined;
  /** Why the person has to sign in. */
  readonly lead: ReactNode;
  /** Label of the last button, if it does more than sign in. */
  readonly action?: string;
  readonly isDangerous?: boolean;
  /** Runs after the sign-in. Its failure is shown here. */
  readonly onSigned: () => Promise<unknown> | void;
  readonly onCancel: () => void;
}

/**
 * Signs a person in at the service: by password or through the identity provider, and with a second factor. Its parent ends
 * the sign-in (`account.leave`).
 */
export function SignInForm(props: SignInFormProps): ReactElement {
  const [factors, setFactors] = useState<readonly Factor[]>();
  const [isOver, setOver] = useState(false);
  const onNext = async (step: PersonStep): Promise<void> => {
    if (step.kind === 'factors') setFactors(step.factors);
    else await props.onSigned();
  };
  const over = (): void => {
    setFactors(undefined);
    setOver(true);
  };
  return factors ? (
    <FactorForm {...props} factors={factors} onNext={onNext} onOver={over} />
  ) : (
    <PasswordForm {...props} isOver={isOver} onNext={onNext} />
  );
}

interface PartProps extends SignInFormProps {
  readonly onNext: (step: PersonStep) => Promise<void>;
}

/** Enters the address of the person who is known to use this service. */
function PasswordForm(props: PasswordFormProps): ReactElement | null {
  const shown = useCall('account.show', { destination: props.destination });
  if (shown.kind === 'waiting') return null;
  const email = shown.kind === 'ready' ? shown.value.email : undefined;
  return <FilledPasswordForm {...props} email={email ?? ''} />;
}

function FilledPasswordForm({
  destination,
  lead,
  onCancel,
  onNext,
  isOver,
  email: known,
}: PasswordFormProps & { readonly email: string }): ReactElement {
  const words = useLanguage().strings.account;
  const ways = useCall('account.ways', { destination });
  const [entry, setEntry] = useState<PasswordEntry>({ email: known, password: '' });
  const [isChecked, setChecked] = useState(false);
  const password = useAction();
  const provider = useAction();
  const hasProvider = ways.kind === 'ready' && ways.value.provider;
  const submit = (): void => {
    setChecked(true);
    const email = entry.email.trim();
    if (email === '' || entry.password === '') return;
    provider.clear();
    password.run(async () => onNext(await call('account.sign-in', { email, password: entry.password, destination })));
  };
  const begin = (): void => {
    password.clear();
    provider.run(async () => onNext(await call('account.sign-in-with-provider', { destination })));
  };
  const stop = (): void => void call('account.leave', {}).catch(() => undefined);
  return (
    <Fields lead={lead} onSubmit={submit}>
      {isOver && password.failure === undefined && <Notice tone="warning">{words.over}</Notice>}
      <PasswordFields
        entry={entry}
        isChecked={isChecked}
        takesFocus={known === '' ? 'email' : 'password'}
        onChange={(change) => setEntry((before) => ({ ...before, ...change }))}
      />
      <FailureNotice failure={password.failure} />
      {hasProvider && <ProviderPart action={provider} onBegin={begin} onStop={stop} />}
      <Actions isPending={password.isPending} label={words.signIn} onCancel={onCancel} />
    </Fields>
  );
}

interface PasswordFormProps extends PartProps {
  /** An earlier sign-in has expired. */
  readonly isOver: boolean;
}

interface FactorFormProps extends PartProps {
  readonly factors: readonly Factor[];
  readonly onOver: () => void;
}

function FactorForm(props: FactorFormProps): ReactElement {
  const { lead, action, isDangerous = false, factors, onNext, onOver, onCancel } = props;
  const words = useLanguage().strings.account;
  const entry = useFactor(factors);
  const verification = useAction();
  const submit = (): void => {
    const given = entry.check();
    if (!given) return;
    verification.run(async () => {
      const step = await verify(given, entry.refuse, onOver);
      if (step) await onNext(step);
    });
  };
  return (
    <Fields lead={lead} onSubmit={submit}>
      <FactorFields entry={entry} />
      <FailureNotice failure={verification.failure} />
      <Actions
        isPending={verification.isPending}
        label={action ?? words.signIn}
        isDangerous={isDangerous}
        onCancel={onCancel}
      />
    </Fields>
  );
}

/** @returns `undefined` after a wrong or late code, for which it has called `refused` or `over` */
async function verify(
  given: { readonly factor: string; readonly code: string },
  refused: () => void,
  over: () => void,
): Promise<PersonStep | undefined> {
  try {
    return await call('account.verify-factor', given);
  } catch (error) {
    const code = isHoldfastError(error) ? error.code : undefined;
    if (code === 'code_wrong') refused();
    else if (code === 'signed_out') over();
    else throw error;
    return undefined;
  }
}

interface FieldsProps {
  readonly lead: ReactNode;
  readonly onSubmit: () => void;
  readonly children: ReactNode;
}

/** Turns off the browser's validation, whose messages are in the language of the browser. */
function Fields({ lead, onSubmit, children }: FieldsProps): ReactElement {
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form className="ui-stack" noValidate onSubmit={submit}>
      {lead}
      {children}
    </form>
  );
}

interface ActionsProps {
  readonly isPending: boolean;
  readonly label: string;
  readonly isDangerous?: boolean;
  readonly onCancel: () => void;
}

function Actions({ isPending, label, isDangerous = false, onCancel }: ActionsProps): ReactElement {
  const { strings } = useLanguage();
  return (
    <div className="ui-actions">
      <Button onPress={onCancel}>{strings.common.cancel}</Button>
      <Button kind={isDangerous ? 'danger' : 'primary'} type="submit" isPending={isPending}>
        {label}
      </Button>
    </div>
  );
}
