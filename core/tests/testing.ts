import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, vi } from 'vitest'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import type { TestApp } from '../testing/app.ts'
import { projectsToJudge } from '../test-runs/request-health.ts'
import type { UploadedRun } from '../test-runs/uploads/schema.ts'
import type { Health } from './schema.ts'

/** What a test did in an upload: its message if it failed. */
export type Outcome = 'passed' | 'retried' | 'skipped' | { message: string }

export const failing = (message = 'expected 3 to be 2'): Outcome => ({ message })

export interface UploadedTests {
  tests: Record<string, Outcome>
  /** Null for code that is not committed. */
  commit?: string | null
  branch?: string
  /** Hours before now. */
  hoursAgo?: number
  fields?: Record<string, string>
  /** The duration of each test. */
  seconds?: number
}

/** A project whose uploads say when they ran, and readers of what Assay makes of them. */
export async function createHealthScene(app: TestApp) {
  const user = await createUser(app)
  const token = await createTokenFor(app, { user })
  const project = await createProjectFor(app, { user, repository: 'https://example.com/a/project.git' })
  const client = app.client(token)
  let commits = 0
  const upload = async ({
    tests,
    commit = String(++commits),
    branch = 'main',
    hoursAgo = 0,
    fields = {},
    seconds = 0.1,
  }: UploadedTests) => {
    const form = new FormData()
    const given = {
      ...(commit === null ? {} : { branch, commitSha: Buffer.from(commit).toString('hex').padStart(40, '0') }),
      ranAt: new Date(Date.now() - hoursAgo * 3_600_000).toISOString(),
      ...fields,
    }
    for (const [name, value] of Object.entries(given)) form.set(name, value)
    const cases = Object.entries(tests).map(([name, outcome]) => testcase(name, outcome, seconds))
    const xml = `<testsuites><!-- ${commit} ${hoursAgo} --><testsuite name="cart">${cases.join('')}</testsuite></testsuites>`
    form.append('reports', new Blob([xml]), 'junit.xml')
    const send = () => app.fetch(`/api/ci/upload/${project.id}`, { method: 'POST', body: form, token })
    let response = await send()
    // As clients do: a busy machine takes long for many uploads at once.
    for (; response.status === 429; response = await send())
      await sleep(1_000 * Number(response.headers.get('retry-after')))
    expect(response.status, await response.clone().text()).toBeLessThan(300)
    return (await response.json()) as UploadedRun
  }
  /** Waits until all uploads are judged. */
  const judged = () =>
    vi.waitUntil(
      async () => {
        const waiting = `SELECT FROM (${projectsToJudge}) AS waiting WHERE project_id = $1 LIMIT 1`
        return (await app.dataSource.query<unknown[]>(waiting, [project.id])).length === 0
      },
      { timeout: 20_000 },
    )
  const tests = async () => {
    await judged()
    return (await client.tests.list.query({ projectId: project.id, limit: 100 })).tests
  }
  const healthOf = async (name: string): Promise<Health | undefined> =>
    (await tests()).find((each) => each.name === name)?.health
  const get = async (name: string) => {
    const found = (await tests()).find((each) => each.name === name)
    if (!found) throw new Error(`There is no test ${name}.`)
    return client.tests.get.query({ projectId: project.id, testId: found.testId })
  }
  return { user, token, project, client, upload, judged, tests, healthOf, get }
}

function testcase(name: string, outcome: Outcome, seconds: number): string {
  const inner =
    outcome === 'passed'
      ? ''
      : outcome === 'skipped'
        ? '<skipped/>'
        : outcome === 'retried'
          ? '<flakyFailure message="timed out"/>'
          : `<failure message="${outcome.message}"/>`
  return `<testcase classname="cart" name="${name}" file="src/cart.test.ts" time="${seconds}">${inner}</testcase>`
}

/** Inserts a healthy test that was judged, and returns its id. */
export async function createTestFor(app: Pick<TestApp, 'dataSource'>, projectId: string): Promise<string> {
  const testId = randomUUID()
  await app.dataSource.query(
    `INSERT INTO tests (project_id, test_id, variant, suite, name, file, health, rule, counts, first_seen_at, last_seen_at, changed_at)
     VALUES ($1, $2, '', 'cart', 'adds', 'src/cart.test.ts', 'healthy', 'no_evidence', '{}', now(), now(), now())`,
    [projectId, testId],
  )
  return testId
}
