/** A problem that did not make the run fail. */
export interface RunWarning {
  /** An entry path, or a path of the request. */
  readonly path: string;
  /** A stable word (`changed-while-reading`, `unreadable`, `vanished`, `special-file` …). */
  readonly reason: string;
  /** The operating system's error code, or the names of attributes. */
  readonly detail?: string;
}

/** The reason of the warning of a run whose set has an alarm. */
export const RANSOMWARE_SIGNS = 'ransomware-signs';
