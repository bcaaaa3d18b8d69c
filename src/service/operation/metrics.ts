/** The media type of the text exposition format 0.0.4 of Prometheus. */
export const METRICS_MEDIA_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export type Labels = Readonly<Record<string, string>>;

interface Family {
  readonly name: string;
  lines(): Iterable<string>;
}

/** Metrics for Prometheus, in order of their definition. */
export class MetricsRegistry {
  readonly #families: Family[] = [];

  counter(name: string, help: string): Counter {
    return this.#add(new Counter(name, help, 'counter'));
  }

  gauge(name: string, help: string): Gauge {
    return this.#add(new Gauge(name, help, 'gauge'));
  }

  /** A counter that is maintained elsewhere and set to its current value. */
  total(name: string, help: string): Gauge {
    return this.#add(new Gauge(name, help, 'counter'));
  }

  /** @param bounds ascending upper bounds of the buckets */
  histogram(name: string, help: string, bounds: readonly number[]): Histogram {
    return this.#add(new Histogram(name, help, bounds));
  }

  /** Returns the text exposition format. */
  text(): string {
    const lines: string[] = [];
    for (const family of this.#families) lines.push(...family.lines());
    return `${lines.join('\n')}\n`;
  }

  #add<Kind extends Family>(family: Kind): Kind {
    this.#families.push(family);
    return family;
  }
}

class Values implements Family {
  readonly name: string;
  readonly #help: string;
  readonly #type: string;
  readonly #values = new Map<string, number>();

  constructor(name: string, help: string, type: string) {
    this.name = name;
    this.#help = help;
    this.#type = type;
  }

  protected change(labels: Labels, to: (before: number) => number): void {
    const key = labelText(labels);
    this.#values.set(key, to(this.#values.get(key) ?? 0));
  }

  protected forget(): void {
    this.#values.clear();
  }

  *lines(): Iterable<string> {
    yield* head(this.name, this.#help, this.#type);
    for (const [labels, value] of this.#values) yield `${this.name}${labels} ${value}`;
  }
}

/** Never decreases. */
export class Counter extends Values {
  add(labels: Labels = {}, by = 1): void {
    this.change(labels, (before) => before + by);
  }
}

export class Gauge extends Values {
  set(value: number, labels: Labels = {}): void {
    this.change(labels, () => value);
  }

  /** Removes all values, since the set of labels may have shrunk. */
  clear(): void {
    this.forget();
  }
}

interface Observations {
  readonly counts: number[];
  sum: number;
}

export class Histogram implements Family {
  readonly name: string;
  readonly #help: string;
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, { readonly labels: Labels } & Observations>();

  constructor(name: string, help: string, bounds: readonly number[]) {
    this.name = name;
    this.#help = help;
    this.#bounds = bounds;
  }

  observe(value: number, labels: Labels = {}): void {
    const key = labelText(labels);
    let series = this.#series.get(key);
    if (!series) {
      series = { labels, counts: Array.from({ length: this.#bounds.length + 1 }, () => 0), sum: 0 };
      this.#series.set(key, series);
    }
    const bucket = this.#bounds.findIndex((bound) => value <= bound);
    series.counts[bucket < 0 ? this.#bounds.length : bucket]! += 1;
    series.sum += value;
  }

  *lines(): Iterable<string> {
    yield* head(this.name, this.#help, 'histogram');
    for (const { labels, counts, sum } of this.#series.values()) {
      let total = 0;
      for (const [index, count] of counts.entries()) {
        total += count;
        const le = String(this.#bounds[index] ?? '+Inf');
        yield `${this.name}_bucket${labelText({ ...labels, le })} ${total}`;
      }
      yield `${this.name}_sum${labelText(labels)} ${sum}`;
      yield `${this.name}_count${labelText(labels)} ${total}`;
    }
  }
}

function head(name: string, help: string, type: string): readonly string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function labelText(labels: Labels): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return parts.length === 0 ? '' : `{${parts.join(',')}}`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
