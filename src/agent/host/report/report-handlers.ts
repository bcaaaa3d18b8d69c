import type { Handlers } from '../../../base/calls/contract.ts';
import type { privateReportMethods, reportMethods } from '../../../ipc/contract/report.ts';
import type { HandlerContext } from '../handler-context.ts';
import type { WeeklyReport } from './weekly-report.ts';

const WEEK = 7;

/** Handles the calls about the weekly report. */
export function reportHandlers(
  { agent }: Pick<HandlerContext, 'agent'>,
  weekly: WeeklyReport,
): Handlers<typeof reportMethods & typeof privateReportMethods> {
  return {
    'report.get': () => weekly.state(),
    'report.save': async ({ settings, password }) => {
      await weekly.save(settings, password);
      return {};
    },
    'report.remove': async () => {
      await weekly.remove();
      return {};
    },
    'report.preview': async () => {
      const { settings } = await weekly.state();
      return { report: await agent.report({ days: WEEK, withNames: settings?.withNames === true }) };
    },
    'report.send': async ({ isScheduled, ...text }) => {
      await weekly.send(text, isScheduled);
      return {};
    },
  };
}
