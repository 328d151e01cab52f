import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import { deleteDoomedObjects, deleteFilesQueue } from './clean-up.ts'
import { DoomedObjectEntity, FileEntity } from './entity.ts'
import { storeFile } from './store.ts'
import { background, createFileFor } from './testing/create-file.ts'

let app: TestApp
let now = Date.now()
beforeAll(async () => void (app = await createTestApp({ role: 'web' }, { now: () => new Date(now) })))
afterAll(() => app[Symbol.asyncDispose]())

const never = new AbortController().signal
const later = (ms: number) => void (now += ms)
const cleanUp = () => deleteDoomedObjects(app.services, app.dataSource, never)
const doomed = () => app.dataSource.getRepository(DoomedObjectEntity).find()
const objects = async () => {
  const names = await readdir(join(app.config.dataDir, 'files'), { recursive: true, withFileTypes: true })
  return names.filter((entry) => entry.isFile()).map(({ name }) => name)
}

test('stores a file as a row and an object under a random key', async () => {
  const { id: projectId } = await createProjectFor(app)
  const file = await createFileFor(app, { projectId, contentType: 'Text/Plain; charset=x' })
  const sha256 = '185f8db32271fe25f561a6fc938b2e264306ec304eda518007d1764826381969'
  expect(file).toMatchObject({ name: 'hello.txt', contentType: 'text/plain', size: 5, sha256 })
  expect(await app.dataSource.getRepository(FileEntity).findOneBy({ id: file.id })).toEqual(file)
  expect(await objects()).toContain(file.storageKey)
  expect(await doomed()).toEqual([])
})

test.each([
  '',
  '/etc/passwd',
  '../up',
  'a/../b',
  'a//b',
  'a/',
  '.',
  'a/.',
  'a\\b',
  'a\0b',
  'a\nb',
  '\u0085',
  '\ud800',
  'x'.repeat(513),
])('rejects the name %.20j', async (name) => {
  const { id: projectId } = await createProjectFor(app)
  await expect(createFileFor(app, { projectId, name })).rejects.toThrow(/^name:/)
})

test.each(['', '-', 'a/b', '..', 'x'.repeat(101), 'ä'])('rejects the run id %.20j', async (runId) => {
  const { id: projectId } = await createProjectFor(app)
  await expect(createFileFor(app, { projectId, runId })).rejects.toThrow(/^runId:/)
})

test('names are unique within a run, and among the files without a run, also under concurrency', async () => {
  const { id: projectId } = await createProjectFor(app)
  for (const runId of ['run-1', null]) {
    const tries = await Promise.allSettled(Array.from({ length: 5 }, () => createFileFor(app, { projectId, runId })))
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await expect(createFileFor(app, { projectId, runId })).rejects.toMatchObject({ code: 'CONFLICT' })
  }
  await createFileFor(app, { projectId, runId: 'run-2' })
  later(1)
  expect(await cleanUp()).toBe(10)
  expect(await app.dataSource.getRepository(FileEntity).countBy({ projectId })).toBe(3)
})

test('a file that is too large, incomplete or for a deleted project leaves nothing behind', async () => {
  const { id: projectId } = await createProjectFor(app)
  const before = await objects()
  await expect(createFileFor(app, { projectId, content: '123456', maxBytes: 5 })).rejects.toMatchObject({
    code: 'PAYLOAD_TOO_LARGE',
  })
  const sender = new Readable({ read: () => void sender.push('x') })
  const leaving = AbortSignal.timeout(30)
  const input = { projectId, runId: null, name: 'n', contentType: '', maxBytes: 1e9, stream: sender }
  await expect(storeFile(background(app, leaving), input)).rejects.toThrow()
  expect(sender.destroyed).toBe(true)
  const broken = new Readable({ read: () => {} })
  const failure = storeFile(background(app), { ...input, stream: broken })
  broken.destroy(new Error('the line is dead'))
  await expect(failure).rejects.toThrow('the line is dead')
  await expect(createFileFor(app, { projectId: 'gone' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  later(1)
  await cleanUp()
  expect(await objects()).toEqual(before)
  expect(await doomed()).toEqual([])
})

test('cannot store bytes within a transaction', async () => {
  const { id: projectId } = await createProjectFor(app)
  await app.dataSource.transaction(async (db) => {
    const input = { projectId, runId: null, name: 'n', contentType: '', maxBytes: 9, stream: Readable.from([]) }
    await expect(storeFile({ ...background(app), db }, input)).rejects.toThrow('transaction')
  })
})

test('deleting a project, organization or account deletes the objects of its files, and no others', async () => {
  const user = await createUser(app)
  const client = app.client(await createTokenFor(app, { user }))
  const { id: organizationId } = await client.organizations.create.mutate({ name: 'Files', slug: 'files-of-us' })
  const kept = await createFileFor(app, { projectId: (await createProjectFor(app)).id })
  const gone: string[] = []
  for (const fields of [{ user }, { user, organizationId }, {}]) {
    const project = await createProjectFor(app, fields)
    gone.push((await createFileFor(app, { projectId: project.id })).storageKey)
    if (fields.organizationId) await client.organizations.delete.mutate({ organizationId })
    else if (fields.user) await client.projects.deleteProject.mutate({ projectId: project.id })
    else await app.dataSource.query('DELETE FROM users WHERE id = $1', [project.userId])
  }
  later(1)
  expect((await doomed()).map(({ storageKey }) => storageKey).toSorted()).toEqual(gone.toSorted())
  expect(await cleanUp()).toBe(3)
  const left = await objects()
  expect(left).toContain(kept.storageKey)
  for (const key of gone) expect(left).not.toContain(key)
})

test('retries a failed deletion after an hour, without delaying others', async () => {
  const { id: projectId } = await createProjectFor(app)
  const files = [
    await createFileFor(app, { projectId, name: 'stuck' }),
    await createFileFor(app, { projectId, name: 'free' }),
  ]
  await app.dataSource.query('DELETE FROM projects WHERE id = $1', [projectId])
  later(1)
  const { storage } = app.services
  const broken = {
    ...app.services,
    storage: {
      ...storage,
      delete: (key: string) => (key === files[0]?.storageKey ? Promise.reject(new Error('busy')) : storage.delete(key)),
    },
  }
  expect(await deleteDoomedObjects(broken, app.dataSource, never)).toBe(1)
  expect(await cleanUp()).toBe(0)
  later(3_600_001)
  expect(await cleanUp()).toBe(1)
  expect(app.logLines.join()).toContain('cannot delete stored files')
})

test('two processes delete more than one batch concurrently, each object once', async () => {
  const { id: projectId } = await createProjectFor(app)
  for (let at = 0; at < 130; at++) await createFileFor(app, { projectId, name: `${at}` })
  await app.dataSource.query('DELETE FROM projects WHERE id = $1', [projectId])
  later(1)
  const counts = await Promise.all([cleanUp(), cleanUp()])
  expect(counts[0] + counts[1]).toBe(130)
  expect(await doomed()).toEqual([])
})

test('an upload that takes longer than a day fails, and its object is deleted', async () => {
  const { id: projectId } = await createProjectFor(app)
  const slow = new Readable({ read: () => {} })
  slow.push('x')
  const input = { projectId, runId: null, name: 'n', contentType: '', maxBytes: 9, stream: slow }
  const stored = storeFile(background(app), input)
  await expect.poll(doomed).toHaveLength(1)
  later(86_400_001)
  expect(await cleanUp()).toBe(1)
  slow.push(null)
  await expect(stored).rejects.toThrow()
  expect(await app.dataSource.getRepository(FileEntity).countBy({ projectId })).toBe(0)
})

test('deletes the object of a process that was killed during an upload', async () => {
  const { id: projectId } = await createProjectFor(app)
  const before = await objects()
  const child = fork(new URL('testing/stuck-sender.ts', import.meta.url), [
    JSON.stringify({ url: app.config.databaseUrl, storage: app.config.storage, projectId, now }),
  ])
  await expect.poll(objects).toHaveLength(before.length + 1)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(await doomed()).toHaveLength(1)
  expect(await cleanUp()).toBe(0)
  later(2 * 86_400_000)
  expect(await cleanUp()).toBe(1)
  expect(await objects()).toEqual(before)
})

test('schedules the deletion every few minutes', async () => {
  const rows = await app.dataSource.query('SELECT cron FROM pgboss.schedule WHERE name = $1', [deleteFilesQueue])
  expect(rows).toEqual([{ cron: '*/5 * * * *' }])
})
