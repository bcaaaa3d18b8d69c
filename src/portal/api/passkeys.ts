import { browserSupportsWebAuthn, startAuthentication, startRegistration } from '@simplewebauthn/browser';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import { ACCOUNT_ENDPOINTS } from '../../protocol/accounts.ts';
import type { Confirmation } from '../../protocol/accounts.ts';
import type { Passkey, PasskeyOptions } from '../../protocol/portal/passkeys.ts';
import { PORTAL_ENDPOINTS, PORTAL_GATEWAY } from '../../protocol/portal/portal.ts';
import type { PortalSignedIn } from '../../protocol/portal/portal.ts';
import { call } from './call.ts';
import { PortalFailure } from './failure.ts';

const account = (name: 'passkeys' | 'passkeyOptions' | 'passkey' | 'confirmation' | 'confirmationOptions'): string =>
  `${PORTAL_GATEWAY}${ACCOUNT_ENDPOINTS[name]}`;

/** Passkeys of the person. Each use asks them through the browser. @throws PortalFailure `passkey_cancelled` */
export const passkeys = {
  areSupported: (): boolean => browserSupportsWebAuthn(),
  /** @param code of an authenticator app that the person has */
  add: async (name: string, code: string): Promise<Passkey> => {
    const body = { friendly_name: name, code };
    const { options } = await call<PasskeyOptions>('POST', account('passkeyOptions'), { body });
    const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON;
    const credential = await startRegistration({ optionsJSON }).catch(cancelled);
    return call<Passkey>('POST', account('passkeys'), { body: { credential } });
  },
  remove: (id: string, code: string): Promise<void> =>
    call<void>('DELETE', account('passkey'), { parameters: { passkey_id: id }, body: { code } }),
  /** Allows this sign-in for ten minutes what takes a fresh code. */
  confirm: async (): Promise<Confirmation> => {
    const credential = await signature(account('confirmationOptions'), {});
    return call<Confirmation>('POST', account('confirmation'), { body: { credential } });
  },
  signIn: async (mfaToken: string): Promise<PortalSignedIn> => {
    const credential = await signature(PORTAL_ENDPOINTS.passkeyOptions, { mfa_token: mfaToken });
    return call<PortalSignedIn>('POST', PORTAL_ENDPOINTS.verify, { body: { mfa_token: mfaToken, credential } });
  },
};

async function signature(path: string, body: object) {
  const { options } = await call<PasskeyOptions>('POST', path, { body });
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON;
  return startAuthentication({ optionsJSON }).catch(cancelled);
}

/** Browsers do not say whether the person cancelled, or nothing fits. */
function cancelled(error: unknown): never {
  const isKnown = error instanceof Error && error.name === 'InvalidStateError';
  throw new PortalFailure(0, isKnown ? 'passkey_known' : 'passkey_cancelled');
}
