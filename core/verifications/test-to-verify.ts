import type { Context } from '../context.ts'
import { invalid, notFound } from '../errors.ts'
import { GeneratedTestEntity } from '../generated-tests/entity.ts'
import { SuggestionEntity } from '../suggestions/entity.ts'
import type { VerificationRow } from './entity.ts'
import type { VerificationTarget, VerifyTest } from './schema.ts'

/** What a verification is of. */
export type TestToVerify = Pick<VerificationRow, 'filePath' | 'code' | 'generatedTestId' | 'suggestionId' | 'target'>

type Given = Pick<VerifyTest, 'filePath' | 'code' | 'generatedTestId' | 'suggestionId' | 'target'>

/**
 * The test that a call is about, in a project that is the caller's.
 *
 * @throws AppError that says what is wrong with it
 */
export async function readTestToVerify(ctx: Context, projectId: string, given: Given): Promise<TestToVerify> {
  const test = given.generatedTestId === undefined ? ownTest(given) : await generatedTest(ctx, projectId, given)
  const suggestionId = given.suggestionId ?? test.suggestionId
  const suggested = await targetOfSuggestion(ctx, projectId, suggestionId)
  if (given.target && suggested && !isSameTarget(given.target, suggested)) {
    throw invalid('target: is another than that of the suggestion. Leave out one of both.')
  }
  const target = given.target ?? test.target ?? suggested
  if (target) requirePath('target.path', target.path)
  return {
    ...test,
    filePath: requirePath('filePath', test.filePath),
    code: requireText('code', test.code),
    suggestionId,
    target,
  }
}

function ownTest({ filePath, code, suggestionId }: Given): TestToVerify {
  if (filePath === undefined || code === undefined) {
    throw invalid('Give either filePath and code of a test, or the generatedTestId of one.')
  }
  return { filePath, code, generatedTestId: null, suggestionId: suggestionId ?? null, target: null }
}

async function generatedTest(
  ctx: Context,
  projectId: string,
  { generatedTestId: id = '', ...given }: Given,
): Promise<TestToVerify> {
  if (given.filePath !== undefined || given.code !== undefined) {
    throw invalid('generatedTestId stands for path and code: leave filePath and code out, or it.')
  }
  const test = await ctx.db.getRepository(GeneratedTestEntity).findOneBy({ id, projectId })
  if (!test) throw notFound('generated test', 'generatedTests.list lists those of the project.')
  const { filePath, code, suggestionId, target } = test
  if (given.suggestionId !== undefined && given.suggestionId !== suggestionId) {
    throw invalid('suggestionId: the generated test was made for another suggestion, or for none. Leave it out.')
  }
  return { filePath, code, generatedTestId: id, suggestionId, target }
}

async function targetOfSuggestion(ctx: Context, projectId: string, id: string | null): Promise<TestToVerify['target']> {
  if (id === null) return null
  const suggestion = await ctx.db.getRepository(SuggestionEntity).findOneBy({ id, projectId })
  if (!suggestion) throw notFound('suggestion', 'suggestions.list lists those of the project.')
  return { path: suggestion.filePath, ...suggestion.target }
}

const isSameTarget = (one: VerificationTarget, other: VerificationTarget) =>
  one.path === other.path && (one.symbol === undefined || other.symbol === undefined || one.symbol === other.symbol)

const maxDepth = 40
const maxNameBytes = 255

/** A plain path inside the repository, as git spells it. */
function requirePath(field: string, path: string): string {
  requireText(field, path)
  const names = path.split('/')
  const isPlain = names.every((name) => name !== '' && name !== '.' && name !== '..')
  if (!isPlain || /[\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(path) || names.length > maxDepth) {
    throw invalid(`${field}: must be a path relative to the repository, such as tests/cart.test.ts, and lie inside it`)
  }
  // File systems that know no case, and Windows' short names, lead there too.
  if (names.some((name) => /^(?:\.git|git~\d+)[ .]*$/i.test(name))) throw invalid(`${field}: must not lie in .git`)
  if (names.some((name) => Buffer.byteLength(name) > maxNameBytes))
    throw invalid(`${field}: has a name that is too long`)
  if (names[0]?.startsWith('-')) throw invalid(`${field}: begins with a hyphen, which runners take for an option`)
  return path
}

function requireText(field: string, text: string): string {
  if (text.includes('\0') || !text.isWellFormed()) {
    throw invalid(`${field}: has a NUL character or broken Unicode. Leave that out.`)
  }
  return text
}
