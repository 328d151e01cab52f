import type { App } from '../app.ts'
import { newId } from '../base/ids.ts'
import type { TestApp } from '../testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import type { GitRepository } from '../../engines/source/testing/git-repository.ts'
import { SuggestionEntity, type SuggestionRow } from './entity.ts'
import { fingerprintOf } from './fingerprint.ts'

/** Creates an open suggestion, in a new project by default. */
export async function createSuggestionFor(
  app: Pick<App, 'dataSource'>,
  fields: Partial<SuggestionRow> = {},
): Promise<SuggestionRow> {
  const projectId = fields.projectId ?? (await createProjectFor(app)).id
  const now = new Date()
  const subject = { filePath: 'src/cart.js', testType: 'unit' as const }
  const row: SuggestionRow = {
    ...subject,
    id: newId(now),
    projectId,
    userId: newId(now),
    tokenId: null,
    commitSha: 'c'.repeat(40),
    description: 'That a cart adds up.',
    rationale: 'Everything goes through it.',
    exampleCode: "test('adds up', () => {})",
    target: { symbol: 'total', startLine: 1, endLine: 9 },
    caseIds: null,
    cases: null,
    moreCases: null,
    through: null,
    fingerprint: fingerprintOf({ ...subject, symbol: 'total' }),
    status: 'open',
    verificationId: null,
    tokensUsed: null,
    resolvedAt: null,
    resolvedBy: null,
    resolvedByToken: null,
    createdAt: now,
    updatedAt: now,
    ...fields,
  }
  await app.dataSource.getRepository(SuggestionEntity).insert(row)
  return row
}

/** Creates files with one function each. An analysis ranks later functions higher. */
export function rankedFiles(count: number): Record<string, string> {
  const files = Array.from({ length: count }, (_, index): [string, string] => {
    const branches = Array.from({ length: index + 2 }, (_, at) => `  if (n > ${at}) return ${at}\n`).join('')
    return [
      `src/f${index}.ts`,
      `/** Number ${index}. */\nexport function f${index}(n: number) {\n${branches}  return -1\n}\n`,
    ]
  })
  return {
    'package.json': '{"name":"shop","type":"module","devDependencies":{"vitest":"5.1.0"}}',
    ...Object.fromEntries(files),
  }
}

/** Creates a project for a repository and analyzes it. */
export async function createAnalysedProject(app: TestApp, repository: Pick<GitRepository, 'path'>) {
  const user = await createUser(app)
  const project = await createProjectFor(app, { user, repository: repository.path })
  const client = app.client(await createTokenFor(app, { user }))
  const { commitSha } = await client.analysis.analyzeRepository.mutate({ projectId: project.id })
  return { user, client, projectId: project.id, commitSha }
}
