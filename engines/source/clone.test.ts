import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startGitHost } from './testing/git-host.ts'
import { createGitRepository } from './testing/git-repository.ts'
import { defaultSourceLimits } from './types.ts'
import { openCommit, type OpenCommitOptions } from './commit.ts'
import { lockDirectory } from './lock.ts'

const signal = new AbortController().signal
let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'assay-clone-'))
})

afterEach(() => rm(directory, { recursive: true, force: true }))

const optionsFor = (url: string): OpenCommitOptions => ({
  url,
  directory,
  ref: {},
  allowLocal: false,
  allowCidrs: ['127.0.0.0/8'],
  limits: defaultSourceLimits,
  signal,
})

async function open(url: string) {
  await using snapshot = await openCommit(optionsFor(url))
  let read = 0
  for await (const { content } of snapshot.read(snapshot.entries, signal)) read += content === null ? 0 : 1
  await snapshot.history(signal)
  return { commitSha: snapshot.commitSha, read, warnings: snapshot.warnings }
}

test('runs two analyses of one project one after the other', async () => {
  await using repository = await createGitRepository({ a: '1' })
  await using host = await startGitHost({ app: repository.path })
  const url = `${host.url}/app`
  const first = await openCommit(optionsFor(url))
  let opened = false
  const second = openCommit(optionsFor(url)).then((snapshot) => {
    opened = true
    return snapshot
  })
  await delay(200)
  expect(opened).toBe(false)
  await first[Symbol.asyncDispose]()
  await using snapshot = await second
  expect(snapshot.entries).toHaveLength(1)
})

test('ten at once all come to their end', async () => {
  await using repository = await createGitRepository({ a: '1' })
  await using host = await startGitHost({ app: repository.path })
  const results = await Promise.all(Array.from({ length: 10 }, () => open(`${host.url}/app`)))
  expect(new Set(results.map(({ commitSha }) => commitSha)).size).toBe(1)
})

test('says what it waits for when the other analysis does not end', async () => {
  await using _held = await lockDirectory(directory, signal)
  const limits = { ...defaultSourceLimits, fetchTimeoutMs: 200 }
  await expect(openCommit({ ...optionsFor('http://127.0.0.1:1/app'), limits })).rejects.toMatchObject({
    code: 'timeout',
    message: expect.stringContaining('Waiting for another analysis of this project'),
  })
})

test('a killed process leaves nothing running and nothing that stops the next one', async () => {
  await using repository = await createGitRepository({ a: '1', b: randomBytes(50_000) })
  await using host = await startGitHost({ app: repository.path }, { stallAfterBytes: 5_000 })
  const url = `${host.url}/app`
  const source = new URL('commit.ts', import.meta.url).href
  const program = `
    const { openCommit } = await import(${JSON.stringify(source)})
    await openCommit({ ...${JSON.stringify(optionsFor(url))}, signal: new AbortController().signal })`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'inherit' })
  await host.stalled
  expect(await processesThatMention(url)).not.toEqual([])
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(await readdir(directory)).toEqual(expect.arrayContaining(['lock', 'content.git', 'content.git.unfinished']))
  // Git may have been in the middle of anything.
  await writeFile(join(directory, 'content.git/shallow.lock'), '')

  delete host.behaviour.stallAfterBytes
  expect(await open(url)).toMatchObject({ read: 2, warnings: [] })
  expect((await readdir(directory)).toSorted()).toEqual(['clone.json', 'content.git', 'history.git'])
  await expect.poll(() => processesThatMention(url), { timeout: 20_000 }).toEqual([])
})

async function processesThatMention(text: string): Promise<string[]> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(processes.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
  return lines.filter((line) => line.includes(text) && line.startsWith('git'))
}

test('replaces a damaged clone', async () => {
  await using repository = await createGitRepository({ a: 'a'.repeat(5_000), b: '2' })
  await using host = await startGitHost({ app: repository.path })
  const url = `${host.url}/app`
  const damage: ((pack: string) => Promise<void>)[] = [
    // Git makes packs read-only.
    (pack) => chmod(pack, 0o600).then(() => truncate(pack, 40)),
    (pack) => rm(pack),
    () => writeFile(join(directory, 'content.git/refs/assay/commit'), 'rubbish'),
    () => writeFile(join(directory, 'clone.json'), '{'),
  ]
  for (const break_ of damage) {
    await open(url)
    const [pack = ''] = (await readdir(join(directory, 'content.git/objects/pack'))).filter((name) =>
      name.endsWith('.pack'),
    )
    await break_(join(directory, 'content.git/objects/pack', pack))
    // At the latest the second time: damage can hide until something is read.
    await open(url).catch(() => undefined)
    expect(await open(url)).toMatchObject({ read: 2, warnings: [] })
    await repository.commit({ c: String(Math.random()) })
    await repository.git('rm', '--quiet', 'c')
    await repository.commit()
  }
})

test('replaces a clone that consists of many small fetches', async () => {
  await using repository = await createGitRepository({ a: '1' })
  await using host = await startGitHost({ app: repository.path })
  const url = `${host.url}/app`
  await open(url)
  const packs = join(directory, 'content.git/objects/pack')
  for (let index = 0; index < 50; index++) await writeFile(join(packs, `pack-${index}.pack`), '')
  await repository.commit({ b: '2' })
  expect(await open(url)).toMatchObject({ read: 2, warnings: [] })
  expect((await readdir(packs)).filter((name) => name.endsWith('.pack'))).toHaveLength(1)
})

test('a failing fetch into an existing clone does not spoil the next one', async () => {
  await using repository = await createGitRepository({ a: '1' })
  await using host = await startGitHost({ app: repository.path })
  const url = `${host.url}/app`
  await open(url)
  await repository.commit({ b: '2' })
  host.behaviour.status = 500
  await expect(open(url)).rejects.toMatchObject({ code: 'unreachable' })
  delete host.behaviour.status
  expect(await open(url)).toMatchObject({ read: 2 })
})

test('a host that is written as an IPv6 address is reached', async () => {
  await using repository = await createGitRepository({ a: '1' })
  await using host = await startGitHost({ app: repository.path })
  const url = `${host.url}/app`.replace('127.0.0.1', '[::ffff:127.0.0.1]')
  expect(await open(url)).toMatchObject({ commitSha: await repository.git('rev-parse', 'HEAD'), read: 1 })
})
