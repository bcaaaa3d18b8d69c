import { because, detail, type Describe, type Sentences } from './sentence.ts';

type Code =
  | 'service_unreachable'
  | 'service_broken'
  | 'service_error'
  | 'service_busy'
  | 'service_answer_suspicious'
  | 'quota_exceeded';

const broken: Describe = (details) => {
  const address = detail(details, 'address', 'The address');
  const contentType = details['contentType'];
  const field = details['field'];
  if (field !== undefined) {
    return {
      what: `${address} answered something else than the interface says, at "${detail(details, 'field', '')}".`,
      todo: 'Check the address; if it is right, its operator has to look into it.',
    };
  }
  return {
    what: `${address} answers, but not as a backup service${contentType === undefined || contentType === '' ? '' : ` (it sent ${detail(details, 'contentType', '')})`}.`,
    todo: "Check the service's address, and whether a proxy or a sign-in page stands in between.",
  };
};

export const serviceSentences: Sentences<Code> = {
  service_unreachable: (details) => ({
    what: `${detail(details, 'address', 'The service')} cannot be reached${because(details, 'reason')}.`,
    todo: 'Check the address and the network; the next run continues where this one stopped.',
  }),
  service_broken: broken,
  service_error: (details) => ({
    what: `The service refused or failed with status ${detail(details, 'status', 'unknown')}${details['detail'] === undefined ? '' : `: ${detail(details, 'detail', '')}`}.`,
    todo: 'Try again later; if it stays so, tell its operator what this message says.',
  }),
  service_busy: (details) => ({
    what: 'The service is too busy and asks to wait.',
    todo: `Try again ${details['retryAfterSeconds'] === undefined ? 'later' : `in ${detail(details, 'retryAfterSeconds', '')} seconds`}; nothing is lost.`,
  }),
  service_answer_suspicious: (details) => ({
    what: `The service's answer does not fit what this computer has seen${because(details)}; it may be older or altered.`,
    todo: 'Change nothing at the service, and ask its operator whether it was restored from an old copy.',
  }),
  quota_exceeded: (details) => ({
    what: `The account's storage is full${because(details, 'detail')}.`,
    todo: 'Get more storage for the account, or take something out of the backup set.',
  }),
};
