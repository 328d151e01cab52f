import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Empty } from '../../parts/page.tsx'
import { AccountFrame } from '../account/frame.tsx'
import { AuditFilters } from './filters.tsx'
import { filtersOf } from './input.ts'
import { AuditTable } from './table.tsx'

const route = getRouteApi('/settings/audit')

const limit = 100

/** Who did what: sign-ins and changes of rights that concern the user or an organization that the user administers. */
export function AuditPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { before } = search
  const filters = filtersOf(search)
  const rows = useQuery(
    trpc.auth.getAuditLogs.queryOptions({ ...filters, limit, before }, { placeholderData: (previous) => previous }),
  )
  return (
    <AccountFrame
      title="Audit log"
      lead="Sign-ins and changes of rights: yours, those that affect you, and those of organizations that you administer."
    >
      <AuditFilters
        search={search}
        onChange={(change) =>
          void navigate({ search: (given) => ({ ...given, ...change, before: undefined }), replace: true })
        }
      />
      <Loaded query={rows}>
        {(found) =>
          found.length === 0 ? (
            <Empty title="No entries match">
              <p>Choose another action, organization, user or time.</p>
            </Empty>
          ) : (
            <>
              <AuditTable rows={found} filters={filters} />
              <nav className="pager" aria-label="Pages">
                <button
                  type="button"
                  className="plain"
                  disabled={before === undefined}
                  onClick={() => void navigate({ search: (given) => ({ ...given, before: undefined }) })}
                >
                  Newest
                </button>
                <button
                  type="button"
                  className="plain"
                  disabled={found.length < limit}
                  onClick={() => void navigate({ search: (given) => ({ ...given, before: found.at(-1)?.id }) })}
                >
                  Older
                </button>
              </nav>
            </>
          )
        }
      </Loaded>
    </AccountFrame>
  )
}
