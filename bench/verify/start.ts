import { join } from 'node:path'
import { createTRPCClient, httpLink, type TRPCClient } from '@trpc/client'
import { createApp } from '../../core/app.ts'
import { readConfig } from '../../core/config.ts'
import { createLog } from '../../core/base/log.ts'
import type { AppRouter } from '../../core/router.ts'
import { createProjectFor, createTokenFor, createUser } from '../../core/testing/factories.ts'
import { startChild } from '../../local/child.ts'
import type { openScratch } from '../scratch.ts'

/** Starts Assay with bubblewrap, and creates a project for each repository. */
export async function startAssay(
  cleanUp: AsyncDisposableStack,
  { directory, postgres }: Awaited<ReturnType<typeof openScratch>>,
  repositories: readonly string[],
): Promise<{ client: TRPCClient<AppRouter>; projectIds: string[]; baseUrl: string; token: string }> {
  const environment = {
    ...process.env,
    DATABASE_URL: postgres.url,
    DATA_DIR: join(directory, 'data'),
    SECRET_KEY: 'a key for the bench that is long enough to be one',
    PORT: '0',
    RATE_LIMIT: 'off',
    REPOSITORIES_ALLOW_LOCAL: 'on',
    EXECUTOR: 'bwrap',
  }
  const { token, projectIds } = await prepare(environment, repositories)
  const logFile = join(directory, 'core.log')
  const core = await startChild({ name: 'core', script: 'core/main.ts', environment, logFile })
  cleanUp.defer(() => core.stop())
  const baseUrl = `http://127.0.0.1:${core.ready.port}`
  const client = createTRPCClient<AppRouter>({
    links: [httpLink({ url: `${baseUrl}/trpc`, headers: { authorization: `Bearer ${token}` } })],
  })
  return { client, projectIds, baseUrl, token }
}

async function prepare(environment: NodeJS.ProcessEnv, repositories: readonly string[]) {
  const { config, problems } = readConfig(environment)
  if (!config) throw new Error(problems.join('; '))
  await using app = await createApp({ ...config, role: 'web' }, { log: createLog('silent') })
  const user = await createUser(app)
  const projectIds: string[] = []
  for (const repository of repositories) projectIds.push((await createProjectFor(app, { user, repository })).id)
  return { token: await createTokenFor(app, { user }), projectIds }
}
