import { expect, test } from 'vitest'
import { startAi } from '../testing/ai-service.ts'
import { createTestApp } from '../testing/app.ts'
import { startCodeHost } from '../testing/code-host.ts'
import { createLinkFor, createTokenFor } from '../testing/factories.ts'
import { createGitRepository } from '../../engines/source/testing/git-repository.ts'

const token = 'secretTokenThatLooksLikeNothing42'
const forms = [token, Buffer.from(`x-access-token:${token}`).toString('base64')]
const source = 'export const a = (n: number) => (n > 1 ? n : 2)\n'

test('sends the source of a private repository to the AI service, but not its credentials', async () => {
  await using repository = await createGitRepository({ 'src/a.ts': source, 'package.json': '{"name":"x"}' })
  await using host = await startCodeHost({ git: { 'octocat/secret': repository.path } })
  host.tokens = new Map([[token, { login: 'octocat', scopes: ['repo'] }]])
  await using ai = await startAi()
  await using app = await createTestApp({
    codeHost: host.config,
    ai: { url: ai.url, secret: undefined, timeoutMs: 60_000 },
    logLevel: 'trace',
  })
  const { user } = await createLinkFor(app, { accessToken: token })
  const client = app.client(await createTokenFor(app, { user }))
  const { id: projectId } = await client.projects.createProject.mutate({
    name: 'Secret',
    repository: `${host.url}/octocat/secret`,
  })
  await client.projects.updateProjectSettings.mutate({
    projectId,
    settings: { environment: { PAYMENT_KEY: 'value-of-the-environment' } },
  })
  await client.analysis.analyzeRepository.mutate({ projectId })
  const { suggestions } = await client.analysis.suggestTests.mutate({ projectId })
  await client.analysis.generateTests.mutate({ projectId, suggestionId: suggestions[0]?.id ?? '' })

  expect(ai.asked.map(({ path }) => path)).toEqual(['/suggest-tests', '/generate-tests'])
  for (const { request, text } of ai.asked) {
    expect(request.sources).toEqual([{ path: 'src/a.ts', content: source }])
    for (const form of [...forms, 'value-of-the-environment']) expect(text).not.toContain(form)
  }
  for (const form of forms) expect(app.logLines.join('\n')).not.toContain(form)

  // A user who lost access to the repository gets an error that says what to do.
  host.tokens = new Map()
  await repository.commit({ 'src/b.ts': 'export const b = 1\n' })
  const failure = await client.analysis.generateTests
    .mutate({ projectId, target: { path: 'src/a.ts' } })
    .catch((error) => error)
  expect([failure.data.code, failure.message]).toEqual(['CONFLICT', expect.stringContaining('cannot read the source')])
  for (const form of forms) expect(failure.message).not.toContain(form)
})
