import { Entry } from '@napi-rs/keyring';
import { keychainRequest, type KeychainAnswer, type KeychainRequest } from './keychain-wire.ts';

// A process of its own, for one request: a keychain that is locked holds whoever asks it until a person answers.

const SERVICE = 'Holdfast';
/** The other keychain of Linux forgets everything when the computer starts. */
const PLACE = { linux: { store: 'secret-service' } } as const;

process.once('message', (message) => {
  process.send?.(answerTo(message), () => process.disconnect());
});

function answerTo(message: unknown): KeychainAnswer {
  try {
    return answered(keychainRequest.parse(message));
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) };
  }
}

function answered(request: KeychainRequest): KeychainAnswer {
  const entry = new Entry(SERVICE, request.account, PLACE);
  switch (request.kind) {
    case 'get': {
      const secret = entry.getPassword();
      return secret === null ? { ok: true } : { ok: true, secret };
    }
    case 'set':
      entry.setPassword(request.secret);
      return { ok: true };
    case 'delete':
      entry.deleteCredential();
      return { ok: true };
  }
}
