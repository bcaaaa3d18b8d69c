import type { ReactElement } from 'react';
import type { EnrolledFactor } from '../../../protocol/accounts.ts';
import { useLanguage } from '../../strings/language.ts';

/** The secret for an authenticator app, as a QR code and as text. */
export function AppSecret({ totp }: { readonly totp: EnrolledFactor['totp'] }): ReactElement {
  const { strings } = useLanguage();
  return (
    <>
      <img className="ui-qr" src={totp.qr_code} alt={strings.entrance.qr} />
      <div className="ui-secret">
        <p className="ui-soft ui-small">{strings.entrance.enrolSecret}</p>
        <code>{totp.secret.replace(/(.{4})/g, '$1 ').trim()}</code>
      </div>
    </>
  );
}
