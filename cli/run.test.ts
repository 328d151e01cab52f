import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { FailureDigest } from '../core/test-runs/failures/schema.ts'
import type { TestRun } from '../core/test-runs/schema.ts'
import { pageAt } from '../core/testing/dashboard-pages.ts'
import { createProjectFor, createRunFor } from '../core/testing/factories.ts'
import { assay, pageIn } from './testing/assay.ts'
import { createRunScene, failing, passing, runIn, type RunScene } from './testing/run-scene.ts'

// Runs take long on a busy machine.
vi.setConfig({ testTimeout: 180_000 })

let scene: RunScene
beforeAll(async () => void (scene = await createRunScene()))
afterAll(() => scene[Symbol.asyncDispose]())

test('run shows the log and the result of a run that passes, with exit code 0', async () => {
  const { id } = await scene.project(passing)
  const { exitCode, stdout, stderr } = await assay(['run', id], { env: scene.env })
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  expect(stdout).toContain('✔ adds up')
  expect(stdout).toMatch(/^PASSED {2}1 test: 1 passed, /m)
  expect(stdout).not.toContain('Run them')
})

test('run shows failures with their places and how to run them again; status, failures and log show them later', async () => {
  const { id, repository } = await scene.project(failing)
  const cwd = repository.path
  const run = await assay(['run', '--quiet'], { env: scene.env, cwd })
  expect(run).toMatchObject({ exitCode: 1, stderr: '' })
  expect(run.stdout).not.toContain('✔ adds up')
  expect(run.stdout).toMatch(/^FAILED {2}2 tests: 1 failed, 1 passed/m)
  expect(run.stdout).toMatch(/takes VAT {2}test\/cart\.test\.js:5$/m)
  expect(run.stdout).toMatch(/Run them locally: .*cart\.test\.js/)
  const runId = runIn(run.stdout)
  expect(run.stdout).toContain(`assay run --rerun-failed ${runId}`)
  const url = `${scene.core.url}/projects/${id}/runs/${runId}`
  expect(run.stdout.endsWith(`\nPage: ${url}\n`)).toBe(true)
  expect(await pageAt(url, scene.core.url)).toBe('/projects/$projectId/runs/$runId')

  const [failures, asJson, ofRun, ofProject, log, tail] = await Promise.all([
    assay(['failures'], { env: scene.env, cwd }),
    assay(['failures', runId, '--json'], { env: scene.env }),
    assay(['status', runId], { env: scene.env }),
    assay(['status', id], { env: scene.env }),
    assay(['log', runId], { env: scene.env }),
    assay(['log', runId, '--tail', '2', '--json'], { env: scene.env }),
  ])
  expect(failures).toMatchObject({ exitCode: 0, stderr: '' })
  expect(failures.stdout).toContain(`run ${runId}`)
  expect(failures.stdout).toContain('test/cart.test.js:5')
  const digest = JSON.parse(asJson.stdout) as FailureDigest
  expect(digest).toMatchObject({ runId, url, failedTests: 1, newFailures: 1 })
  expect([failures, ofRun].map(({ stdout }) => pageIn(stdout))).toEqual([url, url])
  expect(ofRun.stdout).toContain('2 tests: 1 failed, 1 passed')
  expect(ofRun.stdout).toContain('Started by\tCLI, MCP or API\n')
  expect(ofProject.stdout.trimEnd().split('\t').slice(0, 3)).toEqual([runId, 'FAILED', '1/2'])
  const lines = log.stdout.trimEnd().split('\n')
  expect(lines.length).toBeGreaterThan(5)
  expect((JSON.parse(tail.stdout) as { lines: string[] }).lines).toEqual(lines.slice(-2))

  await repository.commit({ 'test/cart.test.js': passing })
  const again = await assay(['run', '--rerun-failed', runId, '--json'], { env: scene.env })
  expect(again.exitCode).toBe(1)
  expect(JSON.parse(again.stdout)).toMatchObject({ status: 'FAILED', totalTests: 1, failedTests: 1 })
})

test('failures shows the latest run, and after one that passed only names the last one that failed', async () => {
  const { id, repository } = await scene.project(failing)
  const red = runIn((await assay(['run', id, '--quiet'], { env: scene.env })).stdout)
  await repository.commit({ 'test/cart.test.js': passing })
  const green = runIn((await assay(['run', id, '--quiet'], { env: scene.env })).stdout)
  const [ofProject, json, ofRun] = await Promise.all([
    assay(['failures', id], { env: scene.env }),
    assay(['failures', '--project', id, '--json'], { env: scene.env }),
    assay(['failures', red], { env: scene.env }),
  ])
  expect(ofProject).toMatchObject({ exitCode: 0, stderr: '' })
  expect(ofProject.stdout).toMatch(/^The latest run passed:\nPASSED /)
  expect(ofProject.stdout).toContain(`assay failures ${red}`)
  expect(ofProject.stdout).not.toContain('takes VAT')
  expect(JSON.parse(json.stdout)).toMatchObject({ runId: green, status: 'PASSED' })
  expect(ofRun.stdout).toContain('takes VAT')

  const { id: empty } = await scene.project(passing)
  const none = await assay(['failures', empty], { env: scene.env })
  expect(none).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^No run of .* has ended\.\n$/) })
})

test('--head runs the commit of the checkout, whatever has changed since', async () => {
  const { repository } = await scene.project(passing)
  const commit = await repository.git('rev-parse', 'HEAD')
  await repository.commit({ 'test/cart.test.js': failing })
  await repository.git('switch', '--quiet', '--create', 'older', commit)
  const options = { env: scene.env, cwd: repository.path }
  const older = await assay(['run', '--head', '--detach', '--json'], options)
  expect(older).toMatchObject({ exitCode: 0, stderr: '' })
  expect(JSON.parse(older.stdout)).toMatchObject({ commitSha: commit, branch: 'older' })
  await repository.write({ 'test/cart.test.js': failing })
  const changed = await assay(['run', '--head', '--detach', '--json'], options)
  expect(changed).toMatchObject({ exitCode: 0, stderr: '' })
  expect(JSON.parse(changed.stdout)).toMatchObject({ commitSha: commit, branch: 'older', snapshotId: null })

  const cwd = join(repository.path, 'test')
  const other = await assay(['run', '--detach', '--json', '--path', 'cart.test.js'], { env: scene.env, cwd })
  expect(other).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Sent a snapshot') })
  expect(JSON.parse(other.stdout)).toMatchObject({ branch: null, selection: { paths: ['test/cart.test.js'] } })
})

test('a run without a result has another exit code than one with failures', async () => {
  const { id } = await scene.project(passing)
  const { exitCode, stdout } = await assay(['run', id, '--branch', 'nowhere', '--quiet'], { env: scene.env })
  expect(exitCode).toBe(5)
  expect(stdout).toMatch(/^ERROR/m)
})

test('run prints the output of a failed install once, and names the host that was not resolved', async () => {
  const { id, repository } = await scene.project(passing)
  const installCommand = 'node -e "console.log(\'getaddrinfo ENOTFOUND r.example\');process.exit(3)"'
  await scene.core.client(scene.env['SVC_API_TOKEN']).projects.updateProjectSettings.mutate({
    projectId: id,
    settings: { installCommand },
  })
  const { exitCode, stdout } = await assay(['run', id], { env: scene.env })
  expect(exitCode).toBe(5)
  expect(stdout).toMatch(/^install_failed: .*The server could not resolve r\.example\. Check its network/m)
  expect(stdout.match(/^ *getaddrinfo ENOTFOUND r\.example$/gm)).toHaveLength(1)
  const later = await assay(['failures', id], { env: scene.env })
  expect(later.stdout.match(/^ *getaddrinfo ENOTFOUND r\.example$/gm) ?? []).toHaveLength(1)

  const verified = await assay(['verify', 'test/cart.test.js'], { env: scene.env, cwd: repository.path })
  const [first, ...output] = verified.stdout.trimEnd().split('\n')
  expect(first).toMatch(/^failed {2}test\/cart\.test\.js$/)
  expect(output).toEqual([
    expect.stringMatching(/^install_failed: .*Check its network, or set `installCommand`\. The output was:$/),
    '  getaddrinfo ENOTFOUND r.example',
    expect.stringMatching(/^Page: .*\/verifications\/\w{26}$/),
  ])
})

test('starting twice with one key returns the same run, and --detach does not wait for it', async () => {
  const { id } = await scene.project(passing)
  const start = () => assay(['run', id, '--detach', '--key', 'build-7'], { env: scene.env })
  const first = await start()
  expect(first).toMatchObject({ exitCode: 0, stderr: '' })
  expect(first.stdout).toMatch(/^[0-9A-Z]{26}\n$/)
  expect((await start()).stdout).toBe(first.stdout)
})

test('every command answers the same for an unknown run as for one of another tenant', async () => {
  const stranger = await createProjectFor(scene.core)
  const foreign = await createRunFor(scene.core, { projectId: stranger.id, status: 'COMPLETED' })
  const unknown = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
  const words = [['failures'], ['log', '--follow'], ['cancel'], ['status']]
  const told = await Promise.all(
    words.flatMap((command) => [unknown, foreign.id].map((runId) => assay([...command, runId], { env: scene.env }))),
  )
  for (const { exitCode, stdout, stderr } of told) {
    expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' })
    expect(stderr).toMatch(/^(?:No such test run|Nothing matches \w+: no run and no project has this id)/)
  }
  const texts = told.map(({ stderr }) => stderr.replaceAll(unknown, '<id>').replaceAll(foreign.id, '<id>'))
  for (let index = 0; index < texts.length; index += 2) expect(texts[index]).toBe(texts[index + 1])
})

test('a wrong token and conflicting options start no run', async () => {
  const { id } = await scene.project(passing)
  const file = await assay(['run', 'run.test.ts'], { env: scene.env, cwd: import.meta.dirname })
  expect(file).toMatchObject({ exitCode: 2, stdout: '' })
  expect(file.stderr).toContain(
    'run.test.ts is a file, not a project. To run its tests: `assay run --path run.test.ts`.',
  )
  const nowhere = await assay(['projects', 'add', '/etc'], { env: scene.env })
  expect(nowhere.stderr).toContain('/etc is not inside a git checkout. Give the path of a checkout or a clone URL.')
  const [token, both, head, type] = await Promise.all([
    assay(['run', id], { env: { ...scene.env, SVC_API_TOKEN: 'svc_wrong' } }),
    assay(['run', id, '--rerun-failed', '01ARZ3NDEKTSV4RRFFQ69G5FAV'], { env: scene.env }),
    assay(['run', id, '--head', '--branch', 'main'], { env: scene.env }),
    assay(['run', id, '--type', 'some'], { env: scene.env }),
  ])
  expect(token).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('SVC_API_TOKEN') })
  expect([both.exitCode, head.exitCode, type.exitCode]).toEqual([2, 2, 2])
  expect(type.stderr).toContain('unit, integration, e2e, all')
  const { runs } = JSON.parse((await assay(['status', id, '--json'], { env: scene.env })).stdout) as { runs: TestRun[] }
  expect(runs).toEqual([])
})
