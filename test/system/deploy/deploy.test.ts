import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readServiceConfig } from '../../../src/service/administration/service-config.ts';
import { SERVICE_FIELDS, variableOf } from '../../../src/service/administration/service-fields.ts';
import { ServiceMetrics } from '../../../src/service/operation/service-metrics.ts';

const ROOT = dirname(dirname(dirname(import.meta.dirname)));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const has = (program: string): boolean => spawnSync(program, ['--version']).error === undefined;
const hasYaml = spawnSync('python3', ['-c', 'import yaml']).status === 0;

function yaml(path: string): unknown {
  const program = 'import json, sys, yaml; json.dump(yaml.safe_load(open(sys.argv[1])), sys.stdout)';
  return JSON.parse(execFileSync('python3', ['-c', program, join(ROOT, path)], { encoding: 'utf8' }));
}

describe('the deployment files', () => {
  test.skipIf(!has('systemd-analyze'))('systemd accepts the unit, and rates its exposure as low', () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-unit-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const unit = join(folder, 'holdfast.service');
    writeFileSync(unit, read('deploy/systemd/holdfast.service').replaceAll('/opt/holdfast/bin/holdfast', '/bin/true'));
    const verified = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' });
    expect(verified.stderr.split('\n').filter((line) => line.includes(unit) || /Unknown|Failed/.test(line))).toEqual(
      [],
    );
    const options = ['security', '--offline=true', '--threshold=20', unit];
    expect(spawnSync('systemd-analyze', options, { encoding: 'utf8' }).status).toBe(0);
  });

  test('the unit checks before the start without asking for the service that it is about to start', () => {
    const [, words = ''] = /^ExecStartPre=\S+\/holdfast (.*)$/m.exec(read('deploy/systemd/holdfast.service')) ?? [];
    expect(words).toBe('service check --before-start --config /etc/holdfast/service.json');
  });

  test('the example config is valid', () => {
    expect(readServiceConfig({}, {}, join(ROOT, 'deploy/systemd/service.example.json')).problems).toEqual([]);
  });

  test('the image copies existing files, runs without privileges, and downloads only npm packages', () => {
    const steps = read('deploy/docker/Dockerfile')
      .replaceAll('\\\n', ' ')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.trim());
    expect(steps[0]).toMatch(/^FROM node:24-/);
    const fetching = steps.filter((step) => /^ADD |https?:\/\/(?!127\.)|curl|wget|apt-get|npx/.test(step));
    expect(fetching).toEqual([]);
    const commands = steps
      .filter((step) => step.startsWith('RUN '))
      .flatMap((step) => step.slice('RUN '.length).split('&&'))
      .map((command) => /^npm run \S+|^npm \S+|^\S+/.exec(command.trim())![0]);
    expect(commands).toEqual(['npm ci', 'npm run build', 'npm prune', 'useradd', 'touch', 'install']);
    expect(steps.indexOf('USER holdfast')).toBeGreaterThan(steps.findLastIndex((step) => step.startsWith('RUN')));
    const [, entry = ''] =
      /^ENTRYPOINT \["\/opt\/holdfast\/([^"]+)", "service"\]$/.exec(steps.find((s) => s.startsWith('ENTRYPOINT'))!) ??
      [];
    expect(existsSync(join(ROOT, entry))).toBe(true);
    const ignored = read('deploy/docker/Dockerfile.dockerignore').split('\n').filter(Boolean);
    for (const needed of ['bin', 'src', 'scripts', 'package.json', 'package-lock.json', '.npmrc', 'docs']) {
      expect(ignored).not.toContain(needed);
    }
    // A package from elsewhere would have an address in the lock, and a script of one could download anything.
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, { resolved?: string }> };
    expect(Object.keys(packages).length).toBeGreaterThan(100);
    expect(Object.entries(packages).filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
    expect(read('.npmrc').split('\n')).toContain('ignore-scripts=true');
  });

  test.skipIf(!hasYaml)('the composition does not publish its database, and uses existing fields', () => {
    interface Service {
      readonly ports?: readonly string[];
      readonly networks: unknown;
      readonly environment?: Readonly<Record<string, string>>;
      readonly depends_on?: unknown;
    }
    const { services, networks } = yaml('deploy/docker/compose.yaml') as {
      readonly services: Readonly<Record<string, Service>>;
      readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>;
    };
    expect(
      Object.entries(services)
        .filter(([, service]) => service.ports)
        .map(([name]) => name),
    ).toEqual(['caddy']);
    expect(services['postgres']!.networks).toEqual(['back']);
    expect(networks['back']).toEqual({ internal: true });
    const known = new Set(SERVICE_FIELDS.map(variableOf));
    const named = Object.keys(services['holdfast']!.environment!).filter((name) => name.startsWith('HOLDFAST_'));
    expect(named.filter((name) => !known.has(name))).toEqual([]);
    const asked = [...read('deploy/docker/compose.yaml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name!);
    for (const name of asked) expect(read('deploy/docker/.env.example')).toContain(`${name}=`);
  });

  test.skipIf(!has('caddy'))('Caddy accepts its files', () => {
    for (const file of ['Caddyfile', 'Caddyfile.compose']) {
      const environment = { ...process.env, HOLDFAST_HOST: 'a.example.org', HOLDFAST_S3_HOST: 'b.example.org' };
      const adapted = spawnSync(
        'caddy',
        ['validate', '--adapter', 'caddyfile', '--config', join(ROOT, 'deploy/caddy', file)],
        {
          env: environment,
          encoding: 'utf8',
        },
      );
      expect(adapted).toMatchObject({ status: 0 });
    }
  });

  test.skipIf(!hasYaml)('alerts use existing metrics', () => {
    const metrics = new ServiceMetrics();
    const text = metrics.text(0, { ready: true, parts: {} }, undefined, undefined);
    metrics.stop();
    const known = new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name!));
    const { groups } = yaml('deploy/prometheus/alerts.yaml') as { groups: { rules: { expr: string }[] }[] };
    const used = groups.flatMap(({ rules }) => rules.flatMap(({ expr }) => expr.match(/holdfast_\w+/g) ?? []));
    expect(used.length).toBeGreaterThan(5);
    expect(used.filter((name) => !known.has(name.replace(/_bucket$/, '')))).toEqual([]);
  });

  test('the manual describes every field of the config', () => {
    const manual = read('docs/self-hosting.md');
    expect(SERVICE_FIELDS.filter((field) => !manual.includes(`\`${field}\``))).toEqual([]);
  });
});
