/** The filters of the audit log, and where its page begins. */
export interface AuditSearch {
  action?: string | undefined
  organization?: string | undefined
  user?: string | undefined
  /** Days in the user's time zone, such as `2026-11-26`. */
  since?: string | undefined
  until?: string | undefined
  /** The id of the row before the first one that is shown. */
  before?: string | undefined
}
