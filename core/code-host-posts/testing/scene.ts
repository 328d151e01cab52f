import { setTimeout as sleep } from 'node:timers/promises'
import type { TestApp } from '../../testing/app.ts'
import type { Answer, CodeHost } from '../../testing/code-host.ts'
import { createLinkFor, createProjectFor } from '../../testing/factories.ts'
import { postComment, postReport } from '../post.ts'
import type { PullRequestComment, Report } from '../schema.ts'

export const token = 'gho_tokenForReports12345678'
const path = '/repos/octocat/shop'

/** Creates a commit on a new branch of octocat's repository `shop`, with a pull request. */
export async function openPullRequest(host: CodeHost): Promise<{ number: number; commitSha: string; branch: string }> {
  const branch = `feature-${Math.random().toString(36).slice(2)}`
  const { object } = await host.call('GET', `${path}/git/ref/heads/main`)
  await host.call('POST', `${path}/git/refs`, { ref: `refs/heads/${branch}`, sha: object.sha })
  const content = Buffer.from(branch).toString('base64')
  const { commit } = await host.call('PUT', `${path}/contents/${branch}.txt`, { message: 'Change', content, branch })
  const { number } = await host.call('POST', `${path}/pulls`, { title: branch, head: branch, base: 'main' })
  return { number, commitSha: commit.sha, branch }
}

/** Creates a project of the repository `shop`, and functions that post and read. */
export async function createScene(app: TestApp, host: CodeHost) {
  const { user } = await createLinkFor(app, { accessToken: token })
  const { id: projectId } = await createProjectFor(app, { user, repository: `${host.url}/octocat/shop.git` })
  const { number, commitSha, branch } = await openPullRequest(host)
  const inTransaction = (work: (tx: Parameters<typeof postReport>[0]) => Promise<void>) =>
    app.dataSource.transaction((db) => work({ db, jobs: app.services.jobs }))
  return {
    user,
    projectId,
    pullRequest: number,
    commitSha,
    branch,
    report: (change: Partial<Report> = {}) =>
      inTransaction((tx) => postReport(tx, { ...reportOf(projectId, commitSha), ...change })),
    comment: (change: Partial<PullRequestComment> = {}) =>
      inTransaction((tx) =>
        postComment(tx, { projectId, pullRequest: number, body: 'The gate is red.', create: true, ...change }),
      ),
    /** Waits until the project has nothing to post. */
    settled: () => settled(app, projectId),
    checkRuns: async (): Promise<Answer[]> => {
      const { check_runs: runs } = await host.call('GET', `${path}/commits/${commitSha}/check-runs?filter=all`)
      return runs.toSorted((a: Answer, b: Answer) => a.id - b.id)
    },
    comments: async (): Promise<Answer[]> => host.call('GET', `${path}/issues/${number}/comments`),
    statuses: () => host.statuses.get(`${path}/statuses/${commitSha}`) ?? [],
  }
}

export const reportOf = (projectId: string, commitSha: string): Report => ({
  projectId,
  commitSha,
  context: 'assay',
  state: 'success',
  title: 'All is well.',
  summary: '**All** is well.',
  annotations: [],
  targetUrl: 'https://assay.example.com/gate/1',
})

export const annotationsOf = (count: number, path = 'src/price.ts'): Report['annotations'] =>
  Array.from({ length: count }, (_, index) => ({
    path,
    startLine: index + 1,
    endLine: index + 1,
    level: 'warning' as const,
    title: 'Not covered',
    message: `No test runs line ${index + 1}.`,
  }))

export async function settled(app: Pick<TestApp, 'dataSource'>, projectId: string, withinMs = 60_000): Promise<void> {
  const deadline = Date.now() + withinMs
  for (;;) {
    const rows = await app.dataSource.query<object[]>(
      'SELECT kind, target, version, known FROM code_host_posts WHERE project_id = $1 AND posted_version < version',
      [projectId],
    )
    if (rows.length === 0) return
    if (Date.now() > deadline) throw new Error(`still waiting: ${JSON.stringify(rows)}`)
    await sleep(20)
  }
}

/** Continues now what waits for a later attempt. */
export async function continueNow(app: Pick<TestApp, 'dataSource'>): Promise<void> {
  await app.dataSource.query(
    "UPDATE pgboss.job SET start_after = now() WHERE name = 'code-host-posts' AND state IN ('created', 'retry')",
  )
}
