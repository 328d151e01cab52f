import { rename } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGitRepository, type GitRepository } from '../../../engines/source/testing/git-repository.ts'
import { contextOfSystem } from '../../base/context.ts'
import { ProjectEntity } from '../../projects/entity.ts'
import { sendTree } from '../../snapshots/testing.ts'
import type { TestRunRow } from '../../test-runs/entity.ts'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createRunFor } from '../../testing/factories.ts'
import { createHealthScene, failing } from '../../tests/testing.ts'
import type { ConfirmationRow } from '../entity.ts'
import { createConfirmationFor } from '../testing.ts'
import { noteMerged } from './note-merged.ts'

let app: TestApp
const repositories = new AsyncDisposableStack()
beforeAll(async () => void (app = await createTestApp()))
afterAll(async () => {
  await repositories.disposeAsync()
  await app[Symbol.asyncDispose]()
})

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)

/** A project whose working tree has a fix that was confirmed from 30 to 10 minutes ago, and is not committed. */
async function createFixScene() {
  const health = await createHealthScene(app)
  const projectId = health.project.id
  const repository = repositories.use(await createGitRepository({ 'dice.js': 'roll()\n' }))
  await app.dataSource.getRepository(ProjectEntity).update({ id: projectId }, { repository: repository.path })
  await repository.write({ 'dice.js': 'roll(6)\n' })
  const confirmed = async (fields: Partial<ConfirmationRow>) => {
    const end = { status: 'completed', verdict: 'confirmed', completedAt: minutesAgo(10) } as const
    return (await createConfirmationFor(app, { projectId, createdAt: minutesAgo(30), ...end, ...fields })).id
  }
  const sent = () => sendTree(app, health.token, projectId, repository)
  /** Inserts a run of the branch, which began and ended that many minutes ago. */
  const tested = (commitSha: string, began: number, ended = began, fields: Partial<TestRunRow> = {}) =>
    createRunFor(app, {
      projectId,
      commitSha,
      status: 'COMPLETED',
      totalTests: 1,
      createdAt: minutesAgo(began),
      completedAt: minutesAgo(ended),
      ...fields,
    })
  /** Looks for merged fixes, and returns the run that showed it for a confirmation. */
  const look = async (confirmationId: string) => {
    const { signal } = new AbortController()
    await noteMerged(contextOfSystem(app.services, app.dataSource.manager, { requestId: 'test', signal }))
    const [row] = await app.dataSource.query<{ run: string | null }[]>(
      'SELECT merged_run AS run FROM test_confirmations WHERE id = $1',
      [confirmationId],
    )
    return row?.run
  }
  return { ...health, projectId, repository, confirmed, sent, tested, look }
}

const commitOther = (repository: GitRepository, text = 'Dice.\n') => repository.commit({ 'README.md': text })

test('a commit that is tested while its fix is still being confirmed shows the merge', async () => {
  const { repository, confirmed, sent, tested, look } = await createFixScene()
  const id = await confirmed({ snapshotId: (await sent()).id })
  const run = await tested(await repository.commit(), 20)
  expect(await look(id)).toBe(run.id)
})

test('a run that ends after later ones shows the merge', async () => {
  const { repository, confirmed, sent, tested, look } = await createFixScene()
  const id = await confirmed({ snapshotId: (await sent()).id })
  const fix = await repository.commit()
  const other = await commitOther(repository)
  await tested(other, 7, 6)
  expect(await look(id)).toBeNull()
  const run = await tested(fix, 8, 4)
  await tested(other, 3)
  expect(await look(id)).toBe(run.id)
})

test('the first run counts, also if it ends after a later one that shows the merge', async () => {
  for (const lookBetween of [false, true]) {
    const { repository, confirmed, tested, look } = await createFixScene()
    const fix = await repository.commit()
    const other = await commitOther(repository)
    const id = await confirmed({ commitSha: fix })
    const later = await tested(other, 7, 6)
    if (lookBetween) expect(await look(id)).toBe(later.id)
    const first = await tested(fix, 9, 5)
    expect(await look(id)).toBe(first.id)
    expect(await look(id)).toBe(first.id)
  }
})

test('the health of a test does not depend on which run was stored first', async () => {
  const judged: unknown[] = []
  for (const isLate of [false, true]) {
    const { upload, get, repository, confirmed, look } = await createFixScene()
    await upload({ tests: { rolls: 'passed' }, commit: 'x', hoursAgo: 6 })
    await upload({ tests: { rolls: failing() }, commit: 'x', hoursAgo: 5 })
    const { testId } = await get('rolls')
    const fix = await repository.commit()
    const other = await commitOther(repository)
    const id = await confirmed({ testId, commitSha: fix })
    const onFix = async () => {
      await upload({ tests: { rolls: 'passed' }, fields: { commitSha: fix }, hoursAgo: 3 })
      await upload({ tests: { rolls: failing() }, fields: { commitSha: fix }, hoursAgo: 2 })
    }
    if (!isLate) await onFix()
    if (!isLate) await look(id)
    await upload({ tests: { rolls: 'passed' }, fields: { commitSha: other }, hoursAgo: 1 })
    await look(id)
    if (isLate) await onFix()
    await look(id)
    const { health, rule, since } = await get('rolls')
    judged.push({ health, rule, isFix: since?.commit === fix })
  }
  expect(judged[0]).toEqual({ health: 'flaky', rule: 'same_commit', isFix: true })
  expect(judged[1]).toEqual(judged[0])
})

test('a run that was stored while Assay looked shows the merge', async () => {
  const { repository, confirmed, sent, tested, look } = await createFixScene()
  const id = await confirmed({ snapshotId: (await sent()).id })
  const fix = await repository.commit()
  const other = await commitOther(repository)
  await tested(other, 0)
  expect(await look(id)).toBeNull()
  // It ended before the other one, and its transaction after it.
  const run = await tested(fix, 1, 0.1)
  await tested(other, 0)
  expect(await look(id)).toBe(run.id)
})

test('a fix is found among more commits than Assay looks at in one go', { timeout: 60_000 }, async () => {
  const { repository, confirmed, sent, tested, look } = await createFixScene()
  const commits: string[] = []
  for (let index = 0; index < 21; index++) commits.push(await commitOther(repository, `${index}\n`))
  const fix = commits.toSorted().at(-1) ?? ''
  await repository.git('checkout', '--quiet', fix)
  const id = await confirmed({ snapshotId: (await sent()).id })
  for (const commit of commits) if (commit !== fix) await tested(commit, 9)
  const run = await tested(fix, 8)
  expect([await look(id), await look(id)]).toEqual([null, run.id])
})

test(
  'a fix is found among more commits than that whose runs ended at the same moment',
  { timeout: 60_000 },
  async () => {
    const { repository, confirmed, sent, tested, look } = await createFixScene()
    const id = await confirmed({ snapshotId: (await sent()).id })
    const completedAt = minutesAgo(9)
    for (let index = 0; index < 25; index++) await tested(index.toString().padStart(40, '0'), 9, 9, { completedAt })
    const run = await tested(await repository.commit(), 9, 9, { completedAt })
    expect(await look(id)).toBe(run.id)
  },
)

test('a commit that the repository has lost hides no merge', async () => {
  const { repository, confirmed, sent, tested, look } = await createFixScene()
  const id = await confirmed({ snapshotId: (await sent()).id })
  await tested('0'.repeat(39) + '1', 9)
  const run = await tested(await repository.commit(), 8)
  await tested(await commitOther(repository), 7)
  expect(await look(id)).toBe(run.id)
})

test('a repository that was unavailable hides no merge', async () => {
  const { repository, confirmed, sent, tested, look } = await createFixScene()
  const id = await confirmed({ snapshotId: (await sent()).id })
  const run = await tested(await repository.commit(), 8)
  await tested(await commitOther(repository), 7)
  await rename(repository.path, `${repository.path}-away`)
  expect(await look(id)).toBeNull()
  await rename(`${repository.path}-away`, repository.path)
  expect(await look(id)).toBe(run.id)
})

test('a failure after the merge counts, even if further commits were tested before Assay looked', async () => {
  const { repository, confirmed, tested, look } = await createFixScene()
  const fix = await repository.commit()
  const id = await confirmed({ commitSha: fix })
  const run = await tested(fix, 9)
  await tested(await commitOther(repository), 8)
  expect(await look(id)).toBe(run.id)
})

test('a test is healthy since the commit that the fix became', async () => {
  const { upload, get, repository, confirmed, sent, look } = await createFixScene()
  await upload({ tests: { rolls: 'passed' }, commit: 'x', hoursAgo: 3 })
  await upload({ tests: { rolls: failing() }, commit: 'x', hoursAgo: 2 })
  const { testId, health } = await get('rolls')
  expect(health).toBe('flaky')
  const { id: snapshotId, commitSha } = await sent()
  const id = await confirmed({ testId, snapshotId, commitSha })
  const fix = await repository.commit()
  const { runId } = await upload({ tests: { rolls: 'passed' }, fields: { commitSha: fix }, hoursAgo: 0.1 })
  await upload({ tests: { rolls: 'passed' }, fields: { commitSha: await commitOther(repository) } })
  expect(await look(id)).toBe(runId)
  expect(await get('rolls')).toMatchObject({ health: 'healthy', rule: 'confirmed_fix', since: { runId, commit: fix } })
})

test('a fix that the branch had already names a run of the branch', async () => {
  const { upload, get, repository, confirmed } = await createFixScene()
  await upload({ tests: { rolls: 'passed' }, commit: 'x', hoursAgo: 3 })
  await upload({ tests: { rolls: failing() }, commit: 'x', hoursAgo: 2 })
  const { testId } = await get('rolls')
  const fix = await repository.commit()
  const { runId } = await upload({ tests: { rolls: 'passed' }, fields: { commitSha: fix }, hoursAgo: 1 })
  await upload({ tests: { rolls: 'passed' }, branch: 'feature', hoursAgo: 0.5 })
  await confirmed({ testId, commitSha: fix, mergedAt: minutesAgo(20) })
  await upload({ tests: { rolls: 'passed' } })
  expect(await get('rolls')).toMatchObject({ rule: 'confirmed_fix', since: { runId, commit: fix } })
})

test('a fix that the branch had before any of its runs counted names no run', async () => {
  const { upload, get, repository, confirmed } = await createFixScene()
  await upload({ tests: { rolls: 'passed' }, commit: 'x', branch: 'feature', hoursAgo: 3 })
  await upload({ tests: { rolls: failing() }, commit: 'x', branch: 'feature', hoursAgo: 2 })
  const { testId, health } = await get('rolls')
  expect(health).toBe('flaky')
  const fix = await repository.commit()
  await confirmed({ testId, commitSha: fix, mergedAt: minutesAgo(20) })
  await upload({ tests: { rolls: 'passed' } })
  const fixed = await get('rolls')
  expect(fixed).toMatchObject({ rule: 'confirmed_fix', since: { runId: null, commit: fix }, evidence: [] })
  expect(fixed.changes[0]).toMatchObject({ to: 'healthy', runId: null })
})

test('a fix that a merge commit brought shows at the first run that contains it, and failures after that count', async () => {
  const { repository, confirmed, tested, look } = await createFixScene()
  const git = (...args: string[]) => repository.git(...args)
  await git('checkout', '-q', '-b', 'fix')
  const fix = await repository.commit()
  await git('checkout', '-q', 'main')
  const before = await commitOther(repository)
  await git('merge', '-q', '--no-edit', 'fix')
  const merge = await git('rev-parse', 'HEAD')
  const id = await confirmed({ commitSha: fix })
  await tested(before, 9)
  expect(await look(id)).toBeNull()
  const first = await tested(merge, 8, 8, { failedTests: 1 })
  await tested(merge, 7)
  await tested(await commitOther(repository, 'Later.\n'), 6)
  expect(await look(id)).toBe(first.id)
})

test('a fix that the branch contains, but whose runs are all from before it, is not merged yet', async () => {
  const { repository, confirmed, tested, look } = await createFixScene()
  const before = await repository.git('rev-parse', 'HEAD')
  const fix = await repository.commit()
  const id = await confirmed({ commitSha: fix })
  await tested(before, 5)
  expect(await look(id)).toBeNull()
  const run = await tested(fix, 4)
  expect(await look(id)).toBe(run.id)
})

test('the same files that the branch had before they were confirmed show the merge', async () => {
  const { repository, confirmed, sent, tested, look } = await createFixScene()
  const { id: snapshotId } = await sent()
  const run = await tested(await repository.commit(), 50)
  await tested(await commitOther(repository), 40)
  expect(await look(await confirmed({ snapshotId }))).toBe(run.id)
})

test('a run that began before others and ends last is looked at', async () => {
  const { repository, confirmed, sent, tested, look } = await createFixScene()
  const id = await confirmed({ snapshotId: (await sent()).id })
  const fix = await repository.commit()
  const other = await commitOther(repository)
  await tested(other, 7, 6)
  await look(id)
  const run = await tested(fix, 9, 0)
  expect(await look(id)).toBe(run.id)
})
