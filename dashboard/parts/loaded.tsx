import type { ReactNode } from 'react'
import { messageOf, statusOf } from '../api.ts'

/** The part of a query's result that is needed to show it. */
interface Loadable<Data> {
  data: Data | undefined
  error: unknown
  isFetching: boolean
  refetch: () => unknown
}

/** Shows the data of a query; before that a placeholder, and a problem where it failed. Old data stay during a failure. */
export function Loaded<Data>({ query, children }: { query: Loadable<Data>; children: (data: Data) => ReactNode }) {
  if (query.data !== undefined) {
    return (
      <>
        {query.error ? <Problem error={query.error} retry={query.refetch} /> : undefined}
        {children(query.data)}
      </>
    )
  }
  if (query.error) return <Problem error={query.error} retry={query.refetch} />
  return (
    <div className="loading" role="status">
      <span className="visually-hidden">Loading</span>
    </div>
  )
}

/** What went wrong and what to do. */
export function Problem({ error, retry }: { error: unknown; retry?: () => unknown }) {
  const status = statusOf(error)
  return (
    <div className="problem" role="alert">
      <p>
        {status === 404
          ? 'This page does not exist, or you have no access to it. Check the address, or ask an admin of the organization.'
          : messageOf(error)}
      </p>
      {retry && status !== 404 && status !== 403 ? (
        <button type="button" className="plain" onClick={() => void retry()}>
          Try again
        </button>
      ) : undefined}
    </div>
  )
}
