import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createFolder, createRepository, type TestRepository } from '../client/testing/repository.ts'
import { startAi } from '../core/testing/ai-service.ts'
import { createTestApp, type TestApp } from '../core/testing/app.ts'
import { createTokenFor, createUser } from '../core/testing/factories.ts'
import { assay, type Typed } from './testing/assay.ts'

vi.setConfig({ testTimeout: 180_000 })

const branchy = (name: string) => `export function ${name}(a) {\n  if (a) return 1\n  return 2\n}\n`
const files = {
  'package.json': JSON.stringify({ name: 'sums', type: 'module', scripts: { test: 'node --test' } }),
  'src/sum.js': branchy('sum') + branchy('rest'),
  'lib/other.js': branchy('other'),
  'lib/deep/more.js': branchy('more'),
  'test/sum.test.js':
    "import test from 'node:test'\nimport { sum } from '../src/sum.js'\ntest('adds', () => { sum(0); sum(1) })\n",
}

const opened = new AsyncDisposableStack()
let core: TestApp
let repository: TestRepository
let env: Record<string, string>

const type = (words: string[], typed: Typed = {}) => assay(words, { cwd: repository.path, env, ...typed })

beforeAll(async () => {
  const ai = opened.use(await startAi())
  core = opened.use(await createTestApp({ ai: { url: ai.url, secret: undefined, timeoutMs: 60_000 } }))
  repository = opened.use(await createRepository(files))
  const data = opened.use(await createFolder())
  const user = await createUser(core)
  env = { SVC_BASE_URL: core.url, SVC_API_TOKEN: await createTokenFor(core, { user }), DATA_DIR: data.path }
})
afterAll(() => opened.disposeAsync())

async function placesOf(words: string[], typed: Typed = {}): Promise<string[]> {
  const { stdout, stderr, exitCode } = await type([...words, '--json'], typed)
  expect(exitCode, stderr).toBe(0)
  const { suggestions, candidates } = JSON.parse(stdout) as Record<string, { file_path?: string; path?: string }[]>
  return (suggestions ?? candidates ?? []).map(({ file_path, path }) => file_path ?? path ?? '').toSorted()
}

test('paths limit a checkout, relative to where they are typed', async () => {
  expect(await placesOf(['analyze', 'lib/'])).toEqual(['lib/deep/more.js', 'lib/other.js'])
  expect(await placesOf(['analyze', 'lib/*.js'])).toEqual(['lib/other.js'])
  expect(await placesOf(['analyze', 'deep', '--limit', '5'], { cwd: join(repository.path, 'lib') })).toEqual([
    'lib/deep/more.js',
  ])
  expect(await placesOf(['analyze', './src/sum.js', 'lib/deep', '--symbol', 'rest', '--symbol', 'more'])).toEqual([
    'lib/deep/more.js',
    'src/sum.js',
  ])
  expect(await placesOf(['analyze', '.'])).toHaveLength(4)
  expect(await placesOf(['analyze', '.', 'lib/deep'])).toEqual(['lib/deep/more.js'])
  expect(await placesOf(['suggest', 'lib'])).toEqual(['lib/deep/more.js', 'lib/other.js'])
})

test('a project is named first, then paths in its repository', async () => {
  const projects = await core.client(env['SVC_API_TOKEN']).projects.getProjects.query()
  const [project] = projects
  const inside = { cwd: '/' }
  expect(await placesOf(['suggest', project?.name ?? '', 'lib/deep'], inside)).toEqual(['lib/deep/more.js'])
  expect(await placesOf(['analyze', project?.id ?? '', 'src', '--symbol', 'rest'], inside)).toEqual(['src/sum.js'])
})

test('since limits it to the changes of a branch, committed or not', async () => {
  await using feature = await createRepository(files)
  const inside = { cwd: feature.path }
  await feature.git('switch', '--quiet', '--create', 'feature')
  await feature.write({ 'lib/new.js': branchy('fresh') })
  await feature.git('add', '--all')
  await feature.git('commit', '--quiet', '--message', 'Add')
  expect(await placesOf(['suggest', '--since', 'main'], inside)).toEqual(['lib/new.js'])
  await feature.write({ 'src/draft.js': branchy('draft') })
  expect(await placesOf(['suggest', '--since', 'main', 'src/'], inside)).toEqual(['src/draft.js'])
  expect(await placesOf(['analyze', '--since', 'HEAD'], inside)).toEqual(['src/draft.js'])
  const shown = await type(['suggest', '--since', 'main', 'src'], inside)
  expect(shown.stdout).toMatch(/^Limited to src, changes since main, from [0-9a-f]{7} on \(1 file\)\.$/m)
})

test('names what does not exist, and refuses what is dangerous', async () => {
  const refusals: [string[], string][] = [
    [['analyze', '--since', 'mian'], 'no branch, tag or commit "mian". The nearest names are: main.'],
    [['suggest', '--since=--upload-pack=x'], '--since: must not start with a dash'],
    [['suggest', '--symbol', 'res'], 'no symbol "res". The nearest names are: rest.'],
    [['suggest', 'lib/othr.js'], 'no file or folder "lib/othr.js". The nearest names are: lib/other.js.'],
    [['suggest', 'src', '/etc'], '/etc is not in the checkout'],
    [['analyze', '../nothing'], 'does not exist'],
  ]
  for (const [words, message] of refusals) {
    expect(await type(words), words.join(' ')).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining(message),
    })
  }
  expect(await type(['suggest', 'nothing'])).toMatchObject({
    exitCode: 4,
    stderr: expect.stringContaining('no project'),
  })
})

test('measures on request, with the run of the commit', async () => {
  await using other = await createRepository(files)
  const inside = { cwd: other.path }
  const measured = await type(['suggest', '--measure', 'src'], inside)
  expect(measured.stderr).toMatch(/^Measuring the coverage with run \w{26}$/m)
  expect(measured.stdout, measured.stderr).toContain('Coverage was measured at this commit.')
  expect(measured.stdout).toMatch(/^1\. src\/sum\.js:5-8 rest /m)
  expect(measured.stdout).not.toContain(' sum ')
  const again = await type(['analyze', '--project', '.', '--measure', '--symbol', 'rest', '--json'], inside)
  expect(JSON.parse(again.stdout)).toMatchObject({ candidates: [{ symbol: 'rest', coverageSource: 'measured' }] })
  const status = await type(['status'], inside)
  expect(status.stdout).toMatch(/\d+\.\d % of \d+ lines in 1 file$/m)
  const one = await type(['status', status.stdout.split('\t')[0] ?? ''], inside)
  expect(one.stdout).toMatch(/^Least covered\tsrc\/sum\.js \(\d of 6 lines\)$/m)
})

test('a checkout with changes is measured at its commit, and says why it was not', async () => {
  await using other = await createRepository(files)
  const inside = { cwd: other.path }
  await other.write({ 'src/sum.js': `// Sums.\n${files['src/sum.js']}` })
  expect(JSON.parse((await type(['analyze', '--json'], inside)).stdout)).not.toHaveProperty('summary.coverage')
  const measured = await type(['analyze', '--measure', 'src', '--json'], inside)
  expect(measured.stderr).toContain('Added this checkout as the project')
  const candidates = [{ symbol: 'rest', startLine: 6, coverageSource: 'measured' }]
  expect(JSON.parse(measured.stdout)).toMatchObject({ candidates, summary: { coverage: { behind: 0 } } })
  const later = await type(['analyze', 'src', '--json'], inside)
  expect(JSON.parse(later.stdout)).toMatchObject({ candidates })

  await using bare = await createRepository({ 'lib/other.js': branchy('other') })
  await bare.write({ 'lib/draft.js': branchy('draft') })
  const { stderr, exitCode } = await type(['analyze', '--measure'], { cwd: bare.path })
  expect([exitCode, stderr]).toEqual([
    0,
    expect.stringMatching(/^.*The coverage is estimated, because the run \w{26} /m),
  ])
  expect(stderr).toContain('start a run with `assay run`.')
})

test('analyze shows what it noticed besides the candidates, in the scope only', async () => {
  await using other = await createRepository({
    ...files,
    'lib/format.js': "import { sprintf } from 'printj'\nexport const format = (a) => sprintf(a)\n",
  })
  const typed = { cwd: other.path }
  const { stdout, stderr } = await type(['analyze'], typed)
  expect(stderr).toContain('Noticed: lib/format.js:1 No manifest declares printj. Nothing imports this file.')
  expect(stdout).not.toContain('printj')
  expect((await type(['analyze', 'src'], typed)).stderr).not.toContain('printj')
  const { stdout: json } = await type(['analyze', '--json'], { cwd: other.path })
  expect(JSON.parse(json)).toMatchObject({ findings: [{ kind: 'undeclared_import', name: 'printj', line: 1 }] })
})
