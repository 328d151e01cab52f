import type { Context } from '../base/context.ts'
import { invalid, invalidField, notFound, procedureHint } from '../base/errors.ts'
import { GeneratedTestEntity } from '../generated-tests/entity.ts'
import { SuggestionEntity } from '../suggestions/entity.ts'
import type { VerificationRow } from './entity.ts'
import type { VerifyTest } from './schema.ts'
import type { VerificationTarget } from '../../engines/verdicts/schema.ts'

export type TestToVerify = Pick<VerificationRow, 'filePath' | 'code' | 'generatedTestId' | 'suggestionId' | 'target'>

type Given = Pick<VerifyTest, 'filePath' | 'code' | 'generatedTestId' | 'suggestionId' | 'target'>

/**
 * Reads the test from the input of a call. The caller has access to the project.
 *
 * @throws AppError if the input is invalid
 */
export async function readTestToVerify(ctx: Context, projectId: string, given: Given): Promise<TestToVerify> {
  // Checked before the database sees the texts: a failed query would abort the transaction for all tests of the call.
  const { path, symbol } = given.target ?? {}
  const { generatedTestId, suggestionId: named, filePath, code } = given
  const texts = { generatedTestId, suggestionId: named, 'target.path': path, 'target.symbol': symbol, filePath, code }
  for (const [field, text] of Object.entries(texts)) if (text !== undefined) requireText(field, text)
  if (symbol === '') throw invalidField('target.symbol', 'is empty. Omit it if the test is for the whole file.')
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
    `${missing.join(' and ')}: ${missing.length > 1 ? 'are' : 'is'} missing. Send either filePath and code, or generatedTestId.`,
  )
}

async function generatedTest(
  ctx: Context,
  projectId: string,
  { generatedTestId: id = '', ...given }: Given,
): Promise<TestToVerify> {
  if (given.filePath !== undefined || given.code !== undefined) {
    throw invalid('generatedTestId: cannot be combined with filePath and code. Omit one of them.')
  }
  const test = await ctx.db.getRepository(GeneratedTestEntity).findOneBy({ id, projectId })
  if (!test) {
    throw notFound(
      'generated test',
      'generatedTests.list lists the generated tests of the project.',
      procedureHint('generatedTests.list'),
    )
  }
  const { filePath, code, suggestionId, target } = test
  if (given.suggestionId !== undefined && given.suggestionId !== suggestionId) {
    throw invalid('suggestionId: the generated test belongs to another suggestion or to none. Omit suggestionId.')
  }
  return { filePath, code, generatedTestId: id, suggestionId, target }
}

async function targetOfSuggestion(ctx: Context, projectId: string, id: string | null): Promise<TestToVerify['target']> {
  if (id === null) return null
  const suggestion = await ctx.db.getRepository(SuggestionEntity).findOneBy({ id, projectId })
  if (!suggestion) {
    const hint = 'suggestions.list lists the suggestions of the project.'
    throw notFound('suggestion', hint, procedureHint('suggestions.list'))
  }
  return { path: suggestion.filePath, ...suggestion.target }
}

/**
 * Restricts the given target to the target of the suggestion, because a test of another function must not count as the
 * suggested test.
 *
 * @throws AppError if the targets do not overlap
 */
function partOf(suggested: VerificationTarget, given: VerificationTarget): VerificationTarget {
  const isOther = given.symbol !== undefined && suggested.symbol !== undefined && given.symbol !== suggested.symbol
  if (given.path !== suggested.path || isOther) throw otherTarget()
  if (suggested.startLine === undefined) return given
  if (given.startLine === undefined) return suggested
  // The symbol may have moved since the suggestion.
  if (given.symbol !== undefined) return given
  const startLine = Math.max(given.startLine, suggested.startLine)
  const endLine = Math.min(given.endLine ?? given.startLine, suggested.endLine ?? suggested.startLine)
  if (startLine > endLine) throw otherTarget()
  return { ...suggested, startLine, endLine }
}

const otherTarget = () =>
  invalid('target: does not match the target of the suggestion. Omit either target or suggestionId.')

const maxDepth = 40
const maxNameBytes = 255

/** Requires a normalized path inside the repository. */
function requirePath(field: string, path: string): string {
  const names = path.split('/')
  const isPlain = names.every((name) => name !== '' && name !== '.' && name !== '..')
  if (!isPlain || /[\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(path) || names.length > maxDepth) {
    throw invalidField(field, 'must be a path inside the repository, relative to its root, such as tests/cart.test.ts')
  }
  // Also matches case-insensitive file systems and the short names of Windows.
  if (names.some((name) => /^(?:\.git|git~\d+)[ .]*$/i.test(name))) throw invalidField(field, 'must not be in .git')
  if (names.some((name) => Buffer.byteLength(name) > maxNameBytes)) {
    throw invalidField(field, `must not contain a name of more than ${maxNameBytes} bytes`)
  }
  if (names[0]?.startsWith('-')) {
    throw invalidField(field, 'must not begin with a hyphen, because test runners read it as an option')
  }
  return path
}

function requireText(field: string, text: string): void {
  if (text.includes('\0') || !text.isWellFormed()) {
    throw invalidField(field, 'contains a NUL character or invalid Unicode. Remove it.')
  }
}
