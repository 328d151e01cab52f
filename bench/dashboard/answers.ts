import { createTRPCClient, httpLink } from '@trpc/client'
import type { FilledProject } from '../../browser-tests/data/fill.ts'
import type { AppRouter } from '../../core/router.ts'
import { median } from '../report.ts'

const calls = 20

/**
 * Measures the answers that pages wait for, as a client sees them, one after the other.
 *
 * @returns rows of a name, and the median and the longest time in milliseconds; the first is the peer, which reads nothing
 */
export async function timesOfAnswers(
  url: string,
  cookie: string,
  { id: projectId, path, runIds, testId }: FilledProject,
): Promise<(string | number)[][]> {
  const headers = { cookie, origin: url }
  const api = createTRPCClient<AppRouter>({ links: [httpLink({ url: `${url}/trpc`, headers })] })
  const { commitSha } = await api.code.getFile.query({ projectId, path })
  const runId = runIds.large ?? runIds.newest
  const asked: [string, () => Promise<unknown>][] = [
    ['/health', () => fetch(`${url}/health`).then((response) => response.text())],
    ['projects.overview', () => api.projects.overview.query({})],
    ['projects.trends', () => api.projects.trends.query({ projectId })],
    ['projects.funnel', () => api.projects.funnel.query({ projectId })],
    ['projects.activity', () => api.projects.activity.query({ projectId })],
    ['search.find, all projects', () => api.search.find.query({ query: 'parse' })],
    ['search.find, one project', () => api.search.find.query({ query: 'parse', projectId })],
    ['code.getFile', () => api.code.getFile.query({ projectId, path })],
    ['code.getLines', () => api.code.getLines.query({ projectId, path, commitSha, limit: 200 })],
    ['testRuns.results, at the end', () => api.testRuns.results.query({ runId, offset: 90_000, limit: 100 })],
    ['tests.list', () => api.tests.list.query({ projectId, limit: 50 })],
    ['tests.get', () => api.tests.get.query({ projectId, testId })],
    ['testRuns.history', () => api.testRuns.history.query({ projectId, testId })],
  ]
  const rows: (string | number)[][] = []
  for (const [name, ask] of asked) {
    await ask()
    const times: number[] = []
    for (let call = 0; call < calls; call++) {
      const startedAt = performance.now()
      await ask()
      times.push(performance.now() - startedAt)
    }
    rows.push([name, Number(median(times).toFixed(1)), Number(Math.max(...times).toFixed(1))])
  }
  return rows
}
