import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query'
import { trpc } from '../../api.ts'
import { Filters, SearchField, SelectField } from '../../parts/filters.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { Empty } from '../../parts/page.tsx'
import { isCommit, type RunsSearch, statuses } from './input.ts'
import { sourceNames, sources } from './words.ts'

interface FilterProps {
  projectId: string
  search: RunsSearch
  onFilter: (change: RunsSearch) => void
}

export function RunFilters({ projectId, search, onFilter }: FilterProps) {
  const { branch, status, source, commit } = search
  const branches = useQuery(
    trpc.projects.branches.queryOptions({ projectId }, { placeholderData: keepPreviousData, staleTime: 30_000 }),
  )
  return (
    <Filters>
      <SearchField
        label="Branch"
        value={branch}
        suggestions={branches.data?.branches.map(({ name }) => name) ?? []}
        onChange={(branch) => onFilter({ branch })}
      />
      <SelectField
        label="Status"
        value={status}
        options={statuses}
        onChange={(value) => onFilter({ status: statuses.find(([each]) => each === value)?.[0] })}
      />
      <SelectField
        label="Source"
        value={source}
        options={sourceNames.map((name) => [name, sources[name]] as const)}
        onChange={(value) => onFilter({ source: sourceNames.find((name) => name === value) })}
      />
      <SearchField label="Commit" value={commit} onChange={(commit) => onFilter({ commit })} />
      {commit !== undefined && !isCommit(commit) ? (
        <p className="hint" role="status">
          A commit is found by the first 7 or more digits of its id.
        </p>
      ) : undefined}
    </Filters>
  )
}

/** What a list without a match shows: the branches that were perhaps meant, and the way back. */
export function NoMatch({ projectId, search, onFilter }: FilterProps) {
  const { branch } = search
  const similar = useQuery(
    trpc.projects.branches.queryOptions(
      branch === undefined ? skipToken : { projectId, search: branch.slice(0, 200), limit: 5 },
    ),
  )
  const names = similar.data?.branches.flatMap(({ name }) => (name === branch ? [] : name)) ?? []
  return (
    <Empty title="No run matches these filters">
      {names.length > 0 ? (
        <div className="row">
          Branches with this text:
          {names.map((name) => (
            <button key={name} type="button" className="plain" onClick={() => onFilter({ branch: name })}>
              <ShortText text={name} limit={60} />
            </button>
          ))}
        </div>
      ) : undefined}
      <div>
        <button
          type="button"
          className="plain"
          onClick={() => onFilter({ branch: undefined, status: undefined, source: undefined, commit: undefined })}
        >
          Show all runs
        </button>
      </div>
    </Empty>
  )
}
