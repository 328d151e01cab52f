import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMeasuringRunFor } from '../../core/code/testing.ts'
import { createTestApp, type TestApp } from '../../core/testing/app.ts'
import { createProjectFor, createUser } from '../../core/testing/factories.ts'
import { createGitRepository, type GitRepository } from '../../engines/source/testing/git-repository.ts'
import { openDashboard } from './open-dashboard.ts'

let app: TestApp
let repository: GitRepository
let commitSha: string
const source = `export function price(total) {
  if (total > 10) return total - 1
  return '<script>alert(1)</script> \u202Ereversed'
}
`
beforeAll(async () => {
  app = await createTestApp({ role: 'web' })
  app.config.baseUrl = app.url.replace('127.0.0.1', 'localhost')
  repository = await createGitRepository()
  commitSha = await repository.commit({
    'src/price.js': source,
    'src/deep/tax.js': `${'x'.repeat(5_000)}\n`,
    'huge.txt': Array.from({ length: 20_000 }, (_, index) => `line ${index + 1}\n`).join(''),
    'image.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]),
  })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await repository[Symbol.asyncDispose]()
})

async function setUp() {
  const user = await createUser(app)
  const { id: projectId } = await createProjectFor(app, { user, repository: repository.path })
  const run = await createMeasuringRunFor(app, { projectId, commitSha, coverage: 40 }, 'src/price.js', {
    covered_lines: '1-2',
    uncovered_lines: '3',
    lines_covered: 2,
    lines_total: 3,
    branches_covered: 1,
    branches_total: 2,
    partial_branches: '2:1/2',
  })
  await app.dataSource.query(
    `INSERT INTO test_run_coverage (run_id, path, covered_lines, uncovered_lines, lines_covered, lines_total)
     VALUES ($1, 'src/deep/tax.js', '', '1', 0, 1)`,
    [run.id],
  )
  return { user, projectId, runId: run.id }
}

test('coverage is explored from the map down to the code, with the keyboard', async () => {
  const { user, projectId } = await setUp()
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open(`/projects/${projectId}/coverage`)
  await tab.getByRole('link', { name: 'src/: 50.0 % of 4 lines' }).press('Enter')
  await tab.getByRole('link', { name: 'src/price.js: 66.7 % of 3 lines' }).waitFor()
  expect(tab.url()).toContain('folder=src')
  const table = tab.getByRole('table', { name: 'Coverage of src' })
  expect(await table.getByRole('row').nth(1).innerText()).toMatch(/deep\/\s+0 %\s+1/)
  const picture = tab.waitForEvent('download')
  await tab.getByRole('button', { name: 'SVG of the map' }).press('Enter')
  expect((await picture).suggestedFilename()).toBe('Coverage of src.svg')
  expect(await dashboard.violations()).toEqual([])

  await tab.getByRole('link', { name: 'Files by uncovered lines' }).press('Enter')
  const files = tab.getByRole('table', { name: '2 files by uncovered lines' })
  await files.getByRole('link', { name: 'src/deep/tax.js' }).waitFor()
  expect(await files.getByRole('row').count()).toBe(3)
  expect(await dashboard.violations()).toEqual([])
  await files.getByRole('link', { name: 'src/price.js' }).press('Enter')
  await tab.getByRole('heading', { name: 'price.js', level: 1 }).waitFor()
  expect(dashboard.complaints).toEqual([])
})

test('code shows what tests run; keys lead to the gaps, and the address names the line', async () => {
  const { user, projectId } = await setUp()
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open(`/projects/${projectId}/code?path=src%2Fprice.js`)
  const code = tab.getByRole('region', { name: 'Code of src/price.js' })
  await code.getByText('<script>alert(1)</script> <U+202E>reversed').waitFor()
  expect(await code.locator('.tok-keyword').first().innerText()).toBe('export')
  expect(await code.getByRole('listitem').nth(1).getByRole('link').textContent()).toBe(
    'Line 2, partly covered, 1 of 2 branches taken',
  )
  await tab.keyboard.press('n')
  const panel = tab.getByRole('complementary', { name: 'The selected line' })
  await panel.getByRole('heading', { name: 'Line 2' }).waitFor()
  expect(await panel.innerText()).toContain('They take 1 of its 2 branches.')
  expect(tab.url()).toContain('line=2')
  await tab.keyboard.press('j')
  await panel.getByText('No test runs this line.').waitFor()
  expect(await dashboard.violations()).toEqual([])
  expect(await panel.innerText()).not.toContain('survivors')
  await tab.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })
  const gaps = tab.getByRole('complementary', { name: 'The file' })
  expect(await gaps.innerText()).toMatch(/Not run\s+Line\s+3\s+Partly run: a branch is missed\s+Line\s+2/)
  await dashboard.open(`/projects/${projectId}/code?path=src%2Fprice.js#L3`)
  await panel.getByRole('heading', { name: 'Line 3' }).waitFor()
  expect(dashboard.complaints).toEqual([])
})

test('a click anywhere on a line selects it, unless it ends the selection of text', async () => {
  const { user, projectId } = await setUp()
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open(`/projects/${projectId}/code?path=src%2Fprice.js`)
  const code = tab.getByRole('region', { name: 'Code of src/price.js' })
  await code.getByText('total').first().dblclick()
  const panel = tab.getByRole('complementary', { name: 'The selected line' })
  await panel.getByRole('heading', { name: 'Line 1' }).waitFor()
  const line = await code.getByRole('listitem').nth(2).boundingBox()
  if (!line) throw new Error('The line is not shown.')
  const middle = line.y + line.height / 2
  await tab.mouse.move(line.x + 150, middle)
  await tab.mouse.down()
  await tab.mouse.move(line.x + 250, middle, { steps: 3 })
  await tab.mouse.up()
  expect(await tab.evaluate('getSelection().toString()')).not.toBe('')
  expect(await panel.getByRole('heading').first().innerText()).toBe('Line 1')
  await tab.mouse.click(line.x + line.width - 30, middle)
  await panel.getByRole('heading', { name: 'Line 3' }).waitFor()
  expect(dashboard.complaints).toEqual([])
})

test('coverage and code show the latest run of all tests of the default branch', async () => {
  const { user, projectId, runId } = await setUp()
  const of = { projectId, commitSha, coverage: 10 }
  await createMeasuringRunFor(app, { ...of, selection: { paths: ['a.test.js'], tests: [] } }, 'src/price.js')
  await createMeasuringRunFor(app, { ...of, branch: 'other' }, 'src/price.js')
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open(`/projects/${projectId}/coverage`)
  await tab.getByText('40.0 % of the lines are covered. Measured by a run of main').waitFor()
  const options = await tab.getByLabel('Run').locator('option').allInnerTexts()
  const commit = commitSha.slice(0, 8)
  expect(options.map((text) => text.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/, 'then'))).toEqual([
    `Latest: main, then, ${commit}, 40.0 %`,
    `other, then, ${commit}, 10.0 %`,
    `main, then, ${commit}, only some tests, 10.0 %`,
    `main, then, ${commit}, 40.0 %`,
  ])
  await tab.getByLabel('Run').selectOption({ index: 2 })
  await tab.getByText('10.0 % of the lines are covered. Measured by a run of only some tests of main').waitFor()
  await dashboard.open(`/projects/${projectId}/code?path=src%2Fprice.js`)
  const ofCode = tab.getByLabel('Coverage of')
  expect((await ofCode.locator('option').allInnerTexts())[0]).toMatch(/^Latest: main, .{16}, \w{8}$/)
  expect(await ofCode.locator('option').nth(3).getAttribute('value')).toBe(runId)
  await tab.getByText('66.7 % of 3 lines covered').waitFor()
  expect(dashboard.complaints).toEqual([])
})

test('a project without coverage offers to run its tests', async () => {
  const user = await createUser(app)
  const { id: projectId } = await createProjectFor(app, { user, repository: repository.path })
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  for (const page of ['coverage', '']) {
    await dashboard.open(`/projects/${projectId}/${page}`)
    await tab.getByRole('button', { name: 'Run tests' }).click()
    await tab.getByRole('dialog', { name: 'Run tests' }).getByLabel('Branch or commit').waitFor()
  }
  expect(dashboard.complaints).toEqual([])
})

test('a file of 20,000 lines opens at a line, with only some lines in the document', async () => {
  const { user, projectId } = await setUp()
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open(`/projects/${projectId}/code?path=huge.txt&line=15000`)
  const code = tab.getByRole('region', { name: 'Code of huge.txt' })
  await code.getByText('line 15000', { exact: true }).waitFor()
  expect(await code.getByRole('listitem').count()).toBeLessThan(150)
  await code.press('End')
  await code.getByText('line 20000', { exact: true }).waitFor()
  expect(dashboard.complaints).toEqual([])
})

test('binary files, missing files and other tenants say so instead of showing lines; folders list files', async () => {
  const { user, projectId } = await setUp()
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open(`/projects/${projectId}/code?path=image.png`)
  await tab.getByRole('heading', { name: 'This is a binary file' }).waitFor()
  await dashboard.open(`/projects/${projectId}/code?path=src%2Fgone.js`)
  await tab.getByText('No such file. The commit has no src/gone.js.').waitFor()
  await tab.getByRole('link', { name: 'src', exact: true }).press('Enter')
  await tab.getByRole('link', { name: 'price.js' }).waitFor()
  expect(await dashboard.violations()).toEqual([])
  await tab.getByRole('link', { name: 'deep/' }).press('Enter')
  await tab.getByRole('link', { name: 'tax.js' }).press('Enter')
  await tab.getByText('3000 more characters').waitFor()

  const other = await createProjectFor(app)
  await tab.goto(`${app.config.baseUrl}/projects/${other.id}/code?path=src%2Fprice.js`)
  await tab.getByText('This page does not exist, or you have no access to it.').waitFor()
})
