import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { border, cart, fixed, testFile } from '../core/changes/testing/cart.ts'
import { type ChangeScene, createChangeScene } from '../core/changes/testing/scene.ts'
import { createChangeFor } from '../core/changes/testing.ts'
import { ChangeEntity } from '../core/changes/entity.ts'
import { pageAt } from '../core/testing/dashboard-pages.ts'
import { changeEvidence, largestEvidence } from '../client/testing/change-evidence.ts'
import { createFolder, createRepository } from '../client/testing/repository.ts'
import { assay, pageIn, startAssay } from './testing/assay.ts'

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
  const change = JSON.parse(proved.stdout) as { id: string; url: string }
  expect(proved, proved.stderr).toMatchObject({ exitCode: 0 })
  expect(change).toMatchObject({ verdict: 'proved', snapshotId: expect.any(String), leftOut: [] })

  const followed = await verify('--id', change.id)
  expect(followed).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^proved {2}/) })
  expect(followed.stdout).toContain(`Id\t${change.id}\n`)
  expect(pageIn(followed.stdout)).toBe(change.url)
  expect(await pageAt(change.url, scene.app.url)).toBe('/projects/$projectId/changes/$changeId')
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

test('adds a checkout that has no project, says so, and takes its working trees as the same project', async () => {
  await using repository = await createRepository(cart)
  const cwd = repository.path
  await repository.git('checkout', '--quiet', '-b', 'feature')
  const started = await assay(['verify', '--change', '--detach'], { cwd, env })
  expect(started, started.stderr).toMatchObject({ exitCode: 0 })
  expect(started.stderr).toMatch(/^Added this checkout as the project [^:]+: \w{26}\n/)

  await repository.write({ 'README.md': '# Shop\n' })
  await repository.git('commit', '--quiet', '--all', '--message', 'Name the shop')
  await using folder = await createFolder()
  const linked = join(folder.path, 'linked')
  await repository.git('worktree', 'add', '--quiet', '-b', 'topic', linked)
  const verified = await assay(['verify', '--change'], { cwd: linked, env })
  expect(verified, verified.stderr).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^no_code_changed /) })
  expect(verified.stderr).not.toContain('Added')
  const main = await repository.git('rev-parse', '--short=7', 'main')
  expect(verified.stdout).toContain(`Compared with\twhere \`topic\` left \`main\` (${main})\n`)
  const projects = await scene.client.projects.getProjects.query()
  expect(projects.filter(({ repository }) => [cwd, linked].includes(repository))).toMatchObject([
    { repository: cwd, branch: 'main' },
  ])
})

test('a repository without a commit gets the advice to make one', async () => {
  await using folder = await createFolder()
  await promisify(execFile)('git', ['init', '--quiet', '--initial-branch', 'main', folder.path])
  await writeFile(join(folder.path, 'package.json'), cart['package.json'])
  const { exitCode, stdout } = await assay(['verify', '--change'], { cwd: folder.path, env })
  expect(exitCode).toBe(5)
  expect(stdout).toContain(
    'no_commit: This repository has no commit yet. Commit the code without the change first; then verify the change.',
  )
  expect(stdout).not.toContain('--base')
})

test('--same is short for --expect same', async () => {
  const { exitCode, stdout } = await verify('--same', '--detach', '--json')
  expect(exitCode).toBe(0)
  const { id } = JSON.parse(stdout) as { id: string }
  const { intent } = await scene.app.dataSource.getRepository(ChangeEntity).findOneByOrFail({ id })
  expect(intent).toBe('same')
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
  [['verify', '--change', '--same', '--expect', 'change'], '--same cannot be combined with --expect change.'],
  [['verify', '--same', 'a.test.js'], '--same requires --change.'],
  [['verify', '--change', '--cancel'], '--cancel requires the --id of a verification.'],
])('refuses %j in words', async (words, message) => {
  const { exitCode, stderr, stdout } = await assay(words, { cwd: project.repository.path, env })
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(stderr).toContain(message)
})
