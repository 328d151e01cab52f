import { readFileSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Build, changes, type CiScene, createCiScene, shop } from '../../docs/testing/ci-scene.ts'
import { readAction, stepsOfAction } from '../../docs/testing/github.ts'
import type { Job } from '../../docs/testing/steps.ts'

const action = readAction(readFileSync(join(import.meta.dirname, 'action.yml'), 'utf8'))

// Each test starts processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 300_000 })

let scene: CiScene
beforeAll(async () => {
  scene = await createCiScene(shop('true'))
  await scene.policy({ mode: 'enforced' })
})
afterAll(() => scene[Symbol.asyncDispose]())

const report = (failing: boolean) =>
  `<testsuite name="cart"><testcase name="doubles">${failing ? '<failure message="5 is not 4"/>' : ''}</testcase></testsuite>`
const coverage = (hits: number) =>
  ['SF:src/cart.js', 'DA:1,1', 'DA:2,1', 'DA:5,1', `DA:6,${hits}`, 'end_of_record', ''].join('\n')

interface Results {
  failing?: boolean
  hits?: number
}

/** Runs the action after a step that wrote reports. */
async function use(build: Build, given: Record<string, string>, { failing = false, hits = 1 }: Results = {}) {
  const { SVC_BASE_URL: url, SVC_API_TOKEN: token, ASSAY_PROJECT: project, ASSAY_PACKAGE } = scene.variables
  const steps = stepsOfAction(action, { url, token, project, package: ASSAY_PACKAGE, timeout: '5m', ...given })
  let folder = ''
  const job = await scene.run(steps, build, async (own) => {
    folder = own
    await writeFile(join(own, 'checkout/junit.xml'), report(failing))
    await writeFile(join(own, 'checkout/lcov.info'), coverage(hits))
    await writeFile(join(own, 'event.json'), JSON.stringify({ ref: `refs/heads/${build.branch}` }))
    return {
      GITHUB_ACTIONS: 'true',
      GITHUB_REF_NAME: build.branch,
      GITHUB_SHA: build.checkedOut,
      GITHUB_RUN_ID: '7',
      GITHUB_RUN_ATTEMPT: '1',
      GITHUB_EVENT_PATH: join(own, 'event.json'),
      RUNNER_TEMP: own,
    }
  })
  return { job, files: await readdir(join(folder, 'checkout')) }
}

const outputsOf = ({ ran }: Job) => ran.find(({ id }) => id === 'gate')?.outputs
const both = { reports: 'junit.xml', coverage: 'lcov.info' }

test.concurrent('uploads, waits, prints the table, and gives conclusion and page as outputs', async () => {
  const build = await scene.push(changes.tested)
  const { job } = await use(build, both)
  expect(job.isRed, job.printed).toBe(false)
  expect(job.printed).toMatch(/✓\s+Patch coverage/)
  const [gate] = await scene.gates(build)
  expect(outputsOf(job)).toEqual({ conclusion: 'success', url: gate?.url })
})

test.concurrent('has its outputs also when it fails by the gate', async () => {
  const build = await scene.push(changes.tested)
  const { job } = await use(build, both, { hits: 0 })
  expect(job.ran.at(-1)?.exitCode, job.printed).toBe(1)
  expect(job.printed).toMatch(/✗\s+Patch coverage/)
  const [gate] = await scene.gates(build)
  expect(outputsOf(job)).toEqual({ conclusion: 'failure', url: gate?.url })
})

test('only uploads with `gate: false`, and later says that no more uploads come', async () => {
  await scene.policy({ uploads: { untilDone: true } })
  const build = await scene.push(changes.tested)
  const { job } = await use(build, { ...both, gate: 'false', shards: 'true', name: 'unit' }, { failing: true })
  expect(job.isRed, job.printed).toBe(false)
  expect(await scene.runs(build)).toMatchObject([{ name: 'unit', failed_tests: 1 }])
  const last = await use(build, { done: 'true' })
  await scene.policy({ uploads: { untilDone: false } })
  expect(last.job.printed).toContain('No more uploads of commit')
  expect(outputsOf(last.job)).toMatchObject({ conclusion: 'failure' })
})

test('executes nothing that an input contains', async () => {
  const build = await scene.push(changes.tested)
  const evil = '$(touch pwned) `touch pwned`; touch pwned #" \'; touch pwned \\'
  const { job, files } = await use(build, { reports: 'junit.xml\n\njunit*.xml', name: evil, gate: 'false' })
  expect(job.isRed, job.printed).toBe(false)
  expect(await scene.runs(build)).toMatchObject([{ name: evil }])
  const refused: Record<string, string>[] = [
    { reports: `${evil}\n--help` },
    { coverage: evil, reports: 'junit.xml' },
    { project: evil, reports: 'junit.xml' },
    { timeout: evil },
    { package: evil },
    { package: '--version' },
  ]
  const jobs = refused.map(async (given) => {
    const { job, files } = await use(build, given)
    expect(job.isRed, job.printed).toBe(true)
    expect(files, JSON.stringify(given)).not.toContain('pwned')
  })
  await Promise.all(jobs)
  expect(files).not.toContain('pwned')
  for (const { run } of action.runs.steps) expect(run).not.toContain('${{')
})

test('says which input is missing', async () => {
  const build = await scene.push(changes.tested)
  expect((await use(build, { package: '' })).job.printed).toContain('The input package is missing.')
  expect((await use(build, { ...both, project: '' })).job.printed).toContain('The input project is missing.')
  expect((await use(build, { ...both, token: '' })).job.printed).toContain('You are not logged in')
})
