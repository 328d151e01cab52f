import type { Inputs } from '../../api.ts'
import { actions } from './actions.ts'
import type { AuditSearch } from './search.ts'

type Filters = NonNullable<Inputs['auth']['getAuditLogs']>

const day = /^\d{4}-\d\d-\d\d$/

/** The start of a day in the user's time zone; undefined for other text. */
function startOf(text: string | undefined, daysLater = 0): string | undefined {
  if (text === undefined || !day.test(text)) return undefined
  const at = new Date(`${text}T00:00`)
  at.setDate(at.getDate() + daysLater)
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}

/** The filters of the page as the procedure takes them. */
export function filtersOf({ action, organization, user, since, until }: AuditSearch): Filters {
  const chosen = actions.find((each) => each === action)
  return {
    actions: chosen ? [chosen] : undefined,
    organizationId: organization,
    userId: user,
    since: startOf(since),
    // The day of `until` is included.
    until: startOf(until, 1),
  }
}
