/**
 * Calls `projects.getProjects` with bearer tokens of many users over 50 keep-alive connections. Compares Assay with
 * everything enabled, without and with rate limits, with a bare tRPC server and a bare Koa server that run the same two
 * statements on the same Postgres. Then measures the same call for users with 1, 10 and 100 projects, for members of
 * organizations with 10, 100 and 1,000, and among 1, 10 and 100 times as many users.
 */
import { join } from 'node:path'
import autocannon from 'autocannon'
import { type App, createApp } from '../core/app.ts'
import { readConfig } from '../core/config.ts'
import { createLog } from '../core/base/log.ts'
import {
  createMembershipFor,
  createOrganizationFor,
  createProjectFor,
  createTokenFor,
  createUser,
} from '../core/testing/factories.ts'
import { type Child, startChild } from '../local/child.ts'
import { median, printTable, recordFigure, recordGrowth } from './report.ts'
import { openScratch } from './scratch.ts'

const rounds = Number(process.env['ROUNDS'] ?? 5)
const seconds = Number(process.env['SECONDS_PER_ROUND'] ?? 5)
const connections = 50
const projectCount = 20
/** A token may make 1,000 calls an hour. */
const userCount = 250

await using cleanUp = new AsyncDisposableStack()
const { directory, postgres } = await openScratch(cleanUp)
const { config } = readConfig({ DATABASE_URL: postgres.url, DATA_DIR: directory })
if (!config) throw new Error('the configuration of the bench is wrong')
await using app = await createApp({ ...config, role: 'web' }, { log: createLog('silent') })
const tokens = await addUsers(app, userCount, projectCount)

const trpc = '/trpc/projects.getProjects'
const servers: Record<string, { child: Child; path: string }> = {
  Assay: { child: await start('core/main.ts'), path: trpc },
  'Assay, limits on': { child: await start('core/main.ts', { RATE_LIMIT: 'standard' }), path: trpc },
  'bare tRPC': { child: await start('bench/rpc/bare-trpc.ts'), path: trpc },
  'bare Koa': { child: await start('bench/rpc/bare-koa.ts'), path: '/' },
}

const figures = new Map(Object.keys(servers).map((name) => [name, { rate: [] as number[], p99: [] as number[] }]))
for (let round = 0; round <= rounds; round++) {
  for (const [name, server] of Object.entries(servers)) {
    const { requests, latency } = await call(server, tokens, round === 0 ? 2 : seconds)
    // The first round warms up.
    if (round > 0) figures.get(name)?.rate.push(requests.average)
    if (round > 0) figures.get(name)?.p99.push(latency.p99)
  }
}

const ratesOf = (name: string) => figures.get(name)?.rate ?? []
/** Alternates between the servers, since the load of the machine varies. */
const ratios = (name: string, peer: string) =>
  ratesOf(name).map((rate, round) => rate / (ratesOf(peer)[round] ?? Number.NaN))
printTable(
  ['server', 'requests/s', 'of bare tRPC', 'of bare Koa', 'p99 ms'],
  [...figures].map(([name, { rate, p99 }]) => [
    name,
    Math.round(median(rate)),
    median(ratios(name, 'bare tRPC')).toFixed(2),
    median(ratios(name, 'bare Koa')).toFixed(2),
    median(p99),
  ]),
)
recordFigure('rpcList', ratios('Assay', 'bare tRPC'))
recordFigure('rpcListLimited', ratios('Assay, limits on', 'bare tRPC'))
await growth()

/** Milliseconds of wall time per call. */
async function growth(): Promise<void> {
  const cost = async (of: string[]) => 1_000 / (await call(servers['Assay'], of, 2)).requests.average
  const ofSizes: { size: number; ms: number }[] = []
  for (const size of [1, 10, 100]) ofSizes.push({ size, ms: await cost(await addUsers(app, 50, size)) })
  recordGrowth({ work: 'RPC list', of: 'projects of the caller', costs: ofSizes })
  const members: { size: number; ms: number }[] = []
  for (const size of [10, 100, 1_000]) members.push({ size, ms: await cost(await addOrganization(size)) })
  recordGrowth({ work: 'RPC list', of: 'members of the organization of all projects', costs: members })
  const users = [{ size: userCount, ms: await cost(tokens) }]
  for (const size of [10 * userCount, 100 * userCount]) {
    await addStrangers(size)
    users.push({ size, ms: await cost(tokens) })
  }
  recordGrowth({ work: 'RPC list', of: 'users with 20 projects, an organization and a token each', costs: users })
}

async function call(server: { child: Child; path: string } | undefined, of: string[], duration: number) {
  let next = 0
  const result = await autocannon({
    url: `http://127.0.0.1:${server?.child.ready.port}${server?.path}`,
    connections,
    duration,
    setupClient(client) {
      const setToken = () => client.setHeaders({ authorization: `Bearer ${of[next++ % of.length]}` })
      setToken()
      client.on('response', setToken)
    },
  })
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refused, ${result.errors} failed`)
  return result
}

async function start(script: string, environment: NodeJS.ProcessEnv = {}): Promise<Child> {
  const child = await startChild({
    name: script,
    script,
    environment: {
      ...process.env,
      DATABASE_URL: postgres.url,
      DATA_DIR: directory,
      PORT: '0',
      RATE_LIMIT: 'off',
      ...environment,
    },
    logFile: join(directory, 'server.log'),
  })
  cleanUp.defer(() => child.stop())
  return child
}

/** Returns a token of each user. */
async function addUsers(to: App, count: number, projects: number): Promise<string[]> {
  const added: string[] = []
  for (let index = 0; index < count; index++) {
    const user = await createUser(to)
    for (let made = 0; made < projects; made++) await createProjectFor(to, { user, name: `Project ${made}` })
    added.push(await createTokenFor(to, { user }))
  }
  return added
}

/** Adds an organization with 20 projects, and returns the tokens of 10 of its members. */
async function addOrganization(memberCount: number): Promise<string[]> {
  const owner = await createUser(app)
  const organization = await createOrganizationFor(app, { user: owner })
  for (let made = 0; made < projectCount; made++)
    await createProjectFor(app, { user: owner, organizationId: organization.id, name: `Project ${made}` })
  const added = [await createTokenFor(app, { user: owner })]
  for (let index = 1; index < memberCount; index++) {
    const user = await createUser(app)
    await createMembershipFor(app, { user, organizationId: organization.id })
    if (added.length < 10) added.push(await createTokenFor(app, { user }))
  }
  return added
}

/** Adds users, until there are so many strangers. */
async function addStrangers(count: number): Promise<void> {
  await app.services.databases.jobs.query(
    `WITH numbers AS (SELECT n, 'stranger-' || n AS id FROM generate_series(1, $1::integer) AS n),
          person AS (INSERT INTO users (id, email, name, created_at, updated_at)
                     SELECT id, id || '@example.com', id, now(), now() FROM numbers ON CONFLICT DO NOTHING RETURNING id),
          organization AS (INSERT INTO organizations (id, name, slug, created_at, updated_at)
                           SELECT id, id, id, now(), now() FROM person RETURNING id),
          member AS (INSERT INTO memberships (id, organization_id, user_id, role, created_at)
                     SELECT o.id, o.id, o.id, 'owner', now() FROM organization o RETURNING id),
          token AS (INSERT INTO api_tokens (id, user_id, name, token_hash, last_four, scopes, expires_at, created_at)
                    SELECT id, id, id, md5(id) || md5(id), 'abcd', '{}', now() + interval '1 day', now() FROM person)
     INSERT INTO projects (id, name, repository, branch, user_id, organization_id, settings, created_at, updated_at)
     SELECT member.id || '-' || n, 'Project', 'r', 'main', member.id, CASE WHEN n % 2 = 0 THEN member.id END, '{}', now(), now()
       FROM member, generate_series(1, 20) AS n`,
    [count],
  )
  await app.services.databases.jobs.query('ANALYZE')
}
