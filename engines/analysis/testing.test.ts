import { expect, test } from 'vitest'
import { createGitRepository, type Files } from '../source/testing/git-repository.ts'
import { openWorkingTree } from '../source/working-tree.ts'
import { analyze } from './analyze.ts'
import { noPlanSettings } from './read-testing.ts'
import { type AnalyzeOptions, defaultLimits } from './types.ts'

async function summaryOf(files: Files, options: Partial<AnalyzeOptions> = {}) {
  await using repository = await createGitRepository(files)
  const { signal } = new AbortController()
  await using snapshot = await openWorkingTree(repository.path, { limits: defaultLimits, signal })
  const { summary } = await analyze(snapshot, options)
  const names = summary.testFrameworks.map((one) => (typeof one === 'string' ? one : one.name))
  return { names, testing: summary.testing?.map(({ directory, framework }) => `${directory || '.'} ${framework}`) }
}

const json = (value: object) => JSON.stringify(value)

test('names what a run of the tests uses first, and what fixtures declare not at all', async () => {
  const files = {
    'package.json': json({
      scripts: { test: 'vitest run' },
      devDependencies: { vitest: '3', 'fast-check': '4', mocha: '11' },
    }),
    'src/a.ts': 'export const a = (n: number) => (n > 0 ? 1 : 2)\n',
    'src/a.test.ts': "import { test } from 'vitest'\nimport fc from 'fast-check'\ntest('a', () => fc.assert(true))\n",
    'fixtures/app/package.json': json({ scripts: { test: 'node --test' }, devDependencies: { jest: '30' } }),
    'fixtures/app/a.test.js': "import test from 'node:test'\n",
    'fixtures/py/requirements.txt': 'pytest\n',
  }
  expect(await summaryOf(files)).toEqual({ names: ['vitest', 'mocha', 'fast-check'], testing: ['. vitest'] })
})

test('takes the command of the owner', async () => {
  const files = {
    'package.json': json({ scripts: { test: 'vitest run' }, devDependencies: { vitest: '3', mocha: '11' } }),
    'test/a.js': "require('mocha')\n",
  }
  const planSettings = { ...noPlanSettings, testCommand: 'npx mocha test' }
  expect((await summaryOf(files, { planSettings })).names[0]).toBe('mocha')
})

test('a repository without a plan is analyzed with what was detected', async () => {
  const files = { 'package.json': '{', 'src/a.ts': 'export const a = 1\n', 'jest.config.js': '' }
  expect(await summaryOf(files)).toEqual({ names: ['jest'], testing: [] })
  const bad = { ...noPlanSettings, workingDirectory: '../outside' }
  expect((await summaryOf(files, { planSettings: bad })).testing).toEqual([])
})
