import type { Config } from '../../config.ts'
import type { UserRow } from '../../identity/users/entity.ts'
import type { ProjectSettingsChange } from '../../projects/schema.ts'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../../testing/factories.ts'
import { createGitRepository, type Files, type GitRepository } from '../../../engines/source/testing/git-repository.ts'
import type { TestRunDetail } from '../schema.ts'

/** An application that executes runs, with one user. */
export interface RunScene extends AsyncDisposable {
  app: TestApp
  user: UserRow
  token: string
  client: ReturnType<TestApp['client']>
  /** Creates a project with a new repository that contains these files. */
  project(files: Files, settings?: ProjectSettingsChange): Promise<{ id: string; repository: GitRepository }>
  /** Triggers a run and waits until it has ended. */
  run(
    projectId: string,
    input?: Partial<Parameters<RunScene['client']['testRuns']['trigger']['mutate']>[0]>,
  ): Promise<TestRunDetail>
  waitFor(runId: string): Promise<TestRunDetail>
  /** Returns the whole log as text. */
  log(runId: string): Promise<string>
}

export async function createRunScene(change: Partial<Config> = {}): Promise<RunScene> {
  await using opened = new AsyncDisposableStack()
  const repositories = opened.use(new AsyncDisposableStack())
  const app = opened.use(await createTestApp(change))
  const user = await createUser(app)
  const token = await createTokenFor(app, { user })
  const client = app.client(token)
  const stack = opened.move()
  const scene: RunScene = {
    app,
    user,
    token,
    client,
    async project(files, settings) {
      const repository = repositories.use(await createGitRepository(files))
      const { id } = await createProjectFor(app, { user, repository: repository.path })
      if (settings) await client.projects.updateProjectSettings.mutate({ projectId: id, settings })
      return { id, repository }
    },
    async run(projectId, input = {}) {
      const { id } = await client.testRuns.trigger.mutate({ projectId, ...input })
      return scene.waitFor(id)
    },
    async waitFor(runId) {
      for (;;) {
        const run = await client.testRuns.get.query({ runId, waitSeconds: 45 })
        if (run.completedAt !== null) return run
      }
    },
    async log(runId) {
      return (await client.testRuns.log.query({ runId, limit: 1_000 })).lines.join('\n')
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
  return scene
}
