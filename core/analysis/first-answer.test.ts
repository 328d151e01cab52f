import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import { createGitRepository } from '../../engines/source/testing/git-repository.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp()))
afterAll(() => app[Symbol.asyncDispose]())

test('a running analysis shows languages, frameworks and test frameworks before it has read all files', async () => {
  await using repository = await createGitRepository({
    'package.json': JSON.stringify({ dependencies: { koa: '3' }, devDependencies: { vitest: '5' } }),
    'src/app.js': "import Koa from 'koa'\nexport const app = new Koa()\n",
    // Takes its parser as long as it may.
    'slow.php': `<?php ${'if ( foreach match [ => class ] ) fn '.repeat(20_000)}`,
  })
  const user = await createUser(app)
  const project = await createProjectFor(app, { user, repository: repository.path })
  const { analysis } = app.client(await createTokenFor(app, { user }))
  const { id: analysisId } = await analysis.startAnalysis.mutate({ projectId: project.id })

  const record = () => analysis.getAnalysis.query({ analysisId })
  await expect
    .poll(async () => (await record()).progress?.firstAnswer, { timeout: 20_000, interval: 20 })
    .toEqual({
      totalFiles: 3,
      languages: { JSON: 1, JavaScript: 1, PHP: 1 },
      frameworks: ['Koa'],
      testFrameworks: ['vitest'],
    })
  expect(await record()).toMatchObject({ status: 'running', languages: {}, frameworks: [] })
  await expect.poll(async () => (await record()).status, { timeout: 60_000 }).toBe('completed')
  expect(await record()).toMatchObject({ progress: null, languages: { JSON: 1, JavaScript: 1, PHP: 1 } })
})
