import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGitRepository } from '../../engines/source/testing/git-repository.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import { createSuggestionFor, rankedFiles } from './testing.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp()))
afterAll(() => app[Symbol.asyncDispose]())

async function setUp(repository: string, symbols: string[]) {
  const user = await createUser(app)
  const token = await createTokenFor(app, { user })
  const { id: projectId } = await createProjectFor(app, { user, repository })
  const client = app.client(token)
  for (const symbol of symbols) {
    const filePath = `src/${symbol}.ts`
    await createSuggestionFor(app, {
      projectId,
      filePath,
      fingerprint: symbol,
      target: { symbol, startLine: 2, endLine: 5 },
    })
  }
  const statuses = async () => {
    const { suggestions } = await client.suggestions.list.query({ projectId })
    return Object.fromEntries(suggestions.map(({ target, status }) => [target?.symbol, status]))
  }
  const analyze = () => client.analysis.analyzeRepository.mutate({ projectId })
  return { projectId, token, client, statuses, analyze }
}

test('an analysis makes suggestions outdated whose code is gone, and opens them again when it returns', async () => {
  await using repository = await createGitRepository(rankedFiles(3))
  const { analyze, statuses } = await setUp(repository.path, ['f0', 'f2'])
  await analyze()
  expect(await statuses()).toEqual({ f0: 'open', f2: 'open' })
  await rm(join(repository.path, 'src/f2.ts'))
  await repository.commit({ 'README.md': 'less' })
  await analyze()
  expect(await statuses()).toEqual({ f0: 'open', f2: 'outdated' })
  await repository.commit(rankedFiles(3))
  await analyze()
  expect(await statuses()).toEqual({ f0: 'open', f2: 'open' })
})

test('coverage makes suggestions outdated whose code tests run', async () => {
  await using repository = await createGitRepository(rankedFiles(2))
  const { projectId, token, client, analyze, statuses } = await setUp(repository.path, ['f0', 'f1'])
  const { commitSha } = await analyze()
  const body = new FormData()
  body.set('branch', 'main')
  body.set('commitSha', commitSha)
  const all = [2, 3, 4, 5].map((line) => `DA:${line},1\n`).join('')
  const gap = [2, 3, 4, 5, 6].map((line) => `DA:${line},${line === 6 ? 0 : 1}\n`).join('')
  const report = `SF:src/f0.ts\n${all}end_of_record\nSF:src/f1.ts\n${gap}end_of_record\n`
  body.append('coverage', new Blob([report]), 'lcov.info')
  body.append('reports', new Blob(['<testsuite><testcase name="a"/></testsuite>']), 'junit.xml')
  const response = await app.fetch(`/api/ci/upload/${projectId}`, { method: 'POST', body, token })
  expect(response.status, await response.text()).toBe(201)
  const ranking = async () => (await client.projects.getLatestProjectAnalysis.query({ projectId })).ranking
  await expect.poll(ranking, { timeout: 20_000 }).toBe('current')
  expect(await statuses()).toEqual({ f0: 'outdated', f1: 'open' })
})
