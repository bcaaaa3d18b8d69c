/** The details that a service sent with a refusal. */
export interface ServiceRefusal {
  /** The address of the call, without its query. */
  readonly address?: string | undefined;
  readonly status?: number | undefined;
  /** `code` of its problem document. */
  readonly reason?: string | undefined;
  /** `detail` of its problem document, for people. */
  readonly detail?: string | undefined;
}
