import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { trpc } from '../../api.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { Pager } from '../../parts/pager.tsx'
import { isAtLeast, useProjectRole } from '../../parts/roles.ts'
import '../../styles/runs.css'
import { BranchState } from './branch-state.tsx'
import { NoMatch, RunFilters } from './run-filters.tsx'
import { isFiltered, listInput, pageSize, type RunsSearch } from './input.ts'
import { NoRuns } from './no-runs.tsx'
import { RunTable } from './run-table.tsx'
import { TriggerDialog } from './trigger-dialog.tsx'
import { UploadDialog } from './upload-steps.tsx'
import { isActive } from './words.ts'

const route = getRouteApi('/projects/$projectId/runs')

/** How often the list is loaded again while a run is queued or running. */
const refetchMs = 3_000

/** What happened on a branch. */
export function RunsPage() {
  const { projectId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [dialog, setDialog] = useState<'trigger' | 'upload'>()
  const project = useQuery(trpc.projects.getProject.queryOptions({ projectId }, { staleTime: 30_000 }))
  const mayRun = isAtLeast(useProjectRole(projectId), 'member')
  const runs = useQuery(
    trpc.testRuns.list.queryOptions(listInput(projectId, search), {
      placeholderData: keepPreviousData,
      refetchInterval: ({ state }) => (state.data?.runs.some(isActive) ? refetchMs : false),
    }),
  )
  const filter = (change: RunsSearch) =>
    void navigate({ search: (old) => ({ ...old, offset: undefined, ...change }), replace: true })
  const { branch, offset = 0 } = search
  const hasNone = runs.data?.pagination.total === 0 && !isFiltered(search)
  return (
    <Page
      title="Runs"
      documentTitle={project.data ? `Runs of ${project.data.name}` : 'Runs'}
      actions={
        mayRun ? (
          <>
            <button type="button" className="plain" onClick={() => setDialog('upload')}>
              Upload from CI
            </button>
            <button type="button" onClick={() => setDialog('trigger')}>
              Run tests
            </button>
          </>
        ) : undefined
      }
    >
      {hasNone ? (
        <NoRuns projectId={projectId} />
      ) : (
        <>
          <BranchState projectId={projectId} branch={branch ?? project.data?.branch} />
          <RunFilters projectId={projectId} search={search} onFilter={filter} />
          <Loaded query={runs}>
            {({ runs, pagination }) =>
              runs.length === 0 ? (
                <NoMatch projectId={projectId} search={search} onFilter={filter} />
              ) : (
                <>
                  <RunTable projectId={projectId} runs={runs} />
                  <Pager
                    total={pagination.total}
                    limit={pageSize}
                    offset={offset}
                    onMove={(offset) => void navigate({ search: (old) => ({ ...old, offset: offset || undefined }) })}
                  />
                </>
              )
            }
          </Loaded>
        </>
      )}
      {dialog === 'trigger' ? (
        <TriggerDialog
          projectId={projectId}
          initial={{ target: branch ?? project.data?.branch ?? '' }}
          onClose={() => setDialog(undefined)}
        />
      ) : undefined}
      {dialog === 'upload' ? <UploadDialog projectId={projectId} onClose={() => setDialog(undefined)} /> : undefined}
    </Page>
  )
}
