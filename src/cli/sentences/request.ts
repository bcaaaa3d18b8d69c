import { because, detail, listed, moment, type Describe, type Sentences } from './sentence.ts';

type Code =
  | 'usage'
  | 'set_unknown'
  | 'set_exists'
  | 'path_not_found'
  | 'no_restore_point'
  | 'time_invalid'
  | 'not_set_up'
  | 'already_set_up';

const usage: Describe = (details) => {
  const problem = detail(details, 'problem', '');
  return (USAGE_PROBLEMS[problem] ?? otherUsage)(details);
};

const otherUsage: Describe = (details) => {
  if (details['address'] !== undefined) return addressInvalid(details);
  return {
    what: detail(details, 'message', `That cannot be done${because(details)}.`),
    todo: 'Run the command with --help to see what it takes.',
  };
};

const addressInvalid: Describe = (details) => ({
  what: `"${detail(details, 'address', '')}" is not the address of a service.`,
  todo: 'Give it like https://backup.example.org, without a query or a fragment.',
});

/** By `problem` of the details. */
const USAGE_PROBLEMS: Readonly<Record<string, Describe>> = {
  schedule: (details) => ({
    what: `"${detail(details, 'schedule', '')}" is not a schedule that Holdfast knows.`,
    todo: `Write it in one of these forms: ${detail(details, 'forms', '')}.`,
  }),
  preset: (details) => ({
    what: `There is no exclusion preset named "${detail(details, 'preset', '')}".`,
    todo: `Choose among: ${detail(details, 'known', '')}.`,
  }),
  'set-name': (details) => ({
    what: `"${detail(details, 'name', '')}" cannot be the name of a backup set.`,
    todo: 'Use 1 to 100 characters, not beginning or ending with a space, and none of them a control character.',
  }),
  'set-without-paths': () => ({
    what: 'A backup set needs at least one folder or file.',
    todo: 'Name them after the set: holdfast set add NAME PATH...',
  }),
  'nested-paths': (details) => ({
    what: `${detail(details, 'inner', 'One path')} lies inside ${detail(details, 'outer', 'another')}, which is in the set too.`,
    todo: 'Leave one of the two out; a folder is always backed up with all that is in it.',
  }),
  'inside-own-folder': (details) => ({
    what: `${detail(details, 'path', 'That path')} lies inside ${detail(details, 'folder', '')}, where Holdfast keeps its own data.`,
    todo: 'Choose a folder of yours; Holdfast never backs its own data up into itself.',
  }),
  'path-escape': (details) => ({
    what: `${detail(details, 'path', 'That path')} is not an absolute path without "." and "..".`,
    todo: 'Give the path as "holdfast ls" shows it.',
  }),
  unavailable: (details) => ({
    what: detail(details, 'message', 'That is not available in this version.'),
    todo: 'See what this version has with: holdfast --help',
  }),
  'file-unreadable': (details) => ({
    what: `The file ${detail(details, 'file', '')} cannot be read${because(details, 'reason')}.`,
    todo: 'Check the name and whether you may read it.',
  }),
  'file-empty': (details) => ({
    what: `The file ${detail(details, 'file', '')} is empty.`,
    todo: 'Put the secret into it, as its first line.',
  }),
  'destination-foreign': (details) => ({
    what: `${detail(details, 'directory', 'The destination')} is not empty, and what is in it is not a Holdfast store.`,
    todo: 'Choose an empty folder, or one that does not exist yet.',
  }),
  'destination-newer': (details) => ({
    what: `${detail(details, 'directory', 'The destination')} was written by a newer version of Holdfast.`,
    todo: 'Install the newest version on this computer.',
  }),
  'device-unknown': (details) => ({
    what: `The destination knows no device "${detail(details, 'device', '')}".`,
    todo: `Choose one of: ${detail(details, 'known', 'none')}.`,
  }),
  'factor-missing': (details) => ({
    what: 'Your account has no second factor yet.',
    todo: `Set one up at ${detail(details, 'address', 'the service')} with a browser, then try again.`,
  }),
  'device-id-needed': () => ({
    what: 'This service cannot register a new device.',
    todo: 'Give the id of the device that you were given, with --device-id.',
  }),
  'bucket-address': (details) => ({
    what: `"${detail(details, 'bucket', '')}" is not the address of a bucket.`,
    todo: 'Give it like s3://my-bucket or s3://my-bucket/some/prefix.',
  }),
  'bucket-endpoint': (details) => ({
    what: `"${detail(details, 'endpoint', '')}" is not the endpoint of a store of buckets.`,
    todo: 'Give it like https://s3.example.org, without a path.',
  }),
  'bucket-keys': () => ({
    what: 'A bucket needs keys, and there are none.',
    todo: 'Put them into the environment, as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
  }),
  'bucket-unconditional': (details) => ({
    what: `The store of ${detail(details, 'bucket', 'this bucket')} does not know conditional requests (If-None-Match), so backups could overwrite each other there.`,
    todo: 'Choose another store, or update it.',
  }),
  'limit-without-service': (details) => ({
    what: `${detail(details, 'directory', 'The destination')} is a ${details['bucket'] === true ? 'bucket' : 'folder'}, and limits are for services.`,
    todo: 'Leave --limit-upload and --limit-download out.',
  }),
  'passphrase-empty': () => ({
    what: 'The passphrase is empty.',
    todo: 'Put one into the file that --passphrase-file names.',
  }),
};

export const requestSentences: Sentences<Code> = {
  usage,
  set_unknown: (details) => ({
    what:
      details['deviceId'] === undefined
        ? `There is no backup set named "${detail(details, 'set', '')}" on this home.`
        : `There is no backup set named "${detail(details, 'set', '')}", neither here nor at the service.`,
    todo:
      listed(details, 'known').length === 0
        ? 'Make one with: holdfast set add NAME PATH...'
        : `Choose one of: ${detail(details, 'known', '')}.`,
  }),
  set_exists: (details) => ({
    what: `A backup set named "${detail(details, 'set', '')}" exists already.`,
    todo: 'Choose another name, or take the old one off this home first with: holdfast set remove NAME',
  }),
  path_not_found: (details) => {
    const names = listed(details, 'names');
    const parent = detail(details, 'parent', '');
    const near = names.length === 0 ? '' : `${parent === '' ? 'There' : parent} has: ${names.join(', ')}.`;
    return {
      what: `${detail(details, 'path', 'That path')} is not in this restore point.`,
      todo: near === '' ? 'See what is there with: holdfast ls NAME' : near,
    };
  },
  no_restore_point: (details) => ({
    what: `There is no restore point${details['time'] === undefined ? '' : ` at or before ${moment(details['time'])}`}.`,
    todo:
      listed(details, 'nearest').length > 0
        ? `The nearest are: ${detail(details, 'nearest', '')}.`
        : 'Nothing was backed up in this set yet; see: holdfast points NAME',
  }),
  time_invalid: (details) =>
    details['problem'] === 'future'
      ? {
          what: `"${detail(details, 'time', '')}" is still to come, and restore points lie in the past.`,
          todo: 'Give a time that is over, or latest for the newest one.',
        }
      : {
          what: `"${detail(details, 'time', '')}" is not a time that Holdfast understands.`,
          todo: 'Write it like 2026-11-21T14:05:00Z, 2026-11-21, "2 hours ago", "yesterday 14:00" or latest.',
        },
  not_set_up: () => ({
    what: 'Holdfast is not set up on this home.',
    todo: 'Choose where backups go: holdfast setup --destination DIR',
  }),
  already_set_up: (details) => ({
    what: `This home is set up already, with ${detail(details, 'destination', 'a destination')}.`,
    todo: 'Use it as it is, or give another folder with --home; one home has one destination.',
  }),
};
