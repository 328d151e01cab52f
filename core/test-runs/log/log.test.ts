import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createProjectFor, createRunFor, createTokenFor, createUser } from '../../testing/factories.ts'
import { openRunLog } from './log.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

async function setUp({ maxBytes = 2 ** 30 } = {}) {
  const user = await createUser(app)
  const project = await createProjectFor(app, { user })
  const { id: runId } = await createRunFor(app, { projectId: project.id, status: 'RUNNING' })
  const client = app.client(await createTokenFor(app, { user }))
  const open = (firstLine = 0) =>
    openRunLog(app.dataSource.manager, runId, {
      mask: (line) => line.replaceAll('s3cret', '***'),
      firstLine,
      maxBytes,
      onError: (error) => {
        throw error
      },
    })
  const read = (input: { offset?: number; limit?: number } = {}) => client.testRuns.log.query({ runId, ...input })
  return { runId, projectId: project.id, open, read, client }
}

const numbered = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `line ${from + index}`)

test('returns pages of a growing log from either end', async () => {
  const { open, read } = await setUp()
  expect(await read()).toEqual({ lines: [], offset: 0, totalLines: 0, live: true })
  const log = open()
  for (const line of numbered(0, 150)) log.say(line)
  await log.flush()
  for (const line of numbered(150, 450)) log.say(line)
  await log.flush()
  expect(await read()).toEqual({ lines: numbered(0, 200), offset: 0, totalLines: 450, live: true })
  expect((await read({ offset: 149, limit: 2 })).lines).toEqual(numbered(149, 151))
  expect((await read({ offset: 440 })).lines).toEqual(numbered(440, 450))
  expect(await read({ offset: -3 })).toMatchObject({ lines: numbered(447, 450), offset: 447 })
  expect(await read({ offset: -9_000, limit: 1 })).toMatchObject({ lines: ['line 0'], offset: 0 })
  expect(await read({ offset: 450 })).toMatchObject({ lines: [], offset: 450, totalLines: 450 })
  expect(await read({ offset: Number.MAX_SAFE_INTEGER, limit: 1_000 })).toMatchObject({ lines: [], totalLines: 450 })
  expect(await read({ offset: Number.MIN_SAFE_INTEGER, limit: 1 })).toMatchObject({ offset: 0 })
})

test.each([{ limit: 0 }, { limit: 1_001 }, { offset: 1.5 }, { offset: '0' }])('rejects the page %j', async (wrong) => {
  const { read } = await setUp()
  await expect(read(wrong as object)).rejects.toMatchObject({ data: { code: 'BAD_REQUEST' } })
})

test('splits output into lines without secrets, NUL characters and endless lines', async () => {
  const { open, read } = await setUp()
  const log = open()
  for (const piece of [
    'he',
    'llo\nwor',
    'ld\r\n',
    '\n',
    'a s3cr',
    'et\0\ud800\n',
    `${'x'.repeat(5_000)}\n`,
    'no end',
  ]) {
    log.write(piece)
  }
  log.say('our own')
  await log.flush()
  const { lines } = await read()
  const [hello, world, empty, masked, long = '', ...rest] = lines
  expect([hello, world, empty, masked]).toEqual(['hello', 'world', '', 'a ***\ufffd'])
  expect(long).toHaveLength(4_000 + '… (1000 more characters)'.length)
  expect(rest).toEqual(['no end', 'our own'])
})

test('numbers the lines on every page of a log with 100,000 lines', async () => {
  const { open, read } = await setUp()
  const log = open()
  for (let line = 0; line < 100_000; line++) log.say(`line ${line}`)
  await log.flush()
  for (const offset of [0, 49_999, 99_500]) {
    expect((await read({ offset, limit: 500 })).lines).toEqual(numbered(offset, offset + 500))
  }
  expect((await read({ offset: -2 })).lines).toEqual(numbered(99_998, 100_000))
})

test('replaces lines that could not be stored, so that the others keep their numbers', async () => {
  const { open, read, runId } = await setUp()
  for (let line = 0; line < 6; line += 2) {
    const log = open(line)
    log.say(`line ${line}`)
    log.say(`line ${line + 1}`)
    await log.flush()
  }
  const lost = '(this line was lost)'
  await app.dataSource.query('DELETE FROM test_run_log WHERE run_id = $1 AND first_line = 2', [runId])
  expect((await read()).lines).toEqual(['line 0', 'line 1', lost, lost, 'line 4', 'line 5'])
  expect((await read({ offset: 3 })).lines).toEqual([lost, 'line 4', 'line 5'])
  await app.dataSource.query('DELETE FROM test_run_log WHERE run_id = $1 AND first_line = 0', [runId])
  expect((await read({ offset: 3, limit: 2 })).lines).toEqual([lost, 'line 4'])
})

test('drops log lines of a deleted project without a warning', async () => {
  const { open, read, client, projectId } = await setUp()
  const log = open()
  log.say('before')
  await log.flush()
  expect((await read()).lines).toEqual(['before'])
  const deleted = client.projects.deleteProject.mutate({ projectId })
  for (let line = 0; line < 200; line++) {
    log.say('meanwhile')
    await log.flush()
  }
  await deleted
  log.say('after')
  await log.flush()
  expect(await app.dataSource.query("SELECT FROM test_run_log WHERE text = 'after'")).toEqual([])
})
