import { formatBytes, formatCount } from '../../scripts/demo/table.ts';
import { median } from '../compare/median.ts';
import type { Measurement, ProgramSamples, Sample } from './results.ts';

export const COLUMNS = ['wall', 'CPU', 'memory', 'stored', 'ratio', 'CPU ratio'] as const;

/** One program's medians in one measurement, formatted. */
export interface Row {
  readonly label: string;
  /** One value for each of `COLUMNS`. */
  readonly cells: readonly string[];
}

/** The step and the amount of data. */
export function describe({ title, files, bytes }: Measurement): string {
  return `${title} (${formatCount(files)} ${files === 1 ? 'file' : 'files'}, ${formatBytes(bytes)})`;
}

/**
 * A ratio above 1 is the number of times that the program could finish while the baseline runs once; for CPU, the number of
 * times within the baseline's CPU time.
 */
export function rowsOf(measurement: Measurement): readonly Row[] {
  const baseline = measurement.programs.find(({ name }) => name === measurement.baseline);
  return measurement.programs.map((program) => rowOf(program, baseline, measurement));
}

function rowOf(program: ProgramSamples, baseline: ProgramSamples | undefined, measurement: Measurement): Row {
  const of = (value: (sample: Sample) => number): number => median(program.samples.map(value));
  const seconds = of((sample) => sample.seconds);
  const withService = program.samples.some(({ service }) => service !== undefined);
  const beside = (text: (value: (sample: Sample) => number) => string, value: (sample: Sample) => number): string =>
    withService ? ` + ${text(value)}` : '';
  const cpu = (value: (sample: Sample) => number): string => formatTime(of(value));
  const memory = (value: (sample: Sample) => number): string => formatBytes(of(value));
  return {
    label: program.label,
    cells: [
      formatTime(seconds),
      cpu((sample) => sample.cpuSeconds) + beside(cpu, (sample) => sample.service?.cpuSeconds ?? 0),
      memory((sample) => sample.peakBytes) + beside(memory, (sample) => sample.service?.peakBytes ?? 0),
      formatBytes(of((sample) => sample.storedBytes)),
      ratioText(program, seconds, baseline, measurement),
      baseline ? timesText(cpuSecondsOf(baseline) / cpuSecondsOf(program)) : '–',
    ],
  };
}

function ratioText(
  { samples }: ProgramSamples,
  seconds: number,
  baseline: ProgramSamples | undefined,
  measurement: Measurement,
): string {
  const { bytes, linkBytesPerSecond } = measurement;
  if (linkBytesPerSecond !== undefined) {
    const busy = median(samples.map(({ linkBusyRate = 0 }) => linkBusyRate));
    const share = (rate: number): string => ((100 * rate) / linkBytesPerSecond).toFixed(0);
    return `link ${share(bytes / seconds)} % (${share(busy)} %)`;
  }
  if (!baseline) return '–';
  return timesText(median(baseline.samples.map((sample) => sample.seconds)) / seconds);
}

/** The median, including a service in another process. */
function cpuSecondsOf({ samples }: ProgramSamples): number {
  return median(samples.map(({ cpuSeconds, service }) => cpuSeconds + (service?.cpuSeconds ?? 0)));
}

function timesText(ratio: number): string {
  return `${ratio.toFixed(2)} ×`;
}

/** Formats seconds, with two decimals below ten. */
function formatTime(seconds: number): string {
  return `${seconds.toFixed(seconds < 9.995 ? 2 : 1)} s`;
}
