import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startGitHost } from '../../engines/source/testing/git-host.ts'
import { createGitRepository, type GitRepository } from '../../engines/source/testing/git-repository.ts'
import { createApp } from '../app.ts'
import { createLog } from '../base/log.ts'
import { ProjectEntity } from '../projects/entity.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import {
  createMembershipFor,
  createOrganizationFor,
  createProjectFor,
  createRunFor,
  createTokenFor,
  createUser,
} from '../testing/factories.ts'
import { cacheDirectory, deleteCachesOfNoProject } from '../workspaces/cache-directory.ts'
import { cleanUpSnapshots } from './clean-up.ts'
import { incomingDirectory, snapshotDirectory, snapshotsDirectory } from './directories.ts'
import { SnapshotEntity } from './entity.ts'
import { storePack } from './receive-pack.ts'
import type { Snapshot } from './schema.ts'
import { storedSnapshot } from './stored-snapshot.ts'
import { createSnapshotFor, packTree, sendPack, sendTree } from './testing.ts'

const day = 86_400_000

let app: TestApp
let repository: GitRepository
let user: Awaited<ReturnType<typeof createUser>>
let token: string
beforeAll(async () => {
  app = await createTestApp({ role: 'web', snapshots: { maxPerProject: 20, maxBytesOfProject: 2 ** 30 } })
  repository = await createGitRepository({ 'src/sum.js': 'export const sum = (a, b) => a + b\n' })
  user = await createUser(app)
  token = await createTokenFor(app, { user })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await repository[Symbol.asyncDispose]()
})

const newProject = async () => (await createProjectFor(app, { user, repository: repository.path })).id
const client = () => app.client(token)
const filesOf = (projectId: string) => readdir(join(snapshotsDirectory(app.config), projectId)).catch(() => [])
const incoming = () => readdir(incomingDirectory(app.config)).catch(() => [])
const change = (text: string) => repository.write({ 'src/sum.js': `// ${text}\n` })
const refusal = async (response: Response) => {
  const { message } = (await response.json()) as { message: string }
  return [response.status, message]
}
const cleanUp = (now = new Date()) => cleanUpSnapshots({ ...app.services, db: app.dataSource.manager, now: () => now })

test('keeps a working tree as a commit, and knows the same tree again', async () => {
  const projectId = await newProject()
  await repository.write({ 'src/new.js': 'export const fresh = 1\n' })
  await change('a working tree')
  const packed = await packTree(repository)
  const first = await sendPack(app, token, projectId, { ...packed, branch: 'main' })
  expect(first.status).toBe(201)
  const snapshot = (await first.json()) as Snapshot
  expect(snapshot).toMatchObject({
    projectId,
    userId: user.id,
    baseSha: packed.base,
    treeSha: packed.tree,
    branch: 'main',
    files: 2,
  })
  expect(Date.parse(snapshot.expiresAt) - Date.parse(snapshot.lastUsedAt)).toBe(7 * day)
  expect(await filesOf(projectId)).toEqual([`${snapshot.id}.git`])

  const again = await sendPack(app, token, projectId, { ...packed, head: packed.base ?? '' })
  expect([again.status, ((await again.json()) as Snapshot).id]).toEqual([200, snapshot.id])
  const found = await client().snapshots.findBase.mutate({
    projectId,
    commits: [packed.base ?? '', 'f'.repeat(40)],
    treeSha: packed.tree,
  })
  expect(found).toMatchObject({ baseSha: packed.base, snapshot: { id: snapshot.id }, maxPackBytes: 64 * 2 ** 20 })
  const unknown = await client().snapshots.findBase.mutate({
    projectId,
    commits: ['f'.repeat(40), packed.base ?? ''],
    treeSha: 'e'.repeat(40),
  })
  expect(unknown).toMatchObject({ baseSha: packed.base, snapshot: null })
  expect(await client().snapshots.findBase.mutate({ projectId, commits: [] })).toMatchObject({ baseSha: null })

  const small = await client().snapshots.create.mutate({
    projectId,
    baseSha: packed.base ?? '',
    treeSha: packed.tree,
    pack: packed.pack.toString('base64'),
  })
  expect(small.id).toBe(snapshot.id)
  expect(await client().snapshots.list.query({ projectId })).toMatchObject({
    snapshots: [{ id: snapshot.id }],
    pagination: { total: 1 },
  })
  expect(await filesOf(projectId)).toEqual([`${snapshot.id}.git`])
  expect(await incoming()).toEqual([])
})

test('keeps a whole tree without a base, and finds it again', async () => {
  const projectId = await newProject()
  await change('a whole tree')
  const packed = await packTree(repository, { whole: true })
  const snapshot = (await (await sendPack(app, token, projectId, packed)).json()) as Snapshot
  expect(snapshot).toMatchObject({ baseSha: null, headSha: null, treeSha: packed.tree })
  const found = await client().snapshots.findBase.mutate({
    projectId,
    commits: ['d'.repeat(40)],
    treeSha: packed.tree,
  })
  expect(found).toMatchObject({ baseSha: null, snapshot: { id: snapshot.id } })
})

test('makes one snapshot of two uploads at once, and one for each user', async () => {
  const organizationId = (await createOrganizationFor(app, { user })).id
  const { id: projectId } = await createProjectFor(app, { user, organizationId, repository: repository.path })
  const member = await createUser(app)
  await createMembershipFor(app, { organizationId, user: member })
  const ofMember = await createTokenFor(app, { user: member })
  await change('a race')
  const packed = await packTree(repository)
  const sent = await Promise.all([token, token, token, ofMember].map((one) => sendPack(app, one, projectId, packed)))
  expect(sent.map(({ status }) => status).toSorted()).toEqual([200, 200, 201, 201])
  const ids = await Promise.all(sent.map(async (response) => ((await response.json()) as Snapshot).id))
  expect(new Set(ids.slice(0, 3)).size).toBe(1)
  expect(ids[3]).not.toBe(ids[0])
  expect((await filesOf(projectId)).length).toBe(2)
})

test('lets only members send and delete, and viewers look', async () => {
  const organizationId = (await createOrganizationFor(app, { user })).id
  const { id: projectId } = await createProjectFor(app, { user, organizationId, repository: repository.path })
  const viewer = await createUser(app)
  await createMembershipFor(app, { organizationId, user: viewer, role: 'viewer' })
  const ofViewer = await createTokenFor(app, { user: viewer })
  await change('roles')
  const packed = await packTree(repository)
  const { id } = await sendTree(app, token, projectId, repository)
  expect((await sendPack(app, ofViewer, projectId, packed)).status).toBe(403)
  const calls = app.client(ofViewer).snapshots
  expect(await calls.get.query({ snapshotId: id })).toMatchObject({ id })
  await expect(calls.delete.mutate({ snapshotId: id })).rejects.toThrow('requires the role member')
  await expect(calls.findBase.mutate({ projectId, commits: [] })).rejects.toThrow('requires the role member')
  const readOnly = app.client(await createTokenFor(app, { user, scopes: ['tests:read'] })).snapshots
  expect(await readOnly.get.query({ snapshotId: id })).toMatchObject({ id })
  await expect(readOnly.delete.mutate({ snapshotId: id })).rejects.toThrow('scope tests:run')
})

test('hides snapshots from a token that is restricted to another project', async () => {
  const projectId = await newProject()
  await change('tokens')
  const { id } = await sendTree(app, token, projectId, repository)
  const confined = app.client(await createTokenFor(app, { user, projectId: await newProject() }))
  await expect(confined.snapshots.get.query({ snapshotId: id })).rejects.toThrow('No such snapshot')
  await expect(confined.snapshots.delete.mutate({ snapshotId: id })).rejects.toThrow('No such snapshot')
})

test('refuses in words what is no pack, is too large or has an unknown base, and leaves nothing', async () => {
  const projectId = await newProject()
  await change('refusals')
  const packed = await packTree(repository)
  const send = async (...args: [Partial<typeof packed> & { head?: string; branch?: string }]) =>
    refusal(await sendPack(app, token, projectId, { ...packed, ...args[0] }))
  expect(await send({ pack: Buffer.from('no pack') })).toEqual([400, expect.stringContaining('pack')])
  expect(await send({ pack: packed.pack.subarray(0, -30) })).toEqual([400, expect.stringMatching(/pack/)])
  expect(await send({ base: 'a'.repeat(40) })).toEqual([400, expect.stringMatching(/^base: .*no commit aaaa/)])
  expect(await send({ tree: 'a'.repeat(40) })).toEqual([400, expect.any(String)])
  expect(await send({ head: 'b'.repeat(40) })).toEqual([400, expect.any(String)])
  expect(await send({ branch: 'a..b' })).toEqual([400, 'branch: is not a valid git branch name'])
  expect(await send({ tree: 'main' })).toEqual([400, expect.stringContaining('tree: must be a full commit id')])
  const large = Buffer.alloc(65 * 2 ** 20)
  const advice = 'Add files that tests do not need to .gitignore, or commit and push the change.'
  expect(await send({ pack: large })).toEqual([
    413,
    `The pack has 68,157,440 bytes, and may have 67,108,864 (64.0 MiB). ${advice}`,
  ])
  const streamed = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/x-git-packed-objects',
      'transfer-encoding': 'chunked',
    }
    const url = `${app.url}/api/v1/projects/${projectId}/snapshots?tree=${packed.tree}`
    const sent = request(url, { method: 'POST', headers, agent: false }, resolve)
    sent.on('error', reject).end(large)
  })
  expect([streamed.statusCode, await json(streamed)]).toEqual([
    413,
    expect.objectContaining({
      message: expect.stringMatching(/^The pack has at least 67,\d{3},\d{3} bytes, and may have 67,108,864 /),
    }),
  ])
  const asText = await app.fetch(`/api/v1/projects/${projectId}/snapshots?tree=${packed.tree}`, {
    method: 'POST',
    token,
    headers: { 'content-type': 'text/plain' },
    body: 'x',
  })
  expect(await refusal(asText)).toEqual([
    415,
    'The body must be a git pack with the header Content-Type: application/x-git-packed-objects, not text/plain. With ' +
      "curl, add -H 'Content-Type: application/x-git-packed-objects' --data-binary @FILE. For a pack in JSON, call snapshots.create.",
  ])
  expect(await client().snapshots.list.query({ projectId })).toMatchObject({ snapshots: [] })
  expect(await filesOf(projectId)).toEqual([])
  expect(await incoming()).toEqual([])
})

test('limits the number and the size of the snapshots of a project', async () => {
  const projectId = await newProject()
  await change('a quota')
  const packed = await packTree(repository)
  const [{ id }] = [await createSnapshotFor(app, { projectId, bytes: 2 ** 30 })]
  expect(await refusal(await sendPack(app, token, projectId, packed))).toEqual([
    409,
    expect.stringContaining(
      'take 1024.0 MiB of disk space, and may take 1024.0 MiB. Delete some with snapshots.delete',
    ),
  ])
  await app.dataSource.getRepository(SnapshotEntity).update({ id }, { bytes: 1 })
  for (let count = 1; count < 20; count++) await createSnapshotFor(app, { projectId })
  expect(await refusal(await sendPack(app, token, projectId, packed))).toEqual([
    409,
    expect.stringContaining('has 20 snapshots, which is the maximum'),
  ])
  await app.dataSource.getRepository(SnapshotEntity).delete({ projectId })
  expect((await sendPack(app, token, projectId, packed)).status).toBe(201)
})

test('deletes a snapshot with its files, except while work on it is queued', async () => {
  const projectId = await newProject()
  await change('a deletion')
  const snapshot = await sendTree(app, token, projectId, repository)
  const run = await client().testRuns.trigger.mutate({ projectId, snapshotId: snapshot.id })
  await expect(client().snapshots.delete.mutate({ snapshotId: snapshot.id })).rejects.toThrow('queued or running')
  await client().testRuns.cancel.mutate({ runId: run.id })
  const verification = await client().tests.verify.mutate({
    projectId,
    snapshotId: snapshot.id,
    filePath: 'a.test.js',
    code: 'x',
  })
  await expect(client().snapshots.delete.mutate({ snapshotId: snapshot.id })).rejects.toThrow('queued or running')
  await client().tests.cancelVerification.mutate({ verificationId: verification.id })
  await client().analysis.startAnalysis.mutate({ projectId, snapshotId: snapshot.id })
  await expect(client().snapshots.delete.mutate({ snapshotId: snapshot.id })).rejects.toThrow('queued or running')
  await app.dataSource.query(`UPDATE analyses SET status = 'failed' WHERE snapshot_id = $1`, [snapshot.id])
  await client().snapshots.delete.mutate({ snapshotId: snapshot.id })
  expect(await filesOf(projectId)).toEqual([])
  await expect(client().snapshots.get.query({ snapshotId: snapshot.id })).rejects.toThrow('No such snapshot')
  await expect(client().testRuns.trigger.mutate({ projectId, snapshotId: snapshot.id })).rejects.toThrow(
    'No such snapshot. It may have been deleted',
  )
  // The run is still known as one of a snapshot.
  expect(await client().testRuns.get.query({ runId: run.id })).toMatchObject({
    snapshotId: snapshot.id,
    commitSha: snapshot.commitSha,
    branch: null,
  })
})

test('deletes a snapshot 7 days after its last use, unless work on it is queued', async () => {
  const projectId = await newProject()
  await change('expiry 1')
  const idle = await sendTree(app, token, projectId, repository)
  await change('expiry 2')
  const busy = await sendTree(app, token, projectId, repository)
  const run = await createRunFor(app, { projectId, snapshotId: busy.id, branch: null, commitSha: busy.commitSha })
  const in6days = new Date(Date.now() + 6 * day)
  await cleanUp(in6days)
  expect((await filesOf(projectId)).length).toBe(2)
  await app.dataSource.getRepository(SnapshotEntity).update({ id: idle.id }, { lastUsedAt: in6days })
  await cleanUp(new Date(Date.now() + 8 * day))
  expect((await filesOf(projectId)).length).toBe(2)
  await cleanUp(new Date(Date.now() + 14 * day))
  expect(await filesOf(projectId)).toEqual([`${busy.id}.git`])
  await client().testRuns.cancel.mutate({ runId: run.id })
  await cleanUp(new Date(Date.now() + 14 * day))
  expect(await client().snapshots.list.query({ projectId })).toMatchObject({ snapshots: [] })
  expect(await filesOf(projectId)).toEqual([])
})

test('clears away what a killed server left, and repairs a snapshot that lost its files', async () => {
  const projectId = await newProject()
  await change('a kill')
  const kept = await sendTree(app, token, projectId, repository)
  const lost = await createSnapshotFor(app, { projectId })
  const withoutRow = snapshotDirectory(app.config, { projectId, id: '01J00000000000000000000000' })
  const upload = join(incomingDirectory(app.config), 'killed')
  for (const folder of [withoutRow, upload]) {
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'received.pack'), 'PACK')
  }
  await cleanUp()
  // It may belong to an upload that is completing now.
  expect([withoutRow, upload].map((path) => existsSync(path))).toEqual([true, true])
  expect(await app.dataSource.getRepository(SnapshotEntity).existsBy({ id: lost.id })).toBe(false)
  await cleanUp(new Date(Date.now() + 2 * 3_600_000))
  expect([withoutRow, upload].map((path) => existsSync(path))).toEqual([false, false])
  expect(await filesOf(projectId)).toEqual([`${kept.id}.git`])

  await rm(snapshotDirectory(app.config, kept), { recursive: true })
  expect((await sendTree(app, token, projectId, repository)).id).toBe(kept.id)
  expect(await filesOf(projectId)).toEqual([`${kept.id}.git`])
})

test('deletes the upload of a killed server when another one starts, and keeps that of a running one', async () => {
  const program = `
    import { storePack } from ${JSON.stringify(new URL('receive-pack.ts', import.meta.url).href)}
    async function* endless() { for (;;) { yield Buffer.alloc(1_000); await new Promise((go) => setTimeout(go, 10)) } }
    const config = { dataDir: ${JSON.stringify(app.config.dataDir)} }
    await storePack({ config, signal: new AbortController().signal }, endless())`
  const other = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'ignore' })
  await vi.waitFor(async () => expect(await incoming()).toHaveLength(1), { timeout: 20_000 })
  const [ofOther] = await incoming()
  const signal = new AbortController().signal
  await using own = await storePack({ config: app.config, signal }, [Buffer.from('PACK')])
  const start = async () => {
    await using _server = await createApp(app.config, { log: createLog('silent') })
  }
  await start()
  expect(await incoming()).toHaveLength(2)
  const ended = once(other, 'exit')
  other.kill('SIGKILL')
  expect(await ended).toEqual([null, 'SIGKILL'])
  await start()
  expect(await incoming()).not.toContain(ofOther)
  expect(existsSync(own.path)).toBe(true)
})

test('keeps a snapshot whose files cannot be looked at, until they are gone', async () => {
  const projectId = await newProject()
  await change('a broken disk')
  const kept = await sendTree(app, token, projectId, repository)
  const path = snapshotDirectory(app.config, kept)
  const isKept = () => app.dataSource.getRepository(SnapshotEntity).existsBy({ id: kept.id })
  await rm(path, { recursive: true })
  await symlink(path, path)
  await expect(cleanUp()).rejects.toThrow('ELOOP')
  expect(await isKept()).toBe(true)
  await rm(path)
  await cleanUp()
  expect(await isKept()).toBe(false)
})

test('deletes the snapshots with their project and organization', async () => {
  const organizationId = (await createOrganizationFor(app, { user })).id
  const ofOrganization = (await createProjectFor(app, { user, organizationId, repository: repository.path })).id
  const personal = await newProject()
  await change('projects')
  for (const id of [ofOrganization, personal]) await sendTree(app, token, id, repository)
  await client().projects.deleteProject.mutate({ projectId: personal })
  await client().organizations.delete.mutate({ organizationId })
  for (const id of [ofOrganization, personal]) expect(await filesOf(id)).toEqual([])
  const left = await app.dataSource.query('SELECT FROM snapshots WHERE project_id = ANY ($1)', [
    [ofOrganization, personal],
  ])
  expect(left).toEqual([])
})

test('answers 404 if the project is deleted while its repository is fetched for an upload', async () => {
  const { id: projectId } = await createProjectFor(app, { user })
  await repository.git('config', 'uploadpack.allowAnySHA1InWant', 'true')
  await using host = await startGitHost({ app: repository.path })
  const deleting = createServer((req, res) => {
    const { method = 'GET', headers } = req
    const pass = () =>
      req.pipe(
        request(new URL(req.url ?? '/', host.url), { method, headers }, (answer) => {
          res.writeHead(answer.statusCode ?? 500, answer.headers)
          answer.pipe(res)
        }),
      )
    // Git fetches with its first POST.
    if (method === 'GET') pass()
    else void client().projects.deleteProject.mutate({ projectId }).then(pass)
  })
  await new Promise<void>((resolve) => void deleting.listen(0, '127.0.0.1', resolve))
  await using _deleting = deleting
  const { port } = deleting.address() as AddressInfo
  const at = { repository: `http://127.0.0.1:${port}/app` }
  await app.dataSource.getRepository(ProjectEntity).update({ id: projectId }, at)
  await change('a deleted project')
  expect(await refusal(await sendPack(app, token, projectId, await packTree(repository)))).toEqual([
    404,
    expect.stringContaining('No such project'),
  ])
  expect([await filesOf(projectId), await incoming()]).toEqual([[], []])
  await deleteCachesOfNoProject({ ...app.services, db: app.dataSource.manager })
  expect(existsSync(cacheDirectory(app.config, projectId))).toBe(false)
})

test('trusts every snapshot where clients and repository are on the machine of the local owner', async () => {
  const organizationId = (await createOrganizationFor(app, { user })).id
  const project = await createProjectFor(app, { user, organizationId, repository: repository.path })
  const member = await createUser(app)
  await createMembershipFor(app, { organizationId, user: member })
  const { id: snapshotId } = await createSnapshotFor(app, { projectId: project.id, userId: member.id })
  const reasonIn = async (localRepositories: 'owner' | 'everyone') => {
    const config = { ...app.config, localRepositories }
    const ctx = { config, db: app.dataSource.manager, now: () => new Date() }
    return (await storedSnapshot(ctx, project, { snapshotId }))?.whyUntrusted
  }
  expect(await reasonIn('owner')).toBeNull()
  // On a shared server, members cannot write to the repository.
  expect(await reasonIn('everyone')).toContain('is not an admin or owner of the project')
})

test('stores many snapshots at once, or refuses them with a time to try again', async () => {
  const projectId = await newProject()
  const packs = []
  for (let number = 0; number < 12; number++) {
    await change(`many ${number}`)
    packs.push(await packTree(repository))
  }
  const sent = await Promise.all(packs.map((packed) => sendPack(app, token, projectId, packed)))
  const stored = sent.filter(({ status }) => status === 201)
  const refused = sent.filter(({ status }) => status !== 201)
  expect(stored.length).toBeGreaterThan(0)
  for (const { status, headers } of refused) {
    expect([429, 503]).toContain(status)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  }
  expect((await filesOf(projectId)).length).toBe(stored.length)
  const { pagination } = await client().snapshots.list.query({ projectId, limit: 1 })
  expect(pagination.total).toBe(stored.length)
  expect(await incoming()).toEqual([])
})

test('logs none of this as a failure of the server', () => {
  const failures = app.logLines.filter((line) => (JSON.parse(line) as { level: number }).level >= 50)
  expect(failures).toEqual([])
})
