import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createGitRepository, type Files, type GitRepository } from '../../engines/source/testing/git-repository.ts'
import type { Config } from '../config.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import { newId } from '../base/ids.ts'
import type { UserRow } from '../identity/users/entity.ts'
import { GateEntity, type GateRow } from './entity.ts'
import type { GatePolicyChange } from '../gate-policy/schema.ts'

type Client = ReturnType<TestApp['client']>
type TestOutcome = 'passed' | 'failed' | 'skipped'

interface SentResults {
  commitSha: string
  branch?: string
  name?: string
  tests?: Record<string, TestOutcome>
  /** Coverage of these files; by default of all code of the commit that is checked out. */
  files?: readonly string[]
  /** Names files in the report by other paths. */
  rename?: (path: string) => string
  fields?: Record<string, string>
}

/** A project with a real repository, whose branch `feature` is judged against `main`. */
export interface GateScene extends AsyncDisposable {
  app: TestApp
  client: Client
  token: string
  user: UserRow
  projectId: string
  repository: GitRepository
  /** Starts over with another project, which has one commit. */
  newProject(files?: Files): Promise<void>
  /** Commits to the branch `feature`, and returns the commit. */
  push(files: Files): Promise<string>
  /** Lines that end with `+` count as covered, those with `-` as uncovered. */
  lines(...lines: string[]): string
  /** Uploads results of tests of the suite `cart`, and coverage by the signs of the lines. */
  upload(results: SentResults): Promise<{ runId: string; status: string }>
  /** Returns the gate when its decision knows everything that has arrived. */
  check(
    input: Omit<Parameters<Client['gate']['check']['mutate']>[0], 'projectId'>,
  ): Promise<Awaited<ReturnType<Client['gate']['check']['mutate']>>>
  files(gateId: string): Promise<Awaited<ReturnType<Client['gate']['files']['query']>>>
  policy(policy: GatePolicyChange): Promise<unknown>
}

const someFiles: Files = { 'README.md': 'A shop.\n', 'src/base.js': 'one +\n' }

export async function createGateScene(change: Partial<Config> = {}): Promise<GateScene> {
  await using opened = new AsyncDisposableStack()
  const app = opened.use(await createTestApp(change))
  const repositories = opened.use(new AsyncDisposableStack())
  const user = await createUser(app)
  const token = await createTokenFor(app, { user })
  const client = app.client(token)
  const stack = opened.move()
  const scene: GateScene = {
    app,
    client,
    token,
    user,
    projectId: '',
    repository: undefined as never,
    async newProject(files = someFiles) {
      scene.repository = repositories.use(await createGitRepository(files))
      const { id } = await createProjectFor(app, { user, repository: scene.repository.path })
      scene.projectId = id
      await scene.repository.git('checkout', '-q', '-b', 'feature')
    },
    push: (files) => scene.repository.commit(files),
    lines: (...lines) => lines.map((line) => `${line}\n`).join(''),
    async upload({ commitSha, branch = 'feature', name, tests = {}, files, rename = (path) => path, fields = {} }) {
      const form = new FormData()
      const given = { commitSha, branch, ...(name !== undefined && { name }), ...fields }
      for (const [field, value] of Object.entries(given)) form.set(field, value)
      const report = junit(tests)
      if (Object.keys(tests).length > 0) form.append('reports', new Blob([report]), 'junit.xml')
      const coverage = await lcov(scene.repository, files, rename)
      if (coverage !== '') form.append('coverage', new Blob([coverage]), 'lcov.info')
      const response = await app.fetch(`/api/ci/upload/${scene.projectId}`, { method: 'POST', body: form, token })
      const answer = (await response.json()) as { runId: string; status: string }
      if (!response.ok) throw new Error(JSON.stringify(answer))
      return answer
    },
    async check(input) {
      let gate = await client.gate.check.mutate({ projectId: scene.projectId, ...input })
      // On a busy machine the decision takes longer than the call waits for it.
      while (gate.isOutdated)
        gate = await client.gate.get.query({ gateId: gate.id, waitSeconds: input.waitSeconds ?? 0 })
      return gate
    },
    files: (gateId) => client.gate.files.query({ gateId }),
    policy: (policy) => client.gate.updatePolicy.mutate({ projectId: scene.projectId, policy }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
  return scene
}

function junit(tests: Record<string, TestOutcome>): string {
  const cases = Object.entries(tests).map(([name, outcome]) => {
    const inner =
      outcome === 'failed' ? '<failure message="expected 1 to be 2"/>' : outcome === 'skipped' ? '<skipped/>' : ''
    return `<testcase classname="cart" name="${name.replaceAll('<', '&lt;')}" file="cart.test.js" time="0.01">${inner}</testcase>`
  })
  return `<testsuite name="cart">${cases.join('')}</testsuite>`
}

async function lcov(
  repository: GitRepository,
  files: readonly string[] | undefined,
  rename: (path: string) => string,
): Promise<string> {
  const paths = files ?? (await repository.git('ls-files', '*.js', '*.py')).split('\n').filter(Boolean)
  const records: string[] = []
  for (const path of paths) {
    const lines = (await readFile(join(repository.path, path), 'utf8')).split('\n')
    const hits = lines.flatMap((line, index) =>
      /[+-]$/.test(line) ? `DA:${index + 1},${line.endsWith('+') ? 1 : 0}\n` : [],
    )
    if (hits.length > 0) records.push(`SF:${rename(path)}\n${hits.join('')}end_of_record\n`)
  }
  return records.join('')
}

/** Inserts a gate that waits, with a project if none is given. */
export async function createGateFor(app: Pick<TestApp, 'dataSource'>, fields: Partial<GateRow> = {}): Promise<GateRow> {
  const projectId = fields.projectId ?? (await createProjectFor(app)).id
  const now = new Date()
  const id = newId(now)
  const row: GateRow = {
    id,
    projectId,
    subject: id.toLowerCase(),
    base: 'main',
    headSha: null,
    snapshotId: null,
    branch: 'feature',
    pullRequest: null,
    baseSha: null,
    patch: null,
    incomparable: null,
    state: 'pending',
    mode: 'informational',
    reasons: [],
    figures: null,
    files: null,
    requests: 0,
    judged: 0,
    deadlineAt: new Date(now.getTime() + 3_600_000),
    decidedAt: null,
    createdAt: now,
    updatedAt: now,
    ...fields,
  }
  await app.dataSource.getRepository(GateEntity).insert(row)
  return row
}
