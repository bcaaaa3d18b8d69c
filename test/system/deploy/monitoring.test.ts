import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ServiceMetrics } from '../../../src/service/operation/service-metrics.ts';
import type { LatestFigures } from '../../../src/service/operation/latest-figures.ts';

const NOW = 1_000_000_000_000;
const DAY = 86_400_000;
const DEPLOY = new URL('../../../deploy/', import.meta.url).pathname;
const PROMTOOL = process.env['PROMTOOL'] ?? 'promtool';
const HAS_PROMTOOL = spawnSync(PROMTOOL, ['--version']).status === 0;

const FIGURES: LatestFigures = {
  accounts: 1,
  devices: 3,
  sessions: { waiting: 0, receiving: 0, open: 1 },
  restorePoints: 9,
  newestRestorePoint: NOW - 1_000,
  storageUsed: 5,
  webhooks: { waiting: 0, oldestWaiting: undefined },
  measured: [
    {
      id: 'dev_1',
      name: 'Anna’s "laptop"',
      lastSeen: NOW - 5 * DAY,
      successSince: NOW - 5 * DAY,
      lastBackup: NOW - 5 * DAY,
      hasAlarm: false,
      sets: [{ name: 'docs', lastSuccess: NOW - 5 * DAY, bytes: 700, hasAlarm: false }],
    },
    {
      id: 'dev_2',
      name: 'Reception',
      lastSeen: NOW,
      successSince: NOW - 60_000,
      lastBackup: undefined,
      hasAlarm: true,
      sets: [{ name: 'new', lastSuccess: undefined, bytes: 0, hasAlarm: true }],
    },
  ],
};

/** Returns what a service exposes, with one request and one failure of everything that counts. */
function exposed(figures = FIGURES): string {
  const metrics = new ServiceMetrics();
  metrics.began();
  metrics.ended({ method: 'GET', route: '/functions/v1/backup/presign', status: 500, seconds: 1 });
  metrics.limited('sign-in');
  const text = metrics.text(NOW, { ready: true, parts: { metadata: 'ok' } } as never, figures, 50e9);
  metrics.stop();
  return text;
}

/** Returns the value of a series, as `name{labels}`. */
function valueOf(text: string, series: string): number | undefined {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

test('each measured device and set has its last success, age, bytes and alarm', () => {
  const text = exposed();
  const day = 86_400;
  expect(valueOf(text, 'holdfast_device_info{device="dev_1",name="Anna’s \\"laptop\\""}')).toBe(1);
  expect(valueOf(text, 'holdfast_device_last_success_timestamp_seconds{device="dev_1"}')).toBe(1e9 - 5 * day);
  expect(valueOf(text, 'holdfast_device_success_age_seconds{device="dev_1"}')).toBe(5 * day);
  expect(valueOf(text, 'holdfast_device_success_age_seconds{device="dev_2"}')).toBe(60);
  expect(valueOf(text, 'holdfast_device_last_success_timestamp_seconds{device="dev_2"}')).toBeUndefined();
  expect(valueOf(text, 'holdfast_device_alarm{device="dev_2"}')).toBe(1);
  expect(valueOf(text, 'holdfast_set_success_age_seconds{device="dev_1",set="docs"}')).toBe(5 * day);
  expect(valueOf(text, 'holdfast_set_bytes{device="dev_1",set="docs"}')).toBe(700);
  expect(valueOf(text, 'holdfast_set_alarm{device="dev_2",set="new"}')).toBe(1);
  expect(valueOf(text, 'holdfast_devices_omitted')).toBe(1);
});

test('a device that is gone has no metrics any more', () => {
  const metrics = new ServiceMetrics();
  const ready = { ready: true, parts: {} } as never;
  metrics.text(NOW, ready, FIGURES, 1);
  const text = metrics.text(NOW, ready, { ...FIGURES, measured: [] }, 1);
  metrics.stop();
  expect(text).not.toMatch(/dev_1|dev_2/);
});

/** Names of the metrics that expressions read. */
function metricsIn(expressions: readonly string[]): readonly string[] {
  const names = expressions.flatMap((expression) => [...expression.matchAll(/\b((?:holdfast|process|nodejs)_\w+)/g)]);
  return [...new Set(names.map(([name]) => name))];
}

const alerts = readFileSync(`${DEPLOY}prometheus/alerts.yaml`, 'utf8');
const dashboard = JSON.parse(readFileSync(`${DEPLOY}grafana/holdfast.json`, 'utf8')) as {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
};

test('every metric of the alert rules and of the dashboard exists', () => {
  const rules = [...alerts.matchAll(/expr: (.*)/g)].map(([, expression]) => expression!);
  const panels = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const names = metricsIn([...rules, ...panels]);
  expect(names.length).toBeGreaterThan(15);
  const text = exposed();
  for (const name of names)
    expect([name, text.includes(`# TYPE ${name.replace(/_bucket$/, '')} `)]).toEqual([name, true]);
});

test('the rule for a silent device is true for it, and for no other', () => {
  const [, metric, days] =
    /expr: \((\w+) > (\d+) \* 86400\) \* on \(device\) group_left \(name\) holdfast_device_info/.exec(alerts)!;
  const over = [...exposed().matchAll(/^(\w+)\{device="(\w+)"\} (\d+)$/gm)]
    .filter(([, name, , value]) => name === metric && Number(value) > Number(days) * 86_400)
    .map(([, , device]) => device);
  expect(over).toEqual(['dev_1']);
});

test.skipIf(!HAS_PROMTOOL)('Prometheus accepts the rules, and they fire as their tests say', () => {
  const run = spawnSync(PROMTOOL, ['test', 'rules', 'alerts.test.yaml'], {
    cwd: `${DEPLOY}prometheus`,
    encoding: 'utf8',
  });
  expect([run.status, run.stdout + run.stderr]).toEqual([0, expect.stringContaining('SUCCESS')]);
});
