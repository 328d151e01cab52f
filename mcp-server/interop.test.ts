import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTokenFor } from '../core/testing/factories.ts'
import { connectV1, connectV2, type Place, type TestClient } from './testing/clients.ts'
import { createRepository, shopFiles, type TestRepository } from '../client/testing/repository.ts'
import { type Stack, startStack } from './testing/stack.ts'
import { defaultToolsets } from './tools/catalog.ts'
import { toolsets } from './tools/index.ts'

let stack: Stack
let repository: TestRepository

beforeAll(async () => {
  ;[stack, repository] = await Promise.all([startStack(), createRepository(shopFiles)])
})
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
  await repository[Symbol.asyncDispose]()
})

const offered = defaultToolsets.flatMap((name) => toolsets[name].map((tool) => tool.name))

type Connect = (place: Place) => Promise<TestClient>

const clients: [string, Connect, string][] = [
  ['the client of SDK v1', connectV1, '2025-11-25'],
  ['the client of SDK v2 in the older era', (place) => connectV2(place, 'legacy'), '2025-11-25'],
  ['the client of SDK v2 in the newest', (place) => connectV2(place, { pin: '2026-07-28' }), '2026-07-28'],
]

const placeOf = (kind: Place['kind'], token: string): Place =>
  kind === 'stdio'
    ? { kind, env: { SVC_BASE_URL: stack.core.url, SVC_API_TOKEN: token } }
    : { kind, url: stack.mcpUrl, token }

describe.each(['stdio', 'http'] as const)('over %s', (kind) => {
  test.each(clients)('%s goes from a repository to suggested tests', async (_name, connect, version) => {
    const token = await createTokenFor(stack.core)
    await using client = await connect(placeOf(kind, token))
    if (client.protocolVersion !== undefined) expect(client.protocolVersion).toBe(version)
    expect(client.instructions).toContain('Assay')
    expect(await client.toolNames()).toEqual(offered)

    const created = await client.call('create_project', { name: 'Shop', repository: repository.path })
    expect(created).toMatchObject({ isError: false, facts: { name: 'Shop', repository: repository.path } })
    const projectId = String(created.facts['id'])
    expect(created.text).toContain(projectId)

    const progress: number[] = []
    const analyzed = await client.call('analyze_repository', { projectId }, (report) => progress.push(report.progress))
    expect(analyzed).toMatchObject({
      isError: false,
      facts: {
        status: 'completed',
        projectId,
        commitSha: await repository.git('rev-parse', 'HEAD'),
        summary: { totalFiles: 4, languages: { TypeScript: 3, JSON: 1 } },
      },
    })
    const [best] = analyzed.facts['candidates'] as Record<string, unknown>[]
    expect(best).toMatchObject({ path: 'src/price.ts', symbol: 'price', startLine: 1, endLine: 11, hasTest: false })
    expect(analyzed.text).toContain('src/price.ts:1-11 | price | function')
    expect(progress).toEqual(progress.toSorted((a, b) => a - b))

    const suggested = await client.call('suggest_tests', { projectId, maxSuggestions: '2' })
    expect(suggested.isError).toBe(false)
    const suggestions = suggested.facts['suggestions'] as { file_path: string; target?: { symbol: string } }[]
    expect(suggestions.length).toBeGreaterThan(0)
    expect(suggestions.length).toBeLessThanOrEqual(2)
    for (const { file_path, target } of suggestions) {
      expect(Object.keys(shopFiles)).toContain(file_path)
      expect(['price', 'name']).toContain(target?.symbol)
      expect(suggested.text).toContain(file_path)
    }

    expect(await client.resources()).toContain('guide://red-to-green')
    expect(await client.templates()).toContain('project://{id}/analysis')
    expect(await client.readResource(`project://${projectId}/analysis`)).toContain('src/price.ts:1-11 | price')
    expect(await client.promptNames()).toContain('add-tests-for-diff')
    expect(await client.prompt('add-tests-for-diff', { projectId })).toContain(`Project: ${projectId}.`)
    const prompt = { type: 'ref/prompt', name: 'add-tests-for-diff' } as const
    expect(await client.complete(prompt, 'projectId', 'shop')).toEqual([projectId])
    await client.endSession()
  })

  test('a client with free choice uses the newest era', async () => {
    await using client = await connectV2(placeOf(kind, await createTokenFor(stack.core)), 'auto')
    expect(client.protocolVersion).toBe('2026-07-28')
    expect((await client.call('whoami')).isError).toBe(false)
  })
})
