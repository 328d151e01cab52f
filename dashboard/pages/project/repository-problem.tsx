import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { messageOf, trpc } from '../../api.ts'

/** Says why the repository of a new project cannot be read, before the first run fails for it. */
export function RepositoryProblem({ projectId }: { projectId: string }) {
  const files = useQuery(trpc.code.listFiles.queryOptions({ projectId }, { retry: false, staleTime: 60_000 }))
  if (!files.error) return undefined
  return (
    <div className="problem" role="alert">
      <p>The repository cannot be read: {messageOf(files.error)}</p>
      <div className="row">
        <button type="button" className="plain" disabled={files.isFetching} onClick={() => void files.refetch()}>
          Try again
        </button>
        <Link to="/projects/$projectId/settings" params={{ projectId }}>
          Change the repository
        </Link>
      </div>
    </div>
  )
}
