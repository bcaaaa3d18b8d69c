/**
 * `npm run conformance -- --url URL …`: checks a service against the interface from outside, and prints a line for each
 * clause. Afterwards it ends its sessions and has its backup sets erased, where the service can do that.
 *
 * Exit code 0 if every clause of the interface holds, 1 if one is violated, 2 for wrong usage.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { judge } from './clause.ts';
import type { Clause, Verdict } from './clause.ts';
import { CLAUSES } from './clauses.ts';
import { cleanUp } from './clean-up.ts';
import type { CleanedUp } from './clean-up.ts';
import { Subject } from './subject.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

const USAGE = `npm run conformance -- --url URL (--email E --password-file F --totp-secret S | --device-id ID --device-key-file F) …

  --url URL              the service's base address
  --email E              a user with TOTP as second factor
  --password-file F      the user's password
  --totp-secret S        the secret of the user's TOTP factor, in base32
  --device-id ID         a device of the same account
  --device-key-file F    its key; --device-key KEY gives it on the command line
  --webhook-port N       listens there for the deliveries of a webhook that you set up at the service, for all events
  --webhook-secret-file F  its signing secret
  --wait SECONDS         the longest time that a clause may wait (60); 3601 checks lifetimes, too
  --only TEXT            only clauses with that text`;

const OPTIONS = {
  url: { type: 'string' },
  email: { type: 'string' },
  'password-file': { type: 'string' },
  'totp-secret': { type: 'string' },
  'device-id': { type: 'string' },
  'device-key': { type: 'string' },
  'device-key-file': { type: 'string' },
  'webhook-port': { type: 'string' },
  'webhook-secret-file': { type: 'string' },
  wait: { type: 'string', default: '60' },
  only: { type: 'string', default: '' },
  help: { type: 'boolean', default: false },
} as const;

const subject = await subjectOf(process.argv.slice(2));
if (subject) await run(subject.subject, subject.only);

async function subjectOf(words: readonly string[]): Promise<{ subject: Subject; only: string } | undefined> {
  try {
    const { values } = parseArgs({ args: [...words], options: OPTIONS });
    if (values.help) {
      console.log(USAGE);
      return undefined;
    }
    const { url, wait, only } = values;
    if (url === undefined || !/^\d+$/.test(wait)) throw new TypeError('--url and --wait');
    const { email, 'totp-secret': totpSecret } = values;
    const password = secret(values['password-file']);
    const { 'device-id': id } = values;
    const key = values['device-key'] ?? secret(values['device-key-file']);
    const user = email && password && totpSecret ? { email, password, totpSecret } : undefined;
    const device = id && key ? { id, key } : undefined;
    if (!user && !device) throw new TypeError('a user or a device is needed');
    const offset = await clockOffset(url);
    const now = (): number => Date.now() + offset;
    const port = values['webhook-port'];
    const signing = secret(values['webhook-secret-file']);
    const receiver =
      port === undefined || signing === undefined ? undefined : await WebhookReceiver.listen(Number(port), signing);
    return { subject: new Subject({ url, user, device, now, receiver, longestWait: Number(wait) }), only };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    process.exitCode = 2;
    return undefined;
  }
}

function secret(file: string | undefined): string | undefined {
  return file === undefined ? undefined : readFileSync(file, 'utf8').replace(/\r?\n$/, '');
}

/** Milliseconds by which the service's clock is ahead of this computer's. Its header has whole seconds. */
async function clockOffset(url: string): Promise<number> {
  const answer = await fetch(url, { redirect: 'manual' });
  await answer.arrayBuffer();
  const off = Date.parse(answer.headers.get('date') ?? '') - Date.now();
  return Math.abs(off) > 2_000 ? off : 0;
}

async function run(subject: Subject, only: string): Promise<void> {
  const counts = { holds: 0, departs: 0, advice: 0, unknown: 0 };
  for (const clause of CLAUSES.filter(({ section, says }) => `${section}: ${says}`.includes(only))) {
    const verdict = await judge(clause, subject);
    counts[outcomeOf(clause, verdict)] += 1;
    console.log(lineOf(clause, verdict));
  }
  const { holds, departs, advice, unknown } = counts;
  console.log(`\n${cleanedLine(await cleanUp(subject))}`);
  subject.options.receiver?.close();
  console.log(`\n${holds} hold, ${departs} depart from the interface, ${advice} from advice, ${unknown} undecided`);
  process.exitCode = departs === 0 ? 0 : 1;
}

function cleanedLine({ erased, until, left }: CleanedUp): string {
  const gone = erased === 0 ? [] : [`${erased} backup sets are erased${until === undefined ? '' : ` by ${until}`}.`];
  const rest = left.length === 0 ? [] : [`${left.length} backup sets named "conformance …" are left: remove them.`];
  return [...gone, ...rest].join(' ') || 'Nothing is left at the service.';
}

function outcomeOf({ level }: Clause, { kind }: Verdict): 'holds' | 'departs' | 'advice' | 'unknown' {
  return kind === 'departs' && level === 'advice' ? 'advice' : kind;
}

function lineOf(clause: Clause, verdict: Verdict): string {
  const words = { holds: 'holds', departs: 'DEPARTS', advice: 'advice', unknown: 'unknown' };
  const what = `${words[outcomeOf(clause, verdict)].padEnd(8)} ${clause.section}: ${clause.says}`;
  return verdict.kind === 'holds' ? what : `${what}\n         ${verdict.why}`;
}
