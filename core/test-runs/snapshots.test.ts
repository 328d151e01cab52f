import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGitRepository, type GitRepository } from '../../engines/source/testing/git-repository.ts'
import { measuredCommits } from '../coverage/measured.ts'
import { MembershipEntity } from '../identity/organizations/entity.ts'
import { packTree, sendPack, sendTree } from '../snapshots/testing.ts'
import {
  createMembershipFor,
  createOrganizationFor,
  createProjectFor,
  createTokenFor,
  createUser,
} from '../testing/factories.ts'
import { TestRunEntity } from './entity.ts'
import { createRunScene, type RunScene } from './testing/scene.ts'

let scene: RunScene
beforeAll(async () => void (scene = await createRunScene()))
afterAll(() => scene[Symbol.asyncDispose]())

/** A test for each line of `tests.txt`: `passed` or `failed`. */
const suite = {
  'tests.sh':
    'echo "<testsuite>" > junit.xml\n' +
    'while read name result; do\n' +
    '  [ "$result" = failed ] && inner="<failure message=\\"no\\"/>" || inner=""\n' +
    '  echo "<testcase name=\\"$name\\">$inner</testcase>" >> junit.xml\n' +
    'done < tests.txt\n' +
    'echo "</testsuite>" >> junit.xml\n' +
    'printf "SF:lib.js\\nDA:1,1\\nDA:2,0\\nend_of_record\\n" > lcov.info\n' +
    '! grep -q failed tests.txt\n',
  'tests.txt': 'adds passed\ndivides failed\n',
  'lib.js': 'one\ntwo\n',
}
const settings = { testCommand: 'sh tests.sh', reportGlobs: ['junit.xml'], coverageGlobs: ['lcov.info'] }

async function refused(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'done',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
}

test('runs a working tree that was never committed, and its results count for no other run', async () => {
  const { client, app, token } = scene
  const { id: projectId, repository } = await scene.project(suite, settings)
  const main = await scene.run(projectId)
  expect(main, await scene.log(main.id)).toMatchObject({ reportedStatus: 'FAILED', failedTests: 1, snapshotId: null })
  const measured = await measuredCommits({ db: app.dataSource.manager }, projectId)
  expect(measured).toEqual([main.commitSha])

  await repository.write({ 'tests.txt': 'adds failed\ndivides passed\nnew failed\n' })
  const snapshot = await sendTree(app, token, projectId, repository)
  const plan = await client.testRuns.plan.mutate({ projectId, snapshotId: snapshot.id })
  expect(plan).toMatchObject({ commitSha: snapshot.commitSha, branch: null, snapshotId: snapshot.id })
  const known = await client.analysis.analyzeRepository.mutate({ projectId })
  await client.analysis.analyzeRepository.mutate({ projectId, snapshotId: snapshot.id })
  const run = await scene.run(projectId, { snapshotId: snapshot.id })
  expect(run, await scene.log(run.id)).toMatchObject({
    reportedStatus: 'FAILED',
    snapshotId: snapshot.id,
    commitSha: snapshot.commitSha,
    branch: null,
    totalTests: 3,
    failedTests: 2,
    coverage: 50,
    warnings: [],
  })
  expect(await scene.log(run.id)).toContain(`# Fetching the snapshot ${snapshot.id} of`)

  // Compared with the branch of the project.
  const failures = await client.testRuns.failures.query({ runId: run.id })
  expect(failures).toMatchObject({
    snapshot: { id: snapshot.id, headSha: snapshot.headSha ?? snapshot.baseSha, createdAt: snapshot.createdAt },
    comparedWith: { runId: main.id, branch: 'main', commitSha: main.commitSha },
    newFailures: 2,
    fixed: { tests: ['divides'] },
  })

  const ofTest = async (search: string) => {
    const history = await client.testRuns.history.query({ projectId, search })
    return history.kind === 'history' ? history.results.map(({ runId }) => runId) : history.tests
  }
  expect(await ofTest('adds')).toEqual([main.id])
  expect(await ofTest('new')).toEqual([])
  expect((await client.projects.getProject.query({ projectId })).testRuns.map(({ id }) => id)).toEqual([main.id])
  expect(await measuredCommits({ db: app.dataSource.manager }, projectId)).toEqual(measured)
  // Only the analysis of the snapshot uses what its run measured.
  const coverageOf = async (snapshotId: string | null) => {
    const [analysis] = await client.projects.getProjectAnalyses.query({ projectId, snapshotId })
    return analysis?.coverage
  }
  await expect.poll(() => coverageOf(snapshot.id)).toMatchObject({ commitSha: snapshot.commitSha, behind: 0 })
  expect(await coverageOf(null)).toEqual(known.summary.coverage)
  const statuses = await app.dataSource.query<unknown[]>(
    'SELECT FROM code_host_posts WHERE project_id = $1 AND starts_with(target, $2)',
    [projectId, snapshot.commitSha],
  )
  expect(statuses).toEqual([])
  const events = await app.dataSource.query<{ data: object }[]>(
    `SELECT envelope::jsonb -> 'data' AS data FROM events WHERE project_id = $1 AND type LIKE 'test_run.%'
      ORDER BY created_at, id`,
    [projectId],
  )
  expect(events.map(({ data }) => data)).toMatchObject([
    { id: main.id },
    { id: main.id },
    { id: run.id, snapshotId: snapshot.id, branch: null },
    { id: run.id, snapshotId: snapshot.id, commitSha: snapshot.commitSha },
  ])
  expect(events[0]?.data).not.toHaveProperty('snapshotId')
  const listed = await client.testRuns.list.query({ projectId })
  expect(listed.runs.map(({ snapshotId }) => snapshotId)).toEqual([snapshot.id, null])
  const idsOf = async (snapshotId: string | null) =>
    (await client.testRuns.list.query({ projectId, snapshotId })).runs.map(({ id }) => id)
  expect([await idsOf(snapshot.id), await idsOf(null)]).toEqual([[run.id], [main.id]])

  // Nor does it count after the snapshot was deleted.
  await client.snapshots.delete.mutate({ snapshotId: snapshot.id })
  expect(await ofTest('adds')).toEqual([main.id])
  expect(await client.testRuns.failures.query({ runId: run.id })).toMatchObject({
    snapshot: { id: snapshot.id, headSha: null, createdAt: null },
  })
  const next = await scene.run(projectId)
  expect(await client.testRuns.failures.query({ runId: next.id })).toMatchObject({
    snapshot: null,
    comparedWith: { runId: main.id },
    newFailures: 0,
    stillFailing: 1,
    fixed: { count: 0 },
  })
  expect(await refused(client.testRuns.rerunFailed.mutate({ runId: run.id }))).toContain(
    'The snapshot of this run was deleted. Send the working tree again',
  )
})

test('reruns the failed tests of a snapshot on the same snapshot, and triggers one from CI', async () => {
  const { client, app, token } = scene
  const { id: projectId, repository } = await scene.project(suite, settings)
  await repository.write({ 'more.txt': 'more' })
  const snapshot = await sendTree(app, token, projectId, repository)
  const response = await app.fetch(`/api/ci/trigger/${projectId}`, {
    method: 'POST',
    token,
    headers: { 'content-type': 'application/json', 'idempotency-key': 'one' },
    body: JSON.stringify({ snapshotId: snapshot.id }),
  })
  const { runId } = (await response.json()) as { runId: string }
  expect(await scene.waitFor(runId)).toMatchObject({ snapshotId: snapshot.id, failedTests: 1 })
  const again = await client.testRuns.rerunFailed.mutate({ runId })
  expect(again).toMatchObject({ snapshotId: snapshot.id, commitSha: snapshot.commitSha, branch: null, rerunOf: runId })
  await scene.waitFor(again.id)
  expect(await client.testRuns.failures.query({ runId: again.id })).toMatchObject({
    snapshot: { id: snapshot.id },
    comparedWith: { runId, commitSha: null },
  })
  const conflicting = { projectId, idempotencyKey: 'one' }
  expect(await refused(client.testRuns.trigger.mutate(conflicting))).toContain('used for a different request')
  await client.snapshots.delete.mutate({ snapshotId: snapshot.id })
  const repeated = { projectId, snapshotId: snapshot.id, idempotencyKey: 'one' }
  expect(await client.testRuns.trigger.mutate(repeated)).toMatchObject({ id: runId })
})

test('refuses a snapshot together with a branch or a commit, and one of another project', async () => {
  const { client, app, token } = scene
  const { id: projectId, repository } = await scene.project(suite, settings)
  const { id: other } = await scene.project(suite, settings)
  await repository.write({ 'more.txt': 'more' })
  const { id: snapshotId } = await sendTree(app, token, projectId, repository)
  const test = { filePath: 'a.test.js', code: 'x' }
  const states = [
    [{ projectId, snapshotId, branch: 'main' }, 'snapshotId: cannot be combined with branch or commitSha'],
    [{ projectId, snapshotId, commitSha: 'a'.repeat(40) }, 'snapshotId: cannot be combined with branch or commitSha'],
    [{ projectId: other, snapshotId }, 'No such snapshot'],
  ] as const
  for (const [state, message] of states) {
    expect(await refused(client.testRuns.trigger.mutate(state))).toContain(message)
    expect(await refused(client.testRuns.plan.mutate(state))).toContain(message)
    expect(await refused(client.analysis.startAnalysis.mutate(state))).toContain(message)
    expect(await refused(client.analysis.analyzeRepository.mutate(state))).toContain(message)
    expect(await refused(client.tests.verify.mutate({ ...state, ...test }))).toContain(message)
    expect(await refused(client.tests.verifyMany.mutate({ ...state, tests: [test] }))).toContain(message)
  }
})

test('fails in words if the snapshot of a queued run is gone', async () => {
  const { id: projectId, repository } = await scene.project(suite, settings)
  await repository.write({ 'more.txt': 'more' })
  const snapshot = await sendTree(scene.app, scene.token, projectId, repository)
  const waiting = await scene.client.testRuns.trigger.mutate({ projectId, snapshotId: snapshot.id })
  await scene.app.dataSource.query('DELETE FROM snapshots WHERE id = $1', [snapshot.id])
  const run = await scene.waitFor(waiting.id)
  // A quick worker may have opened it before.
  if (run.error !== null) expect(run.error.message).toContain('was deleted. Send the working tree again.')
})

const secret = 'hunter2-hunter2'
const leaking = {
  'tests.sh':
    'echo "reversed: [$(printf %s "$API_KEY" | rev)]"\necho "<testsuite><testcase name=\\"leaks\\"/></testsuite>" > junit.xml\n',
}

test("shows the project's environment to snapshots of admins only", async () => {
  const { app } = scene
  await using repository: GitRepository = await createGitRepository(leaking)
  const [owner, member] = [await createUser(app), await createUser(app)]
  const { id: organizationId } = await createOrganizationFor(app, { user: owner })
  const membership = await createMembershipFor(app, { organizationId, user: member })
  const { id: projectId } = await createProjectFor(app, { user: owner, organizationId, repository: repository.path })
  const [ofOwner, ofMember] = [await createTokenFor(app, { user: owner }), await createTokenFor(app, { user: member })]
  const runOnly = await createTokenFor(app, { user: owner, scopes: ['tests:run', 'tests:read'] })
  await app.client(ofOwner).projects.updateProjectSettings.mutate({
    projectId,
    settings: { testCommand: 'sh tests.sh', reportGlobs: ['junit.xml'], environment: { API_KEY: secret } },
  })
  const runOf = async (snapshotId: string, by: string) => {
    const client = app.client(by)
    const { id } = await client.testRuns.trigger.mutate({ projectId, snapshotId })
    for (;;) {
      const run = await client.testRuns.get.query({ runId: id, waitSeconds: 45 })
      if (run.completedAt === null) continue
      const { withSecrets } = await app.dataSource.getRepository(TestRunEntity).findOneByOrFail({ id })
      const log = (await client.testRuns.log.query({ runId: id, limit: 1_000 })).lines.join('\n')
      expect(log.includes('2retnuh-2retnuh'), log).toBe(withSecrets)
      return { seen: withSecrets, warnings: run.warnings }
    }
  }
  await repository.write({ 'note.txt': 'a change' })
  const packed = await packTree(repository)
  const send = async (token: string) => {
    const response = await sendPack(app, token, projectId, packed)
    return ((await response.json()) as { id: string }).id
  }
  const notAdmin =
    "The sender of the snapshot is not an admin or owner of the project, so the tests ran without the project's environment."
  const members = await send(ofMember)
  // It does not matter who triggers the run.
  for (const by of [ofMember, ofOwner]) {
    expect(await runOf(members, by)).toEqual({ seen: false, warnings: [notAdmin] })
  }
  await app.dataSource.getRepository(MembershipEntity).update({ id: membership.id }, { role: 'admin' })
  expect(await runOf(members, ofMember)).toEqual({ seen: true, warnings: [] })
  await app.dataSource.getRepository(MembershipEntity).delete({ id: membership.id })
  expect(await runOf(members, ofOwner)).toMatchObject({ seen: false, warnings: [notAdmin] })

  const owners = await send(runOnly)
  expect(await runOf(owners, ofOwner)).toEqual({
    seen: false,
    warnings: [
      "The snapshot was sent with a token without the scope projects:write, so the tests ran without the project's environment.",
    ],
  })
  expect(await send(ofOwner)).toBe(owners)
  expect(await runOf(owners, runOnly)).toEqual({ seen: true, warnings: [] })
})
