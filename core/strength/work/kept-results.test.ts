import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Kept } from '../../../engines/strength/kept.ts'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createProjectFor } from '../../testing/factories.ts'
import { loadKept, storeKept } from './kept-results.ts'

let app: TestApp
beforeAll(async () => {
  app = await createTestApp({ role: 'web' })
})
afterAll(() => app[Symbol.asyncDispose]())

const conditions = 'c1'
const ctx = () => ({ db: app.dataSource.manager, now: () => new Date() })

const keptOf = (mutants: Kept['results'] extends ReadonlyMap<string, infer Own> ? Own : never): Kept => ({
  tests: [],
  others: [{ key: 'o1', contents: { 'a.js': 'one' } }],
  reaches: [],
  results: new Map([['a.js', mutants]]),
})

test('rows that could not be stored are stored by the next try', async () => {
  const { id: projectId } = await createProjectFor(app)
  const stored = new Set<string>()
  const kept = keptOf({ tests: ['t1'], mutants: [['m1', 'survived', [0]]], unchecked: [] })
  const wanted = { projectId, conditions, kept, replaced: new Map() }
  // Fails as a statement does while Postgres restarts.
  await app.dataSource.query('ALTER TABLE mutant_results ADD CONSTRAINT none CHECK (false) NOT VALID')
  await expect(storeKept(ctx(), wanted, stored)).rejects.toThrow(/none/)
  await app.dataSource.query('ALTER TABLE mutant_results DROP CONSTRAINT none')
  await storeKept(ctx(), wanted, stored)
  const loaded = await loadKept(ctx(), projectId, { conditions: [conditions], paths: ['a.js'] })
  expect([loaded.others, loaded.results.get('a.js')?.mutants]).toEqual([kept.others, [['m1', 'survived', [0]]]])
})

test('what is known under several conditions is stored once', async () => {
  const { id: projectId } = await createProjectFor(app)
  const { others, ...kept } = keptOf({ tests: [], mutants: [], unchecked: [] })
  const twice = { ...kept, others: [...others, ...others] }
  await storeKept(ctx(), { projectId, conditions, kept: twice, replaced: new Map() }, new Set())
  const loaded = await loadKept(ctx(), projectId, { conditions: [conditions], paths: [] })
  expect(loaded.others).toEqual(others)
})

test('of a file with too many results those are kept that fit into a row', async () => {
  const { id: projectId } = await createProjectFor(app)
  const tests = Array.from({ length: 400 }, (_, index) => `test-${index}`)
  const positions = tests.map((_, index) => index)
  const mutants = Array.from({ length: 4_000 }, (_, index): [string, 'survived', number[]] => [
    `m${index}`,
    'survived',
    positions,
  ])
  const kept = keptOf({ tests, mutants, unchecked: ['m3999'] })
  await storeKept(ctx(), { projectId, conditions, kept, replaced: new Map() }, new Set())
  const loaded = (await loadKept(ctx(), projectId, { conditions: [conditions], paths: ['a.js'] })).results.get('a.js')
  expect(loaded?.mutants.length).toBeGreaterThan(500)
  expect(loaded?.mutants.length).toBeLessThan(4_000)
})

test('two measurements that store results at the same time both succeed', async () => {
  const { id: projectId } = await createProjectFor(app)
  const long = 'x'.repeat(900_000)
  const store = async (name: string) => {
    for (let round = 0; round < 12; round++) {
      const others = Array.from({ length: 4 }, (_, index) => ({ key: `${round}-${index}`, contents: { [name]: long } }))
      const kept: Kept = { tests: [], others, reaches: [], results: new Map() }
      await storeKept(ctx(), { projectId, conditions, kept, replaced: new Map() }, new Set())
    }
  }
  await Promise.all([store('a'), store('b')])
  const [{ bytes }] = await app.dataSource.query(
    'SELECT sum(bytes)::int AS bytes FROM mutant_results WHERE project_id = $1',
    [projectId],
  )
  expect(bytes).toBeLessThanOrEqual(32 * 2 ** 20)
}, 60_000)
