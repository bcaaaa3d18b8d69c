import type { UserSession } from '../../protocol/auth.ts';
import { HoldfastError } from '../../base/errors/errors.ts';
import {
  beginProviderSignIn,
  finishProviderSignIn,
  type ProviderReturn,
} from '../../remote/sign-in/provider-sign-in.ts';
import type { ServiceCalls } from '../../remote/client/service-calls.ts';
import { LoopbackListener } from './loopback-listener.ts';
import { openAddress } from './open-address.ts';

/** The steps of the sign-in that a person takes part in. */
export interface ProviderDialogue {
  readonly provider: string;
  /** Shows the sign-in page, which is also opened if there is a screen. */
  readonly showAddress: (address: string) => void;
  /** Asks for the current code of the authenticator app of that name. */
  readonly askCode: (factor: string) => Promise<string>;
}

/**
 * Signs a person in at an identity provider with a browser, and with a code here.
 *
 * @throws HoldfastError `provider_refused`, `code_needed`, `code_wrong`, `usage`, `service_*`
 */
export async function providerSession(
  calls: ServiceCalls,
  { provider, showAddress, askCode }: ProviderDialogue,
  environment: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<UserSession> {
  const returned = await returnFromProvider(
    calls,
    provider,
    (address) => {
      showAddress(address);
      openAddress(address, environment);
    },
    signal,
  );
  return await finishProviderSignIn(calls, returned, askCode, signal);
}

/**
 * Sends a person to an identity provider and waits for the browser's redirect.
 *
 * @param show opens the page on which the person signs in
 * @throws HoldfastError `provider_refused`; the signal's reason
 */
export async function returnFromProvider(
  calls: ServiceCalls,
  provider: string,
  show: (address: string) => void,
  signal?: AbortSignal,
): Promise<ProviderReturn> {
  await using listener = await LoopbackListener.open();
  const { address, verifier } = beginProviderSignIn(calls, provider, listener.address);
  show(address);
  const returned = await listener.returned(signal);
  const code = returned.get('code');
  if (code === null) {
    const detail = returned.get('error_description') ?? returned.get('error') ?? undefined;
    throw new HoldfastError('provider_refused', { address: calls.baseUrl, detail });
  }
  return { code, verifier };
}
