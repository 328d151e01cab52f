import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createHealthScene, type Outcome, type UploadedTests } from '../testing.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp()))
afterAll(() => app[Symbol.asyncDispose]())

const names = ['a', 'b', 'c', 'd']
const outcome = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Outcome>('passed') },
  { weight: 2, arbitrary: fc.constantFrom<Outcome>({ message: 'expected 1' }, { message: 'timed out' }) },
  { weight: 1, arbitrary: fc.constantFrom<Outcome>('retried', 'skipped') },
)
const upload = fc.record({
  tests: fc.record(Object.fromEntries(names.map((name) => [name, outcome]))),
  commit: fc.constantFrom('1', '2', '3', '4', '5', '6'),
  branch: fc.constantFrom('main', 'main', 'feature'),
})
const history = fc.array(upload, { minLength: 12, maxLength: 24 })

/** What Assay makes of the tests, without ids and times that differ between projects. */
async function healthAfter(uploads: readonly UploadedTests[], atOnce: number) {
  const { upload, get, judged } = await createHealthScene(app)
  const runs = new Map<string, number | undefined>()
  for (let from = 0; from < uploads.length; from += atOnce) {
    const answers = await Promise.all(uploads.slice(from, from + atOnce).map((each) => upload(each)))
    for (const [index, { runId }] of answers.entries()) runs.set(runId, uploads[from + index]?.hoursAgo)
  }
  await judged()
  const found = await Promise.all(names.map(get))
  return found.map(({ health, rule, since, evidence, missing, failures, impact, strip }) => ({
    health,
    rule,
    since: since && [runs.get(since.runId ?? ''), since.commit],
    evidence: evidence.map(({ runId, failed, fingerprint }) => [runs.get(runId), failed, fingerprint]),
    passes: missing?.passes,
    failures,
    impact,
    strip: strip.map(({ runId, status, outage }) => [runs.get(runId), status, outage]),
  }))
}

test(
  'the order of uploads, repetition and concurrency do not change the health of a test',
  { timeout: 120_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(history, fc.infiniteStream(fc.nat()), async (made, order) => {
        const uploads = made.map((each, index) => ({ ...each, hoursAgo: 20 * (made.length - index) }))
        const shuffled = uploads
          .map((each) => ({ each, at: order.next().value ?? 0 }))
          .toSorted((a, b) => a.at - b.at)
          .map(({ each }) => each)
        const inOrder = await healthAfter(uploads, 1)
        expect(await healthAfter([...shuffled, ...shuffled.slice(0, 5)], 6)).toEqual(inOrder)
      }),
      { numRuns: 6, endOnFailure: true },
    )
  },
)
