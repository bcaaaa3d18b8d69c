import { expect, test } from 'vitest';
import { caller } from '../../../src/base/calls/contract-caller.ts';
import { agentMethods } from '../../../src/ipc/contract/contract.ts';
import { reportCalls, sendReport } from '../../../src/main/report/report-calls.ts';
import { languageOf } from '../../../src/strings/strings.ts';

const REPORT = { device: 'Laptop', from: 0, to: 1, destinations: [] };

test('a report is written in the language of the app, and sent by the agent', async () => {
  const calls: { readonly name: string; readonly input: unknown }[] = [];
  const agent = caller(agentMethods, (name, input) => {
    calls.push({ name, input });
    return Promise.resolve({ ok: true as const, value: name === 'report.preview' ? { report: REPORT } : {} });
  });
  const parts = { agent, language: () => languageOf('de', []) };
  await sendReport(parts, true);
  await reportCalls(parts)['report.send-test']({});
  const subject = 'Sicherungen von Laptop: Alles in Ordnung';
  expect(calls).toMatchObject([
    { name: 'report.preview' },
    { name: 'report.send', input: { subject, isScheduled: true } },
    { name: 'report.preview' },
    { name: 'report.send', input: { subject, isScheduled: false } },
  ]);
});
