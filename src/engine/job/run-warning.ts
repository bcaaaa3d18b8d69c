/** Something that a run could not do as asked, without failing. */
export interface RunWarning {
  /** An entry path, or the path that was asked for. */
  readonly path: string;
  /** A stable word (`changed-while-reading`, `unreadable`, `vanished`, `special-file` …). */
  readonly reason: string;
}
