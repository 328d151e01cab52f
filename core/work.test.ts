import { expect, test } from 'vitest'
import { poolSizes } from './database.ts'
import { appRouter } from './router.ts'
import { requiredScopes } from './scopes.ts'
import { createTestApp } from './testing/app.ts'
import { createTokenFor } from './testing/factories.ts'
import { lanesOf, poolOfWork, workOf } from './work.ts'

const open = ['health', 'auth.getSession']

test('every procedure but the open ones and every route for callers names its work, and nothing else does', () => {
  const procedures = Object.keys(appRouter._def.procedures).filter((path) => !open.includes(path))
  const routes = Object.keys(requiredScopes).filter((entryPoint) => entryPoint.includes(' '))
  expect(Object.keys(workOf).toSorted()).toEqual([...procedures, ...routes].toSorted())
})

test('calls whose work grows with the data use neither the connections of ordinary calls nor those of sign-in', () => {
  for (const kind of ['scan', 'storing'] as const) expect(['requests', 'access']).not.toContain(poolOfWork[kind])
})

test('no caller can use all connections for scans, or all for jobs, unless there is only one', () => {
  for (const databasePoolSize of [10, 20, 50, 200]) {
    const sizes = poolSizes({ databasePoolSize, role: 'all' })
    const { scan, storing } = lanesOf(sizes)
    expect(scan.maxRunningPerCaller).toBeLessThan(Math.max(sizes.scans, 2))
    expect(storing.maxRunning).toBeLessThan(sizes.jobs)
  }
})

test('a caller with too many searches gets 429 with Retry-After, and other callers are served', async () => {
  await using app = await createTestApp({ role: 'web' })
  const [token, other] = [await createTokenFor(app), await createTokenFor(app)]
  const list = (token: string) => app.fetch('/api/v1/projects', { token })
  await using _held = await holdScans(app)
  const waiting = Array.from({ length: 105 }, () => list(token))
  const refused = await Promise.race(waiting)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '2'])
  expect(await refused.json()).toMatchObject({
    code: 'RATE_LIMITED',
    message:
      '1 of your searches and lists are running and 100 are waiting, which is the maximum. Try again when some have completed.',
    retryAfter: 2,
  })
  const profile = await app.fetch('/trpc/auth.getProfile', { token })
  expect(profile.status).toBe(200)
  const others = list(other)
  await _held[Symbol.asyncDispose]()
  expect((await others).status).toBe(200)
  const statuses = (await Promise.all(waiting)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(101)
})

/** Holds the connections for scans until it is disposed. */
async function holdScans(app: Awaited<ReturnType<typeof createTestApp>>): Promise<AsyncDisposable> {
  const { dataSource } = app.services.databases.scans
  const runners = Array.from({ length: poolSizes(app.config).scans }, () => dataSource.createQueryRunner())
  await Promise.all(runners.map((runner) => runner.connect()))
  return {
    async [Symbol.asyncDispose]() {
      for (const runner of runners.splice(0)) await runner.release()
    },
  }
}
