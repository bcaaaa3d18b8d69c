/** A computer that packages are made for. */
export interface Target {
  /** As Node names it. */
  readonly arch: 'x64' | 'arm64';
  readonly debian: 'amd64' | 'arm64';
  readonly rpm: 'x86_64' | 'aarch64';
}

const TARGETS: readonly Target[] = [
  { arch: 'x64', debian: 'amd64', rpm: 'x86_64' },
  { arch: 'arm64', debian: 'arm64', rpm: 'aarch64' },
];

/** @throws Error if there is none */
export function targetOf(arch: string): Target {
  const target = TARGETS.find((one) => one.arch === arch);
  if (!target)
    throw new Error(`there are packages for Linux on ${TARGETS.map((one) => one.arch).join(' and ')}, not on ${arch}`);
  return target;
}
