import { durationText } from '../text.ts';
import { because, detail, type Describe, type Sentences } from './sentence.ts';

type Code =
  | 'keychain_unavailable'
  | 'phrase_invalid'
  | 'phrase_other_account'
  | 'phrase_needed'
  | 'passphrase_wrong'
  | 'password_wrong'
  | 'code_needed'
  | 'code_wrong'
  | 'provider_refused'
  | 'signed_out'
  | 'device_refused'
  | 'clock_wrong'
  | 'permission_denied';

/** `2 h 0 min ahead of` */
function clockText(aheadMs: number): string {
  return `${durationText(Math.round(Math.abs(aheadMs) / 60_000) * 60)} ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
}

const notPermitted: Describe = (details) => ({
  what: `The service does not permit this${details['detail'] === undefined ? '' : `: ${detail(details, 'detail', '')}`}.`,
  todo: "Ask the account's owner for the permission that this device lacks.",
});

const bucketRefuses: Describe = (details) => ({
  what: `${detail(details, 'bucket', 'The bucket')} refuses these keys${because(details, 'detail')}.`,
  todo: 'Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, the endpoint and the region, and what the keys may do there.',
});

const phraseInvalid: Describe = (details) => {
  const what = 'This is not a recovery phrase';
  if (details['problem'] === 'words') {
    return {
      what: `${what}: it has ${detail(details, 'count', 'another number of')} words, not 24.`,
      todo: 'Copy all 24 words, in their order.',
    };
  }
  if (details['problem'] === 'unknown-word') {
    const suggestion = details['suggestion'];
    return {
      what: `${what}: its word ${detail(details, 'position', '')}, "${detail(details, 'word', '')}", is none of the list.`,
      todo: suggestion === undefined ? 'Check that word.' : `Did it say "${detail(details, 'suggestion', '')}"?`,
    };
  }
  return {
    what: `${what}: its checksum does not fit, so a word is wrong or two have changed places.`,
    todo: 'Compare it with your recovery kit word by word.',
  };
};

const keychainUnavailable: Describe = (details) => {
  const what = "The keys of this home are protected by the system's keychain";
  switch (details['problem']) {
    case 'no-key':
      return {
        what: `${what}, which has no key for it.`,
        todo: 'Where the keychain was lost, set a new home up with your recovery phrase: holdfast setup --recovery-phrase-file FILE',
      };
    case 'no-answer':
      return { what: `${what}, which does not answer.`, todo: 'Unlock it, and try again.' };
    default:
      return {
        what: `${what}, which cannot be used here${because(details, 'problem')}.`,
        todo: 'Run this in the desktop session of the person whose keychain it is. The app can move the keys to a file.',
      };
  }
};

export const keySentences: Sentences<Code> = {
  keychain_unavailable: keychainUnavailable,
  phrase_invalid: phraseInvalid,
  phrase_other_account: () => ({
    what: 'This recovery phrase is valid, but the backups at this destination are under another key.',
    todo: 'Use the phrase that was shown when these backups were first set up, or choose another destination.',
  }),
  phrase_needed: () => ({
    what: 'The destination holds backups already, and this home has no key that opens them.',
    todo: 'Adopt them with your recovery phrase: add --recovery-phrase-file FILE',
  }),
  passphrase_wrong: () => ({
    what: 'The passphrase does not open the key of these backups.',
    todo: 'Try it again, or use the recovery phrase instead.',
  }),
  password_wrong: () => ({
    what: 'The service does not accept this e-mail address and password.',
    todo: 'Check both and try again.',
  }),
  provider_refused: (details) => ({
    what: `The sign-in through the identity provider did not succeed: ${detail(details, 'detail', 'it was refused')}.`,
    todo: 'Try it again, and ask whoever runs the service whether your e-mail address has an account there.',
  }),
  code_needed: () => ({
    what: 'The service asks for a code of your authenticator app.',
    todo: 'Give it with --code 123456.',
  }),
  code_wrong: () => ({
    what: 'The service does not accept this code.',
    todo: 'Wait for the next code of your authenticator app; each is good once. Check this clock if it happens again.',
  }),
  signed_out: () => ({
    what: 'The service has ended the sign-in of this home.',
    todo: 'Sign in again: holdfast setup --server URL --email E --password-file F --code 123456, on a new home.',
  }),
  device_refused: (details) => ({
    what: `The service does not accept the key of device ${detail(details, 'deviceId', '')}.`.replace(' .', '.'),
    todo: 'Check the device id and its key; it may have been revoked. Then set up with the right ones.',
  }),
  clock_wrong: ({ aheadMs }) => ({
    what:
      typeof aheadMs === 'number'
        ? `This computer's clock is ${clockText(aheadMs)} the service's, which therefore refuses its key.`
        : "This computer's clock and the service's differ by more than 5 min, so that it refuses this computer's key.",
    todo: 'Set the clock and try it again.',
  }),
  permission_denied: (details) => (details['bucket'] === undefined ? notPermitted(details) : bucketRefuses(details)),
};
