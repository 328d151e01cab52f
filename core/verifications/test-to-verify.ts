import type { Context } from '../base/context.ts'
import { invalid, invalidField, notFound, procedureHint } from '../base/errors.ts'
import { GeneratedTestEntity } from '../generated-tests/entity.ts'
import { SuggestionEntity } from '../suggestions/entity.ts'
import type { VerificationRow } from './entity.ts'
import type { VerifyTest } from './schema.ts'
import type { VerificationTarget } from '../../engines/verdicts/schema.ts'

/** What a verification is of. */
export type TestToVerify = Pick<VerificationRow, 'filePath' | 'code' | 'generatedTestId' | 'suggestionId' | 'target'>

type Given = Pick<VerifyTest, 'filePath' | 'code' | 'generatedTestId' | 'suggestionId' | 'target'>

/**
 * The test that a call is about, in a project that is the caller's.
 *
 * @throws AppError that says what is wrong with it
 */
export async function readTestToVerify(ctx: Context, projectId: string, given: Given): Promise<TestToVerify> {
  // Before anything reaches the database, which would give up the transaction and with it every test of the call.
  const { path, symbol } = given.target ?? {}
  const { generatedTestId, suggestionId: named, filePath, code } = given
  const texts = { generatedTestId, suggestionId: named, 'target.path': path, 'target.symbol': symbol, filePath, code }
  for (const [field, text] of Object.entries(texts)) if (text !== undefined) requireText(field, text)
  if (symbol === '')
    throw invalidField('target.symbol', 'is empty. Leave it out where the test is about the whole file.')
  const test = generatedTestId === undefined ? ownTest(given) : await generatedTest(ctx, projectId, given)
  const suggestionId = named ?? test.suggestionId
  const suggested = await targetOfSuggestion(ctx, projectId, suggestionId)
  const target =
    (given.target && suggested ? partOf(suggested, given.target) : given.target) ?? test.target ?? suggested
  if (target) requirePath('target.path', target.path)
  return { ...test, filePath: requirePath('filePath', test.filePath), suggestionId, target }
}

function ownTest({ filePath, code, suggestionId }: Given): TestToVerify {
  if (filePath !== undefined && code !== undefined) {
    return { filePath, code, generatedTestId: null, suggestionId: suggestionId ?? null, target: null }
  }
  const missing = [...(filePath === undefined ? ['filePath'] : []), ...(code === undefined ? ['code'] : [])]
  throw invalid(
    `${missing.join(' and ')}: ${missing.length > 1 ? 'are' : 'is'} missing. Give either filePath and code of a test, or the generatedTestId of one.`,
  )
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
  if (!test)
    throw notFound(
      'generated test',
      'generatedTests.list lists those of the project.',
      procedureHint('generatedTests.list'),
    )
  const { filePath, code, suggestionId, target } = test
  if (given.suggestionId !== undefined && given.suggestionId !== suggestionId) {
    throw invalid('suggestionId: the generated test was made for another suggestion, or for none. Leave it out.')
  }
  return { filePath, code, generatedTestId: id, suggestionId, target }
}

async function targetOfSuggestion(ctx: Context, projectId: string, id: string | null): Promise<TestToVerify['target']> {
  if (id === null) return null
  const suggestion = await ctx.db.getRepository(SuggestionEntity).findOneBy({ id, projectId })
  if (!suggestion)
    throw notFound('suggestion', 'suggestions.list lists those of the project.', procedureHint('suggestions.list'))
  return { path: suggestion.filePath, ...suggestion.target }
}

/**
 * What a test is judged on that follows a suggestion: what is given, as far as it is code of the suggestion. A test of
 * the function next to it must not settle it.
 *
 * @throws AppError where it is other code
 */
function partOf(suggested: VerificationTarget, given: VerificationTarget): VerificationTarget {
  const isOther = given.symbol !== undefined && suggested.symbol !== undefined && given.symbol !== suggested.symbol
  if (given.path !== suggested.path || isOther) throw otherTarget()
  if (suggested.startLine === undefined) return given
  if (given.startLine === undefined) return suggested
  // The symbol may have moved since it was suggested.
  if (given.symbol !== undefined) return given
  const startLine = Math.max(given.startLine, suggested.startLine)
  const endLine = Math.min(given.endLine ?? given.startLine, suggested.endLine ?? suggested.startLine)
  if (startLine > endLine) throw otherTarget()
  return { ...suggested, startLine, endLine }
}

const otherTarget = () => invalid('target: is another than that of the suggestion. Leave out one of both.')

const maxDepth = 40
const maxNameBytes = 255

/** A plain path inside the repository, as git spells it. */
function requirePath(field: string, path: string): string {
  const names = path.split('/')
  const isPlain = names.every((name) => name !== '' && name !== '.' && name !== '..')
  if (!isPlain || /[\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(path) || names.length > maxDepth) {
    throw invalidField(
      field,
      'must be a path relative to the repository, such as tests/cart.test.ts, and lie inside it',
    )
  }
  // File systems that know no case, and Windows' short names, lead there too.
  if (names.some((name) => /^(?:\.git|git~\d+)[ .]*$/i.test(name))) throw invalidField(field, 'must not lie in .git')
  if (names.some((name) => Buffer.byteLength(name) > maxNameBytes))
    throw invalidField(field, 'has a name that is too long')
  if (names[0]?.startsWith('-')) throw invalidField(field, 'begins with a hyphen, which runners take for an option')
  return path
}

function requireText(field: string, text: string): void {
  if (text.includes('\0') || !text.isWellFormed()) {
    throw invalidField(field, 'has a NUL character or invalid Unicode. Remove it.')
  }
}
