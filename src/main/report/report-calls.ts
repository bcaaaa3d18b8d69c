import type { Handlers } from '../../base/calls/contract.ts';
import type { Call } from '../../base/calls/contract.ts';
import type { AgentMethods } from '../../ipc/contract/contract.ts';
import type { reportShellMethods } from '../../ipc/contract/report.ts';
import { reportMail } from '../../strings/report-page.ts';
import type { Language } from '../../strings/strings.ts';

export interface ReportCallsParts {
  readonly agent: Call<AgentMethods>;
  readonly language: () => Language;
}

/** Handlers for the window's calls about the weekly report. */
export function reportCalls(parts: ReportCallsParts): Handlers<typeof reportShellMethods> {
  return {
    'report.send-test': async () => {
      await sendReport(parts, false);
      return {};
    },
  };
}

/** Writes a report in the person's language and has the agent send it. @param isScheduled the agent has asked for it */
export async function sendReport({ agent, language }: ReportCallsParts, isScheduled: boolean): Promise<void> {
  const { report } = await agent('report.preview', {});
  await agent('report.send', { ...reportMail(report, language(), true), isScheduled });
}
