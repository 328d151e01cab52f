import { randomUUID } from 'node:crypto'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendTree } from '../snapshots/testing.ts'
import { createRunScene, type RunScene } from './testing/scene.ts'

const marker = `found${randomUUID().replaceAll('-', '')}`

let scene: RunScene
/** A folder of the server that every user can read, outside of all checkouts. */
let outside: string
beforeAll(async () => {
  scene = await createRunScene()
  outside = await mkdtemp(join(tmpdir(), 'assay-outside-'))
  await chmod(outside, 0o755)
  const files = {
    'package.json': JSON.stringify({ name: marker, scripts: { test: `echo ${marker}` } }),
    'code.js': `export function ${marker}(n) {\n  if (n > 1) return 'many'\n  return 'few'\n}\n`,
    'report.xml': `<testsuite><testcase name="${marker}"/></testsuite>`,
    'lcov.info': `SF:src/${marker}.js\nDA:1,1\nend_of_record\n`,
  }
  for (const [name, content] of Object.entries(files)) await writeFile(join(outside, name), content, { mode: 0o644 })
})
afterAll(async () => {
  await scene[Symbol.asyncDispose]()
  await rm(outside, { recursive: true })
})

test('a snapshot with links that lead out of its tree shows nothing of what they lead to', async () => {
  const { app, client, token } = scene
  const settings = {
    testCommand: 'sh tests.sh',
    reportGlobs: ['junit.xml', 'reports/*.xml'],
    coverageGlobs: ['coverage/lcov.info'],
  }
  const { id: projectId, repository } = await scene.project({ 'src/own.js': 'export const own = 1\n' }, settings)
  const links = {
    link: '/etc/passwd',
    dir: '../../..',
    outside,
    'lib/package.json': join(outside, 'package.json'),
    'src/linked.js': join(outside, 'code.js'),
    'src/relative.js': `${'../'.repeat(30)}${join(outside, 'code.js').slice(1)}`,
    'reports/linked.xml': join(outside, 'report.xml'),
    'coverage/lcov.info': join(outside, 'lcov.info'),
    'test-results/linked.txt': join(outside, 'code.js'),
  }
  const names = Object.keys(links).join(' ')
  await repository.write({
    ...Object.fromEntries(Object.entries(links).map(([name, linkTo]) => [name, { linkTo }])),
    // The tests themselves follow the links as well.
    'tests.sh':
      `for name in ${names} outside/code.js dir/etc/passwd dir${outside}/code.js; do\n` +
      '  cat "$name" 2>/dev/null; cp -L "$name" "test-results/$(basename "$name").txt" 2>/dev/null\n' +
      'done\n' +
      `echo '<testsuite><testcase name="fine"/></testsuite>' > junit.xml\n`,
  })
  const { id: snapshotId, files } = await sendTree(app, token, projectId, repository)
  expect(files).toBe(2 + Object.keys(links).length)

  const analysis = await client.analysis.analyzeRepository.mutate({ projectId, snapshotId })
  const plan = await client.testRuns.plan.mutate({ projectId, snapshotId })
  const run = await scene.run(projectId, { snapshotId })
  const log = await scene.log(run.id)
  expect(run, log).toMatchObject({ reportedStatus: 'PASSED', totalTests: 1, coverage: null, snapshotId })
  const stored = await client.files.list.query({ projectId, runId: run.id, limit: 100 })
  const contents = await Promise.all(
    stored.map(async ({ name }) => {
      const response = await app.fetch(`/files/${projectId}/${run.id}/${name}`, { token })
      expect([name, response.status]).toEqual([name, 200])
      return [name, await response.text()] as const
    }),
  )
  const accounts = (await readFile('/etc/passwd', 'utf8')).split('\n').filter((line) => line !== '')
  const shown = { analysis, plan, run, log, contents: Object.fromEntries(contents) }
  for (const [what, answer] of Object.entries(shown)) {
    const text = JSON.stringify(answer)
    expect([what, text.includes(marker)]).toEqual([what, false])
    expect([what, accounts.filter((line) => text.includes(line))]).toEqual([what, []])
  }
})
