import { gzipSync } from 'node:zlib'
import { mkdir, readdir, stat, utimes } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../base/ids.ts'
import { deleteDoomedObjects } from '../files/clean-up.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import {
  createMembershipFor,
  createOrganizationFor,
  createProjectFor,
  createTokenFor,
  createUser,
} from '../testing/factories.ts'
import type { UploadedRun } from './uploads/schema.ts'

let app: TestApp
let abandoned: string
beforeAll(async () => {
  app = await createTestApp({ role: 'web' })
  abandoned = join(app.config.dataDir, 'uploads', 'upload-of-a-killed-process')
  await mkdir(abandoned, { recursive: true })
  const longAgo = new Date(Date.now() - 2 * 3_600_000)
  await utimes(abandoned, longAgo, longAgo)
})
afterAll(() => app[Symbol.asyncDispose]())

const commitSha = 'a'.repeat(40)
/** The value of a field that the form does not have. */
const absent = '(absent)'

const junit = (tests: string) =>
  `<?xml version="1.0"?><testsuites><testsuite name="cart">${tests}</testsuite></testsuites>`
const passed = (name: string, seconds = 0.1) => `<testcase classname="cart" name="${name}" time="${seconds}"/>`
const failed = (name: string) =>
  `<testcase classname="cart" name="${name}"><failure message="expected 3 to be 2">at total (/builds/a/project/src/cart.ts:4:2)</failure></testcase>`

interface Part {
  part: string
  content: string | Uint8Array
  name?: string
}

function formOf(parts: Part[], fields: Record<string, string> = {}) {
  const form = new FormData()
  for (const [name, value] of Object.entries({ branch: 'main', commitSha, ...fields })) {
    if (value !== absent) form.set(name, value)
  }
  for (const { part, content, name = 'junit.xml' } of parts) {
    form.append(part, new Blob([typeof content === 'string' ? content : Uint8Array.from(content)]), name)
  }
  return form
}

async function setUp() {
  const user = await createUser(app)
  const token = await createTokenFor(app, { user })
  const { id: projectId } = await createProjectFor(app, { user, repository: 'https://example.com/a/project.git' })
  const send = async (parts: Part[], fields: Record<string, string> = {}, as = token) => {
    const body = formOf(parts, fields)
    const response = await app.fetch(`/api/ci/upload/${projectId}`, { method: 'POST', body, token: as })
    const answer = (await response.json()) as UploadedRun & { message: string; code: string }
    return { ...answer, status: response.status, state: answer.status }
  }
  const report = (content: string | Uint8Array, name?: string): Part => ({
    part: 'reports',
    content,
    ...(name ? { name } : {}),
  })
  const runs = () =>
    app.dataSource.query<{ id: string; status: string; source: string; duration: number | null }[]>(
      'SELECT * FROM test_runs WHERE project_id = $1',
      [projectId],
    )
  const fileNames = async (runId: string) =>
    (await app.client(token).files.list.query({ projectId, runId, limit: 100 })).map(({ name }) => name).toSorted()
  const events = async () => {
    const rows = await app.dataSource.query<{ data: Record<string, unknown> }[]>(
      `SELECT envelope::jsonb->'data' AS data FROM events WHERE project_id = $1 AND type = 'test_run.completed' ORDER BY id`,
      [projectId],
    )
    return rows.map(({ data }) => data)
  }
  return { user, token, projectId, send, report, runs, fileNames, events }
}

const leftOnDisk = async (folder: string) => {
  const entries = await readdir(join(app.config.dataDir, folder), { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).length
}
const never = new AbortController().signal

test('records a completed run from a report, coverage and a screenshot', async () => {
  const { send, report, runs, fileNames, events, projectId, token } = await setUp()
  const lcov = 'SF:/builds/a/project/src/cart.ts\nDA:1,1\nDA:2,0\nDA:3,2\nDA:4,1\nend_of_record\n'
  const answer = await send(
    [
      report(
        junit(
          passed('adds', 0.25) + failed('totals') + '<testcase classname="cart" name="later"><skipped/></testcase>',
        ),
      ),
      { part: 'coverage', content: lcov, name: 'lcov.info' },
      { part: 'artifacts', content: 'PNG', name: 'shots/cart.png' },
    ],
    { name: 'unit' },
  )
  expect(answer).toMatchObject({
    url: `${app.config.baseUrl}/projects/${projectId}/runs/${answer.runId}`,
    status: 201,
    state: 'FAILED',
    totalTests: 3,
    passedTests: 1,
    failedTests: 1,
    skippedTests: 1,
    coverage: 75,
    warnings: [],
  })
  expect(await runs()).toMatchObject([
    { id: answer.runId, status: 'COMPLETED', source: 'upload', name: 'unit', duration: 250 },
  ])
  expect(await fileNames(answer.runId)).toEqual(['artifacts/shots/cart.png', 'coverage/lcov.info', 'reports/junit.xml'])
  expect(await events()).toMatchObject([{ id: answer.runId, status: 'completed', failedTests: 1, coverage: 75 }])
  const [covered] = await app.dataSource.query<{ path: string }[]>(
    'SELECT * FROM test_run_coverage WHERE run_id = $1',
    [answer.runId],
  )
  expect(covered).toMatchObject({ path: 'src/cart.ts', covered_lines: '1,3-4', uncovered_lines: '2' })
  // What an upload began that was never finished goes with the first one.
  await expect(stat(abandoned)).rejects.toThrow('ENOENT')
  const shot = await app.fetch(`/files/${projectId}/${answer.runId}/artifacts/shots/cart.png`, { token })
  expect(await shot.text()).toBe('PNG')
})

test('records one run for 100 concurrent identical uploads', async () => {
  const { send, report, runs, events, fileNames } = await setUp()
  const answers = await Promise.all(Array.from({ length: 100 }, () => send([report(junit(passed('adds')))])))
  expect(new Set(answers.map(({ runId }) => runId)).size).toBe(1)
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(99)
  expect(await runs()).toMatchObject([{ total_tests: 1 }])
  expect(await events()).toHaveLength(1)
  expect(await fileNames(answers[0]?.runId ?? '')).toEqual(['reports/junit.xml'])
  expect((await send([report(junit(passed('adds') + passed('other')))])).runId).not.toBe(answers[0]?.runId)
  const elsewhere = await setUp()
  expect(await elsewhere.send([report(junit(passed('adds')))])).toMatchObject({ status: 201 })
})

test('merges eight concurrent shards into one run', async () => {
  const { send, report, runs, events, fileNames } = await setUp()
  const shard = (index: number) =>
    send(
      [
        report(junit(passed(`a${index}`, index) + passed(`b${index}`, 0) + (index === 3 ? failed('c') : ''))),
        {
          part: 'coverage',
          name: 'lcov.info',
          content: `SF:src/a.ts\n${Array.from({ length: 8 }, (_, line) => `DA:${line + 1},${line === index ? 1 : 0}`).join('\n')}\nend_of_record\n`,
        },
      ],
      { shardKey: 'build 7' },
    )
  const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => shard(index)))
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 201))
  expect(await runs()).toMatchObject([
    { total_tests: 17, passed_tests: 16, failed_tests: 1, coverage: 100, duration: 7_000 },
  ])
  expect(await events()).toHaveLength(8)
  expect((await events()).at(-1)).toMatchObject({ totalTests: 17, coverage: 100 })
  const runId = answers[0]?.runId ?? ''
  expect(await fileNames(runId)).toHaveLength(16)
  const positions = await app.dataSource.query<{ position: number }[]>(
    'SELECT position FROM test_results WHERE run_id = $1 ORDER BY position',
    [runId],
  )
  expect(positions.map(({ position }) => position)).toEqual(Array.from({ length: 17 }, (_, position) => position))

  expect(await shard(5)).toMatchObject({ status: 200, runId, totalTests: 17 })
  expect(await events()).toHaveLength(8)
  const elsewhere = await send([report(junit(passed('a')))], { shardKey: 'build 7', commitSha: 'b'.repeat(40) })
  expect(elsewhere).toMatchObject({ status: 201, totalTests: 1 })
})

test('stores a result per shard for a test, and keeps a failure', async () => {
  const { send, report } = await setUp()
  await send([report(junit(failed('adds')))], { shardKey: 'x' })
  expect(await send([report(junit(passed('adds')))], { shardKey: 'x' })).toMatchObject({
    state: 'FAILED',
    totalTests: 2,
    failedTests: 1,
  })
})

test('rejects an unreadable report with its name and position, and stores nothing', async () => {
  const { send, report, runs, events, projectId } = await setUp()
  await deleteDoomedObjects(app.services, app.dataSource, never)
  const before = await leftOnDisk('files')
  const broken = junit(passed('a')).replace('</testsuite>', '\n</wrong>')
  const refused = await send([report(junit(passed('fine')), 'fine.xml'), report(broken, 'broken.xml')])
  expect(refused).toMatchObject({
    status: 400,
    code: 'VALIDATION_ERROR',
    message: expect.stringMatching(/^broken\.xml, line 2: /),
  })
  for (const content of ['', '{"neither": "nor"}', '<html></html>', '\0\0\0']) {
    expect(await send([report(content)]), content).toMatchObject({
      status: 400,
      message: expect.stringMatching(/^junit\.xml/),
    })
  }
  expect(await send([{ part: 'coverage', name: 'lcov.info', content: 'SF:a\nDA:x\n' }])).toMatchObject({
    status: 400,
    message: expect.stringMatching(/^lcov\.info, line 2: /),
  })
  expect([await runs(), await events()]).toEqual([[], []])
  const left = await app.dataSource.query<unknown[]>('SELECT FROM files WHERE project_id = $1', [projectId])
  expect(left).toEqual([])
  await deleteDoomedObjects(app.services, app.dataSource, never)
  expect([await leftOnDisk('files'), await leftOnDisk('uploads')]).toEqual([before, 0])

  expect(await send([report(junit(passed('b')))], { shardKey: 's' })).toMatchObject({ status: 201 })
  expect(await send([report(broken)], { shardKey: 's' })).toMatchObject({ status: 400 })
  expect(await runs()).toMatchObject([{ total_tests: 1 }])
})

test('reads reports packed with gzip, and rejects invalid gzip', async () => {
  const { send, report } = await setUp()
  expect(await send([report(gzipSync(junit(passed('a'))), 'junit.xml.gz')])).toMatchObject({
    status: 201,
    totalTests: 1,
  })
  expect(await send([report('no gzip', 'junit.xml.gz')])).toMatchObject({
    status: 400,
    message: expect.stringContaining('gzip'),
  })
})

test('stores files with hostile and repeated names below the run', async () => {
  const { send, report, fileNames } = await setUp()
  const names = [
    '../../etc/passwd',
    '/absolute',
    'C:\\temp\\a.txt',
    'a\0b',
    '😀.png',
    'same.txt',
    'same.txt',
    '..',
    'x'.repeat(900),
  ]
  const { status, runId } = await send([
    report(junit(passed('a'))),
    ...names.map((name) => ({ part: 'artifacts', name, content: name })),
  ])
  expect(status).toBe(201)
  expect(await fileNames(runId)).toEqual(
    [
      'artifacts/absolute',
      'artifacts/a_b',
      'artifacts/etc/passwd',
      'artifacts/file',
      'artifacts/same-2.txt',
      'artifacts/same.txt',
      'artifacts/temp/a.txt',
      `artifacts/${'x'.repeat(400)}`,
      'artifacts/😀.png',
      'reports/junit.xml',
    ].toSorted(),
  )
})

test('records results of code that is not committed, without branch and commit', async () => {
  const { send, report, runs, events } = await setUp()
  const uncommitted = { branch: absent, commitSha: absent }
  expect(await send([report(junit(failed('a')))], uncommitted)).toMatchObject({ status: 201, state: 'FAILED' })
  expect(await send([report(junit(failed('a')))], uncommitted)).toMatchObject({ status: 200 })
  expect(await runs()).toMatchObject([{ branch: null, commit_sha: null, health_pending: false }])
  expect(await events()).toMatchObject([{ branch: null, commitSha: null }])
})

test('names missing and invalid parts of a form', async () => {
  const { send, report, runs } = await setUp()
  const fine = report(junit(passed('a')))
  const messages: [Part[], Record<string, string>, RegExp][] = [
    [[], {}, /at least one file/],
    [[{ part: 'artifacts', content: 'x' }], {}, /at least one file/],
    [[{ part: 'junit', content: 'x' }], {}, /^"junit": is not a file part/],
    [[fine], { commitSha: 'abc' }, /^commitSha: .*40 or 64/],
    [[fine], { branch: absent }, /^branch: is required together with commitSha/],
    [[fine], { commitSha: absent }, /^commitSha: is required together with branch/],
    [[fine], { branch: '' }, /^branch:/],
    [[fine], { branch: 'a\0b' }, /^branch:/],
    [[fine], { name: 'x'.repeat(121) }, /^name:/],
    [[fine], { shardKey: 'x'.repeat(5_000) }, /^"shardKey": has more than/],
    [[fine], { reports: 'text' }, /^reports: must be a file/],
    [Array.from({ length: 101 }, () => ({ part: 'artifacts', content: 'x' })), {}, /^artifacts: has more than 100/],
  ]
  for (const [parts, fields, message] of messages) {
    expect(await send(parts, fields)).toMatchObject({ status: 400, message: expect.stringMatching(message) })
  }
  expect(await runs()).toEqual([])
  expect(await leftOnDisk('uploads')).toBe(0)
})

test('lets only members of the project upload, with a token that may run tests', async () => {
  const { send, report, user, projectId } = await setUp()
  const fine = [report(junit(passed('a')))]
  expect(await send(fine, {}, await createTokenFor(app))).toMatchObject({ status: 404 })
  expect(await send(fine, {}, await createTokenFor(app, { user, scopes: ['tests:read'] }))).toMatchObject({
    status: 403,
  })
  const response = await app.fetch(`/api/ci/upload/${projectId}`, { method: 'POST', body: formOf(fine) })
  expect(response.status).toBe(401)

  const { id: organizationId } = await createOrganizationFor(app, { user })
  const shared = await createProjectFor(app, { user, organizationId })
  const viewer = await createUser(app)
  await createMembershipFor(app, { organizationId, user: viewer, role: 'viewer' })
  const asViewer = await app.fetch(`/api/ci/upload/${shared.id}`, {
    method: 'POST',
    body: formOf(fine),
    token: await createTokenFor(app, { user: viewer }),
  })
  expect(asViewer.status).toBe(403)
})

/** Sends bytes as they are; resolves with the status, or null where the connection broke. */
function sendRaw(
  path: string,
  headers: Record<string, string | number>,
  chunks: Iterable<string | Buffer>,
  cut = false,
) {
  return new Promise<number | null>((resolve) => {
    // A connection with an incomplete body cannot be used again.
    const sent = request(`${app.url}${path}`, { method: 'POST', headers, agent: false })
    sent.on('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? null)
    })
    sent.on('error', () => resolve(null))
    for (const chunk of chunks) sent.write(chunk)
    if (cut) setTimeout(() => sent.destroy(), 50)
    else sent.end()
  })
}

test('rejects other content types, incomplete forms and too large uploads, and stores nothing', async () => {
  const { token, projectId, runs } = await setUp()
  const path = `/api/ci/upload/${projectId}`
  const authorization = `Bearer ${token}`
  const type = 'multipart/form-data; boundary=x'
  expect(await sendRaw(path, { authorization, 'content-type': 'application/json' }, ['{}'])).toBe(415)
  expect(await sendRaw(path, { authorization }, ['abc'])).toBe(415)
  expect(await sendRaw(path, { authorization, 'content-type': 'multipart/form-data' }, ['abc'])).toBe(400)
  const start = '--x\r\nContent-Disposition: form-data; name="reports"; filename="a.xml"\r\n\r\n'
  for (const body of ['', 'rubbish', '--x', start, `${start}<testsuites>`]) {
    expect(await sendRaw(path, { authorization, 'content-type': type }, [body]), body).toBe(400)
  }
  // Whoever leaves in the middle is answered by nobody.
  expect(
    await sendRaw(path, { authorization, 'content-type': type, 'content-length': 5_000 }, [start], true),
  ).toBeNull()

  const megabyte = Buffer.alloc(1_048_576, 'a')
  expect(await sendRaw(path, { authorization, 'content-type': type, 'content-length': 51 * 1_048_576 }, [start])).toBe(
    413,
  )
  function* endless() {
    yield start
    for (let sent = 0; sent < 51; sent++) yield megabyte
  }
  expect(await sendRaw(path, { authorization, 'content-type': type }, endless())).toBe(413)
  expect(await runs()).toEqual([])
  await expect.poll(() => leftOnDisk('uploads')).toBe(0)
  expect(app.logLines.filter((line) => line.includes('request failed'))).toEqual([])
})

test('reports ERROR for reports without tests until a shard has tests', async () => {
  const { send, report, runs } = await setUp()
  const empty = await send([report(junit(''))], { shardKey: 'build-1' })
  expect(empty).toMatchObject({ status: 201, state: 'ERROR', totalTests: 0 })
  expect(await runs()).toMatchObject([{ status: 'FAILED', error: { code: 'no_tests' } }])
  const full = await send([report(junit(passed('adds')))], { shardKey: 'build-1' })
  expect(full).toMatchObject({ runId: empty.runId, state: 'PASSED', totalTests: 1 })
  expect(await runs()).toMatchObject([{ status: 'COMPLETED', error: null }])
})

test('resolves absolute paths in coverage with the latest analysis, or else names the field root', async () => {
  const { send, projectId } = await setUp()
  const entry = (path: string) => ({
    path,
    statementMap: { 0: { start: { line: 1 }, end: {} }, 1: { start: { line: 2 }, end: {} } },
    s: { 0: 1, 1: 0 },
  })
  const names = ['/home/me/shop/src/cart.ts', '/home/me/shop/src/price/tax.ts']
  const istanbul = {
    part: 'coverage',
    name: 'coverage-final.json',
    content: JSON.stringify(Object.fromEntries(names.map((name) => [name, entry(name)]))),
  }
  const unknown = await send([istanbul], { shardKey: 'one' })
  expect(unknown).toMatchObject({ status: 201, coverage: null })
  expect(unknown.warnings).toEqual([
    'coverage-final.json: files outside of the repository do not count: 2, such as /home/me/shop/src/cart.ts. All are in /home/me/shop/src. Send the folder of the checkout as the field `root` (`assay upload --root`).',
  ])
  const wrong = await send([istanbul], { shardKey: 'wrong', root: '/home/you' })
  expect(wrong.warnings).toEqual([
    expect.stringContaining(
      'They are not in /home/you, the field `root`. Send the folder of the checkout that the tests ran in (`assay upload --root`).',
    ),
  ])
  expect(await send([istanbul], { shardKey: 'two', root: '/home/me/shop' })).toMatchObject({
    coverage: 50,
    warnings: [],
  })

  const files = ['src/cart.ts', 'src/price/tax.ts', 'README.md'].map((path) => ({ path }))
  await app.dataSource.query(
    `INSERT INTO analyses (id, project_id, status, result, created_at) VALUES ($1, $2, 'completed', $3, now())`,
    [newId(new Date()), projectId, { files }],
  )
  const found = await send([istanbul], { shardKey: 'three' })
  expect(found).toMatchObject({ coverage: 50, warnings: [] })
  const rows = await app.dataSource.query<{ path: string }[]>(
    'SELECT path FROM test_run_coverage WHERE run_id = $1 ORDER BY path',
    [found.runId],
  )
  expect(rows.map(({ path }) => path)).toEqual(['src/cart.ts', 'src/price/tax.ts'])
})

test('warns about coverage below the threshold until a part raises it', async () => {
  const { send, token, projectId } = await setUp()
  const settings = { coverageThreshold: 80 }
  await app.client(token).projects.updateProjectSettings.mutate({ projectId, settings })
  const lcov = (second: number): Part => ({
    part: 'coverage',
    name: 'lcov.info',
    content: `SF:a.js\nDA:1,1\nDA:2,${second}\nend_of_record\n`,
  })
  const low = await send([lcov(0)], { shardKey: 'one' })
  expect(low.warnings).toEqual(['Coverage is 50 %, below the 80 % that the project settings require.'])
  expect((await send([lcov(1)], { shardKey: 'one' })).warnings).toEqual([])
})
