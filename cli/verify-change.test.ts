import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { border, cart, fixed, testFile } from '../core/changes/testing/cart.ts'
import { type ChangeScene, createChangeScene } from '../core/changes/testing/scene.ts'
import { createChangeFor } from '../core/changes/testing.ts'
import { ChangeEntity } from '../core/changes/entity.ts'
import { changeEvidence, largestEvidence } from '../client/testing/change-evidence.ts'
import { assay, startAssay } from './testing/assay.ts'

// Verifications take long on a busy machine.
vi.setConfig({ testTimeout: 240_000 })

let scene: ChangeScene
let project: Awaited<ReturnType<ChangeScene['project']>>
let env: Record<string, string>
beforeAll(async () => {
  scene = await createChangeScene()
  env = { SVC_BASE_URL: scene.app.url, SVC_API_TOKEN: scene.token }
  project = await scene.project(cart)
})
afterAll(() => scene[Symbol.asyncDispose]())

const verify = (...words: string[]) => assay(['verify', '--change', ...words], { cwd: project.repository.path, env })
const testPath = 'test/border.test.js'

test('verifies the working tree, and exits with 0 only if the tests prove the change', async () => {
  const { repository } = project
  const weak = testFile("import { total } from '../src/cart.js'", { 'is a number': 'assert.ok(total([100]) > 0)' })
  await repository.write({ ...fixed, [testPath]: weak })
  const unproved = await verify('--repeats', '2', '--mutants', '0')
  expect(unproved, unproved.stderr).toMatchObject({ exitCode: 1 })
  expect(unproved.stdout).toMatch(/^unproved {2}/)
  expect(unproved.stdout).toContain(
    'Tests\tthe new test `is a number` passes on the old code too; with the change 4 ran,',
  )
  expect(unproved.stdout).toContain('Passes without the change  is a number\n')
  // The summary says what is missing.
  expect(unproved.stdout).not.toContain('\nMissing')
  expect(unproved.stderr).toMatch(/^Sent a snapshot of this checkout: 2 changed files on [0-9a-f]{7} /)
  expect(unproved.stderr).toMatch(/\nWaiting for verification \w{26} of the change\n/)

  await repository.write({ [testPath]: border })
  const proved = await verify('--repeats', '2', '--mutants', '1', '--json')
  const change = JSON.parse(proved.stdout) as { id: string }
  expect(proved, proved.stderr).toMatchObject({ exitCode: 0 })
  expect(change).toMatchObject({ verdict: 'proved', snapshotId: expect.any(String), leftOut: [] })

  const followed = await verify('--id', change.id)
  expect(followed).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^proved {2}/) })
  expect(followed.stdout).toContain(`Id\t${change.id}\n`)
  expect(followed.stdout).toContain(
    'Tests\tthe new test `gives a discount from 100` fails on the old code and passes on the new; ' +
      'the new tests `adds no more than the prices`, `gives none below` pass on the old code too; with the change 6 ran,',
  )
  expect(followed.stdout).toContain('Mutants\t1 of 3 tried: 1 killed, 0 survived\n')
  expect(followed.stdout).toContain('Command\tnode --test test/border.test.js\n')

  // Only the committed state, which has nothing of it.
  const committed = await verify('--head', '--base', 'HEAD')
  expect(committed).toMatchObject({ exitCode: 5, stdout: expect.stringContaining('nothing_to_compare') })
  expect(committed.stdout).toContain(
    'nothing_to_compare: There is nothing to verify: the code is that of the base, the commit ',
  )
  expect(committed.stdout).toContain('because there is nothing to verify. Give another --base')
})

test('code that the snapshot lacks is named, and no verdict says that the change is done', async () => {
  const { repository } = project
  const refund = `export const refund = () => 1\nexport const key = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'\n`
  await repository.write({ ...fixed, [testPath]: border, 'src/refund.js': refund })
  const lacking = await verify('--repeats', '2', '--mutants', '1')
  await rm(join(repository.path, 'src/refund.js'))
  expect(lacking, lacking.stderr).toMatchObject({ exitCode: 1 })
  const sentence = 'src/refund.js was left out of the snapshot, so nothing is proved about it.'
  expect(lacking.stdout).toMatch(new RegExp(`^proved {2}${RegExp.escape(sentence)} `))
  expect(lacking.stdout).toContain(
    `Next  Do not call the change done: ${sentence} To send it, name it with --include.\n`,
  )
  expect(lacking.stdout).not.toContain('Commit exactly')
})

test('after Ctrl-C the verification continues, and the message says how to follow and cancel it', async () => {
  await project.repository.write({ [testPath]: `${border}\n// again` })
  const running = startAssay(['verify', '--change', '--budget', '5m'], { cwd: project.repository.path, env })
  await running.until(({ stderr }) => stderr.includes('Waiting for verification'))
  const [, id = ''] = /Waiting for verification (\w{26})/.exec(running.stderr) ?? []
  const { budgetSeconds } = await scene.app.dataSource.getRepository(ChangeEntity).findOneByOrFail({ id })
  expect(budgetSeconds).toBe(300)
  running.interrupt()
  const { exitCode, stderr } = await running.ended
  expect(exitCode).toBe(130)
  expect(stderr).toContain(`Follow it with \`assay verify --change --id ${id}\`, or add --cancel to cancel it.`)
  expect(await verify('--id', id, '--cancel')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(id) })
  const cancelled = await verify('--id', id)
  expect(cancelled).toMatchObject({ exitCode: 5, stdout: expect.stringContaining('verify the change again') })
})

test('shows a provisional verdict once, and waits for the final one', async () => {
  const evidence = changeEvidence({ notRun: ['without_change', 'mutants'] })
  const { id } = await stored({ status: 'running', completedAt: null, verdict: 'unproved', evidence })
  const running = startAssay(['verify', '--change', '--id', id], { cwd: project.repository.path, env })
  await running.until(({ stderr }) => stderr.includes('Provisional'))
  const proved = {
    status: 'completed',
    verdict: 'proved',
    evidence: changeEvidence(),
    completedAt: new Date(),
  } as const
  await scene.app.dataSource.getRepository(ChangeEntity).update({ id }, proved)
  const { exitCode, stdout, stderr } = await running.ended
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringMatching(/^proved {2}/) })
  expect(stderr.match(/Provisional: .*/g)).toEqual([
    'Provisional: unproved. Still open: the tests of the change without it, the mutants.',
  ])
})

const stored = (fields: Parameters<typeof createChangeFor>[1]) =>
  createChangeFor(scene.app, { projectId: project.id, status: 'completed', completedAt: new Date(), ...fields })

test.each([
  ['proved', 0],
  ['no_code_changed', 0],
  ['unproved', 1],
  ['broken', 1],
  ['not_built', 1],
  ['flaky', 1],
] as const)(
  'the exit code of %s is %i, and names of strangers do not reach the terminal as they are',
  async (verdict, code) => {
    const { id } = await stored({ verdict, evidence: largestEvidence('\u001b[2J\u202ename ') })
    const { exitCode, stdout } = await verify('--id', id)
    expect(exitCode).toBe(code)
    expect(stdout).toMatch(new RegExp(`^${verdict} {2}`))
    expect(stdout).not.toMatch(/(?![\t\n])[\p{Cc}\p{Cf}]/u)
    expect(stdout).toContain('... and ')
  },
)

test('another user has no access to a change', async () => {
  const { id } = await createChangeFor(scene.app, { status: 'completed', completedAt: new Date() })
  expect(await verify('--id', id)).toMatchObject({ exitCode: 4, stdout: '' })
})

test.each([
  [['verify', '--change', 'a.test.js'], '--change verifies the whole change. Leave out the file'],
  [['verify', '--base', 'main', 'a.test.js'], '--base requires --change.'],
  [['verify', '--change', '--head', '--branch', 'main'], '--head cannot be combined with --branch or --commit.'],
  [['verify', '--change', '--head', '--include', '.env'], '--include cannot be combined with --head'],
  [['verify', '--change', '--budget', '1s'], 'It must be a time from 10s to 60m'],
  [['verify', '--change', '--expect', 'nothing'], 'Allowed choices are change, same'],
  [['verify', '--change', '--cancel'], '--cancel requires the --id of a verification.'],
])('refuses %j in words', async (words, message) => {
  const { exitCode, stderr, stdout } = await assay(words, { cwd: project.repository.path, env })
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(stderr).toContain(message)
})
