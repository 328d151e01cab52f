import { skipToken, useQuery } from '@tanstack/react-query'
import { trpc } from '../../api.ts'
import { type CiName, ciNames } from './ci-names.ts'
import { ciSteps } from './ci-steps.ts'
import { type TestsName, testsOf } from './ci-tests.ts'

interface KnownCi {
  /** Undefined if no file of the repository says so. */
  ci: CiName | undefined
  tests: TestsName | undefined
  /** Whether the files of the repository were read. */
  isRead: boolean
}

const options = { staleTime: 60_000, retry: false }
const workflows = '.github'

/** Finds out from the files, the latest runs and analyses which CI system and test framework a project has. */
export function useCi(projectId: string): KnownCi {
  const root = useQuery(trpc.code.listFiles.queryOptions({ projectId, limit: 1_000 }, options))
  const names = root.data?.entries.map(({ name }) => name) ?? []
  // The folder also has templates for issues, in projects with another CI system.
  const input = names.includes(workflows) ? { projectId, folder: workflows, limit: 1_000 } : skipToken
  const github = useQuery(trpc.code.listFiles.queryOptions(input, options))
  const files = [...names, ...(github.data?.entries.map(({ path }) => path) ?? [])]
  const runs = useQuery(trpc.testRuns.list.queryOptions({ projectId, limit: 10 }, options))
  const runId = runs.data?.runs.find(({ source }) => source !== 'upload')?.id
  const run = useQuery(trpc.testRuns.get.queryOptions(runId === undefined ? skipToken : { runId }, options))
  const project = useQuery(trpc.projects.getProject.queryOptions({ projectId }, options))
  const frameworks = [...(run.data?.plan ?? []), ...(project.data ? [project.data] : [])].flatMap(
    ({ framework }) => framework ?? [],
  )
  return {
    ci: ciNames.find((name) => files.includes(ciSteps[name].file ?? '')),
    tests: testsOf(frameworks, names),
    isRead: root.isSuccess && !github.isLoading,
  }
}
