import { describe, expect, test } from 'vitest';
import { MetricsRegistry } from '../../../../src/service/operation/metrics.ts';
import { isScraper } from '../../../../src/service/operation/metrics-access.ts';

describe('metrics', () => {
  test('use the text exposition format', () => {
    const registry = new MetricsRegistry();
    const requests = registry.counter('requests_total', 'Requests.');
    const open = registry.gauge('open', 'Open things.');
    const durations = registry.histogram('seconds', 'Durations.', [0.1, 1]);
    requests.add({ route: '/a', status: '200' });
    requests.add({ route: '/a', status: '200' }, 2);
    requests.add({ route: 'a"b\\c\n', status: '500' });
    open.set(7);
    open.clear();
    open.set(2, { state: 'x' });
    for (const seconds of [0.05, 0.1, 0.5, 3]) durations.observe(seconds, { route: '/a' });
    expect(registry.text()).toBe(`# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{route="/a",status="200"} 3
requests_total{route="a\\"b\\\\c\\n",status="500"} 1
# HELP open Open things.
# TYPE open gauge
open{state="x"} 2
# HELP seconds Durations.
# TYPE seconds histogram
seconds_bucket{route="/a",le="0.1"} 2
seconds_bucket{route="/a",le="1"} 3
seconds_bucket{route="/a",le="+Inf"} 4
seconds_sum{route="/a"} 3.65
seconds_count{route="/a"} 4
`);
  });

  test.each([
    ['from this computer', undefined, undefined, true, true, true],
    ['from elsewhere', undefined, undefined, false, true, false],
    ['through a proxy on this computer', undefined, undefined, true, false, false],
    ['with the token', 'secret', 'Bearer secret', false, false, true],
    ['with another token', 'secret', 'Bearer secre', true, true, false],
    ['without the token', 'secret', undefined, true, true, false],
    ['with a token where there is none', undefined, 'Bearer secret', false, true, false],
  ])('%s', (_name, token, authorization, isLocal, isDirect, allowed) => {
    expect(isScraper({ authorization, isLocal, isDirect, host: 'localhost:9100' }, token)).toBe(allowed);
  });

  test.each([
    ['127.0.0.1:8080', true],
    ['[::1]:8080', true],
    ['LOCALHOST', true],
    ['rebound.example.com', false],
    ['127.0.0.1.example.com:8080', false],
    ['localhost.example.com', false],
    [undefined, false],
  ])('of the host %s from this computer', (host, allowed) => {
    const request = { authorization: undefined, isLocal: true, isDirect: true, host };
    expect(isScraper(request, undefined)).toBe(allowed);
    expect(isScraper({ ...request, authorization: 'Bearer secret' }, 'secret')).toBe(true);
  });
});
