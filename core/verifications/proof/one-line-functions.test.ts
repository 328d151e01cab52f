import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createVerificationScene, type VerificationScene } from '../testing/scene.ts'

vi.setConfig({ testTimeout: 90_000 })

let scene: VerificationScene
let projectId: string
beforeAll(async () => {
  scene = await createVerificationScene()
  projectId = (await scene.project(files)).id
})
afterAll(() => scene[Symbol.asyncDispose]())

const files = {
  'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }),
  'src/units.js': `export const seconds = (minutes) => minutes * 60
export const minutes = (hours, start = 2 * 3) => hours * 60 + start
export function hours(days) { return days > 0 ? days * 24 : 0 }
export const limits = { week: (days) => days >= 7, month: (days) => days - 30 }
`,
  'test/old.test.js': `import { test } from 'node:test'
import assert from 'node:assert'
import { limits } from '../src/units.js'
test('a week', () => assert.equal(limits.week(7), true))
`,
}
const written = (body: string) => ({
  filePath: 'test/units.test.js',
  code: `import { test } from 'node:test'
import assert from 'node:assert'
import { hours, minutes, seconds } from '../src/units.js'
test('units', () => { ${body} })
`,
})
const verify = (body: string, how: Parameters<VerificationScene['verify']>[2] = {}) =>
  scene.verify(projectId, written(body), { repeats: 2, mutants: 20, ...how })

test('a good test of one function is accepted, and mutants of functions that it does not call are not tried', async () => {
  const verification = await verify('assert.equal(seconds(2), 120)')
  expect(verification, JSON.stringify(verification)).toMatchObject({
    verdict: 'accepted',
    evidence: {
      target: { path: 'src/units.js' },
      // The project's tests load this line, but none of them calls the function.
      coverage: { newTargetLines: '1', newProjectLines: 1 },
      mutation: { survived: 0, survivors: [] },
    },
  })
  const { found, tried } = verification.evidence?.mutation ?? { found: 0, tried: 0 }
  expect(tried).toBe(found)
  expect(tried).toBeGreaterThan(0)
})

test('a test that only loads the functions is told so', async () => {
  const loads = await verify("assert.equal(typeof seconds, 'function')")
  expect(loads, JSON.stringify(loads)).toMatchObject({ verdict: 'no_gain', evidence: { reason: 'only_loaded' } })
  const target = { path: 'src/units.js', symbol: 'hours' }
  const other = await verify('assert.equal(seconds(2), 120)', { target })
  expect(other, JSON.stringify(other)).toMatchObject({ verdict: 'no_gain', evidence: { reason: 'nothing_reached' } })
})
