import { Command } from 'commander';
import type { PeriodReport, ReportedSet } from '../../../agent/operations/report/period-report.ts';
import type { needsLook as NeedsLook } from '../../../strings/report-page.ts';
import { wrongUsage } from '../../../base/errors/errors.ts';
import { outcome, type Outcome } from '../../outcome.ts';
import type { GlobalOptions, Run } from '../../runner.ts';
import { readSecretFile } from '../../secret-file.ts';
import { alarmJson } from '../alarm.ts';
import { collected, wholeNumber } from '../arguments.ts';

interface Options extends GlobalOptions {
  readonly days: number;
  readonly names?: boolean;
  readonly html?: boolean;
  readonly send?: boolean;
  readonly mailTo: readonly string[];
  readonly mailFrom?: string;
  readonly mailServer?: string;
  readonly mailPasswordFile?: string;
}

const HELP_END = `
Without --mail-to and --send the report is printed. It counts files and names none, unless --names is given.
What is stored are backups. Lists of restore points, parity and a reserve of up to 8 MiB come on top.

The mail goes to --mail-server, with TLS from the start (smtps://) or by STARTTLS (smtp://), without which nothing is sent.
Only a server on this computer may be without TLS.

Examples:
  holdfast report
  holdfast report --send
  holdfast report --mail-to anna@example.org --mail-server smtps://anna@mail.example.org --mail-password-file FILE`;

export function reportCommand(run: Run): Command {
  return new Command('report')
    .summary('report on the backups of the last days')
    .description(
      'Reports on the backups of the last days: each set at each destination, what changed, warnings and test restores.',
    )
    .option('--days <days>', 'how many days', wholeNumber('a number of days', 1, 365), 7)
    .option('--names', 'name files that warnings are about')
    .option('--html', 'print it as HTML')
    .option('--send', 'send it as it is set up in the app')
    .option('--mail-to <address>', 'send it there; may be given several times', collected, [])
    .option('--mail-from <address>', 'the sender; the first address of --mail-to by default')
    .option('--mail-server <url>', 'smtps://user@host or smtp://user@host')
    .option('--mail-password-file <file>', 'the password of the mail server')
    .addHelpText('after', HELP_END)
    .action((_options: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      return run(options, async (context) => {
        const { mailTo, mailServer, mailPasswordFile } = options;
        const [first] = mailTo;
        if ((first === undefined) !== (mailServer === undefined)) {
          throw wrongUsage({ problem: 'options', message: '--mail-to and --mail-server need each other.' });
        }
        if (options.send && first !== undefined) {
          throw wrongUsage({ problem: 'options', message: '--send and --mail-to exclude each other.' });
        }
        const agent = await context.agent();
        const pages = await import('../../../strings/report-page.ts');
        const { languageOf } = await import('../../../strings/strings.ts');
        const language = languageOf('en', []);
        const report = await agent.report({ days: options.days, withNames: options.names === true });
        if (options.send) {
          const to = await agent.sendStoredReport(pages.reportMail(report, language, true));
          return sent(
            { ...reportJson(report, pages.needsLook), mailed_to: to },
            to,
            pages.reportPage(report, language).title,
          );
        }
        const json = { ...reportJson(report, pages.needsLook), mailed_to: mailTo };
        if (first === undefined || mailServer === undefined) {
          const page = pages.reportPage(report, language);
          return outcome(json, options.html ? [pages.pageHtml(page, language).trimEnd()] : pages.pageLines(page));
        }
        const password = mailPasswordFile === undefined ? undefined : readSecretFile(mailPasswordFile);
        const mail = pages.reportMail(report, language, false);
        await agent.sendReport({
          server: mailServer,
          password,
          from: options.mailFrom ?? first,
          to: mailTo,
          ...mail,
        });
        return sent(json, mailTo, mail.subject);
      });
    });
}

function sent(json: object, to: readonly string[], title: string): Outcome {
  return outcome(json, [`Sent to ${to.join(', ')}: ${title}.`]);
}

function reportJson({ device, from, to, destinations }: PeriodReport, needsLook: typeof NeedsLook): object {
  return {
    device,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    destinations: destinations.map(({ name, sets, storedBytes, grownBytes }) => ({
      name,
      stored_bytes: storedBytes ?? null,
      grown_bytes: grownBytes ?? null,
      sets: sets.map((set) => ({ ...setJson(set), needs_look: needsLook(set) })),
    })),
  };
}

function setJson(set: ReportedSet): object {
  const { name, lastPoint, runs, bytesUploaded, failure, warnings, alarm, drill } = set;
  return {
    name,
    restore_point: lastPoint?.at ?? null,
    files: lastPoint?.files ?? null,
    bytes: lastPoint?.bytes ?? null,
    runs,
    bytes_uploaded: bytesUploaded,
    error: failure?.code ?? null,
    warnings,
    alarm: alarmJson(alarm),
    drill: drill ? { at: new Date(drill.at).toISOString(), files: drill.files, failures: drill.failures } : null,
  };
}
