import { adviceOn as assertionFor } from '../mutation/advice.ts'
import type { JudgedMutant } from '../mutation/schema.ts'
import type { Facts, Judgement, JudgedRun, MutationFacts } from './facts.ts'
import { mutantsInWords, mutationResult } from './mutation-result.ts'
import { countRanges, includesLine, parseRanges } from '../coverage/ranges.ts'
import { newLinesOf } from './coverage-gain.ts'

/** Judges a test that always passes: whether it would detect wrong code, and whether it adds to the existing tests. */
export function judgeWorth(facts: Facts): Judgement {
  const { mutation, coverage, target } = facts
  const tried = mutation?.judged.filter(({ outcome }) => outcome !== 'invalid') ?? []
  if (facts.extendsCommitted && addsNothing(facts)) return nothingNew(nothingAdded(facts))
  if (mutation && tried.length > 0) return judgeMutants(facts, mutation, tried)
  if (target !== null && coverage?.targetLinesReached === '') {
    return noGain(
      'nothing_reached',
      `The test passes but never runs a line of ${nameOf(target)}. Import and call the real code, not a copy or a mock of it.`,
    )
  }
  if (facts.style?.assertions === 0) return noAssertions(facts, null)
  if (mutation && target && mutation.passedBy > 0) {
    return noGain(
      'only_loaded',
      `The test passes but only loads ${nameOf(target)}, without calling its functions. Call them and assert their results.`,
    )
  }
  if (isMutable(target?.path ?? facts.path) && mutation === null) {
    return target === null
      ? noGain(
          'no_target',
          'The test passes, but the code that it tests is unknown, because it seems to import no code of the project. Import that code, or name it with `target`.',
        )
      : noGain(
          'nothing_tried',
          `The test passes, but no mutants of ${nameOf(target)} were tried, so nothing shows that it detects faults. Verify it with \`mutants\` above 0, on code that exists.`,
        )
  }
  return judgeCoverage(facts)
}

/** Judges tests of languages without mutants, and of code that has none. */
function judgeCoverage(facts: Facts): Judgement {
  const { coverage, target, style, mutation, extendsCommitted } = facts
  if (coverage === null) {
    return noGain(
      'nothing_measured',
      'The test passes in every run, but Assay could not measure its value: the runner reports no coverage, and Assay has no mutants for this language. A person must review it.',
    )
  }
  const isOfTarget = mutation !== null && target !== null
  const lines = isOfTarget ? countOf(coverage.newTargetLines) : coverage.newProjectLines
  const branches = isOfTarget ? coverage.newTargetBranches : coverage.newProjectBranches
  if (lines + branches === 0)
    return nothingNew("The test covers no line and no branch that the project's own tests do not cover.")
  if (style === null) {
    return noGain(
      'assertions_unknown',
      `The test covers ${gained(facts, lines, branches)}, but Assay cannot count assertions in this language. A person must review it.`,
    )
  }
  if (isAllWeak(style)) return asksTooLittle()
  const survivors = survivorsOf(mutation?.judged ?? [])
  return {
    verdict: 'accepted',
    reason: 'reaches_new_code',
    summary: `The test passes in every run, ${extendsCommitted ? 'adds' : 'has'} ${counted(style.assertions, 'assertion')} and covers ${gained(facts, lines, branches)}.${survivors.length > 0 ? couldDetect(facts, survivors) : ' Assay has no mutants for that code.'}`,
  }
}

function judgeMutants(facts: Facts, mutation: MutationFacts, tried: readonly JudgedRun[]): Judgement {
  const killed = tried.filter(({ outcome }) => outcome === 'killed')
  const survivors = survivorsOf([...tried, ...(mutation.beside ?? [])])
  const broken = tried.filter(({ outcome }) => outcome === 'crashed' || outcome === 'timed_out').length
  if (mutation.noticesText) {
    return noGain(
      'notices_the_text',
      'The test fails when only a space and a comment are added to the code, so it checks the text or the files of the code, not its behavior. Call the code and assert its results.',
    )
  }
  // Without assertions in its text, the test cannot have detected a mutant itself.
  // A changed assertion adds none, but detects mutants that the committed version does not.
  const isChanged = facts.extendsCommitted && killed.length > 0
  if (facts.style?.assertions === 0 && !isChanged) return noAssertions(facts, mutation)
  if (killed.length === 0 && addsCodeWithoutMutants(facts, mutation)) return judgeCoverage(facts)
  if (killed.length === 0) return noticesNothing(facts, mutation, survivors, broken)
  if (saysTooLittle(killed, tried, facts.style)) {
    const others = tried.length - killed.length
    return noGain(
      'says_too_little',
      `The test detects only a missing result or a completely different one${others > 0 ? `, and none of ${counted(others, 'other mutant')} of ${whatItRuns(facts)}` : ''} (${countsOf(mutation)}).${unmeasured(facts)} ${others > 0 ? adviceOn(survivors) : 'Assert the result of the call, not that a mock was called.'}`.trimEnd(),
    )
  }
  if (isAllWeak(facts.style)) return asksTooLittle()
  const { coverage } = facts
  const lines = coverage?.newProjectLines ?? 0
  const branches = Math.max(coverage?.newProjectBranches ?? 0, coverage?.newTargetBranches ?? 0)
  const isNew = lines + branches > 0 || (mutation.newlyKilled ?? 0) > 0
  const detected = `${facts.extendsCommitted ? 'What the test adds to the committed file detects' : 'The assertions of the test detect'} ${killed.length} of ${triedOf(facts, mutation)}`
  if (!isNew) {
    return nothingNew(
      `${detected}, but the project's own tests detect ${comparedOf(mutation, killed.length)}${coverage === null ? `. ${coverageUnknown}` : ', and cover the same code.'}`,
    )
  }
  const gain =
    lines + branches > 0
      ? `. It covers ${gained(facts, lines, branches)}`
      : ", including mutants that the project's own tests do not detect"
  return {
    verdict: 'accepted',
    reason: 'kills_mutants',
    summary: `${detected}${gain}.${unmeasured(facts)}${couldDetect(facts, survivors)}`,
  }
}

/** Says only what was compared. */
const comparedOf = ({ compared }: MutationFacts, killed: number) =>
  compared !== undefined && compared < killed
    ? `all ${compared} of these that Assay tried with them`
    : 'all of these too'

const survivorsOf = (tried: readonly JudgedRun[]) =>
  tried.filter(({ outcome }) => outcome === 'survived').map(({ mutant }) => mutant)

/**
 * Whether the change of a committed file covers only new branches of covered lines, and new lines without mutants. The
 * committed version already detects most mutants of such branches, so none may be left that the change could detect.
 */
function addsCodeWithoutMutants({ extendsCommitted, coverage }: Facts, { inNewLines, judged }: MutationFacts): boolean {
  if (!extendsCommitted || coverage === null) return false
  const added = parseRanges(coverage.newTargetLines)
  const invalid = judged.filter(({ mutant, outcome }) => outcome === 'invalid' && includesLine(added, mutant.line))
  return countRanges(newLinesOf(coverage)) > 0 && inNewLines === invalid.length
}

/**
 * Whether the test killed only mutants that remove or replace a whole result. Any look at the result detects these, and
 * so does a mock that is no longer called.
 */
function saysTooLittle(killed: readonly JudgedRun[], tried: readonly JudgedRun[], style: Facts['style']): boolean {
  const others = tried.filter(({ mutant }) => mutant.operator !== 'return')
  const isOfMocks = style !== null && style.mocks > 0 && style.mocks >= style.assertions
  return (
    killed.every(({ mutant }) => mutant.operator === 'return') &&
    (others.length > 0 ? others.some(({ outcome }) => outcome === 'survived') : isOfMocks)
  )
}

const isAllWeak = (style: Facts['style']): boolean =>
  style !== null && style.assertions > 0 && style.weakAssertions >= style.assertions

const asksTooLittle = () =>
  noGain(
    'says_too_little',
    'The test passes, but its assertions only check that a value exists or has a type, that nothing is thrown, or that a mock was called. Assert the exact values that the code returns or changes.',
  )

function noticesNothing(
  facts: Facts,
  mutation: MutationFacts,
  survivors: readonly JudgedMutant[],
  broken: number,
): Judgement {
  const only = broken > 0 ? ` ${broken} of them made it throw or time out, but no assertion says what is wrong.` : ''
  return noGain(
    'no_assertion_noticed',
    `The test passes, but its assertions detected none of ${triedOf(facts, mutation)}.${unmeasured(facts)}${only} ${adviceOn(survivors)}`.trimEnd(),
  )
}

function noAssertions(facts: Facts, mutation: MutationFacts | null): Judgement {
  const seen =
    mutation === null
      ? ''
      : ` Assay tried ${triedOf(facts, mutation)}, which only assertions can detect.${unmeasured(facts)}`
  return noGain(
    'no_assertions',
    `The test passes but ${facts.extendsCommitted ? `adds no assertion to the ${facts.path} of the commit` : 'asserts nothing'}.${seen} Assert the exact values that the code returns or changes.`,
  )
}

function nothingNew(seen: string): Judgement {
  return noGain('nothing_new', `${seen} Test what those tests do not cover: other branches, boundaries, errors.`)
}

const shownSurvivors = 3

/** "It does not detect `a <= b` in place of `a < b` in line 4 of src/cart.js. Assert …" */
export function adviceOn(survivors: readonly JudgedMutant[], who = 'It does not detect'): string {
  const shown = survivors.slice(0, shownSurvivors).map((mutant) => {
    const { path, line, operator, original, replacement } = mutant
    const change =
      replacement.trim() === '' || operator.startsWith('removed_')
        ? `the removal of ${code(original)}`
        : `${code(replacement)} in place of ${code(original)}`
    return `${who} ${change} in line ${line} of ${path}. ${withShortCode(assertionFor(mutant))}`
  })
  return [...shown, moreOf(survivors.length - shown.length)].filter((part) => part !== '').join(' ')
}

const maxQuotedLength = 40

/** Shortens the code in a sentence that follows the same code. */
const withShortCode = (sentence: string) =>
  sentence
    .split('`')
    .map((part, index) => (index % 2 === 1 ? excerpt(part, maxQuotedLength) : part))
    .join('`')

const moreOf = (count: number) => (count > 0 ? `The evidence lists ${count} more.` : '')

/**
 * Says what an accepted test could detect in addition. The other tests were not tried against these mutants, so only
 * lines that none of them covers are certain to need another assertion.
 */
function couldDetect({ coverage, target }: Facts, survivors: readonly JudgedMutant[]): string {
  if (survivors.length === 0) return ''
  const added = parseRanges(coverage?.newTargetLines ?? '')
  const alone = survivors.filter(({ path, line }) => path === target?.path && includesLine(added, line))
  if (alone.length === 0) {
    const others = survivors.length === 1 ? 'it' : 'these'
    return ` ${adviceOn(survivors, 'This test alone does not detect')} Other tests may detect ${others}.`
  }
  const shown = alone.slice(0, shownSurvivors)
  const more = moreOf(survivors.length - shown.length)
  return ` It could detect more. ${adviceOn(shown)}${more === '' ? '' : ` ${more}`}`
}

const maxCodeLength = 80

const code = (text: string) => `\`${excerpt(text.replace(/\s+/g, ' ').trim(), maxCodeLength)}\``

const excerpt = (text: string, max: number) => (text.length > max ? `${text.slice(0, max)}…` : text)

function gained({ extendsCommitted }: Facts, lines: number, branches: number): string {
  const parts = [lines > 0 ? counted(lines, 'line') : '', branches > 0 ? counted(branches, 'branch') : '']
  const others = extendsCommitted ? 'no test of the commit' : 'no other test'
  return `${parts.filter((part) => part !== '').join(' and ')} that ${others} covers`
}

export function counted(count: number, what: string): string {
  const plural = what.endsWith('ch') || what.endsWith('s') ? `${what}es` : `${what}s`
  return `${count} ${count === 1 ? what : plural}`
}

function countOf(ranges: string): number {
  return countRanges(parseRanges(ranges))
}

const nameOf = ({ path, symbol }: NonNullable<Facts['target']>) => (symbol ? `${symbol} in ${path}` : path)

/** Whether a test that changes a committed file neither covers nor detects more than the tests of the commit. */
function addsNothing({ coverage, mutation }: Facts): boolean {
  const { newProjectLines = 0, newProjectBranches = 0, newTargetBranches = 0 } = coverage ?? {}
  const isMeasured = coverage !== null || mutation !== null
  const hasKilled = mutation?.judged.some(({ outcome }) => outcome === 'killed') ?? false
  return isMeasured && newProjectLines + newProjectBranches + newTargetBranches === 0 && !hasKilled
}

/** Says only what was measured. */
function nothingAdded({ coverage, mutation, path }: Facts): string {
  const covers = coverage === null ? null : { now: 'covers no line and no branch', before: 'cover' }
  const detects = mutation === null ? null : { now: 'detects no mutant', before: 'detect' }
  const found = [covers, detects].filter((part) => part !== null)
  const [now, before] = [found.map((part) => part.now).join(' and '), found.map((part) => part.before).join(' or ')]
  const seen = `The test passes, but it ${now} that the tests of the commit, including its own version of ${path}, do not ${before}.`
  return coverage === null ? `${seen} ${coverageUnknown}` : seen
}

const coverageUnknown = 'Assay could not measure what it covers.'

const unmeasured = ({ coverage }: Facts) => (coverage === null ? ` ${coverageUnknown}` : '')

/** "20 mutants of the code that it runs (20 of 107 tried: 12 noticed, 8 survived)" */
const triedOf = (facts: Facts, mutation: MutationFacts) =>
  `${counted(mutation.judged.length, 'mutant')} of ${whatItRuns(facts)} (${countsOf(mutation)})`

const countsOf = (mutation: MutationFacts) =>
  `${mutation.beside ? 'of all code that it runs, ' : ''}${mutantsInWords(mutationResult(mutation))}`

/** Names the code that was mutated. */
function whatItRuns({ coverage, mutation, target, extendsCommitted }: Facts): string {
  if (extendsCommitted && coverage && countRanges(newLinesOf(coverage)) > 0) {
    const added = parseRanges(coverage.newTargetLines)
    const isAdded = mutation?.judged.every(({ mutant }) => includesLine(added, mutant.line)) ?? false
    return isAdded ? 'the code that only it runs' : 'the lines where only it runs the code or a branch'
  }
  if (mutation?.beside && target !== null) return nameOf(target)
  return coverage === null && target !== null ? nameOf(target) : 'the code that it runs'
}

/** Whether Assay has mutants for the language. Tests of such code are accepted only if they detect a mutant. */
export const isMutable = (path: string) => /\.(?:[cm]?[jt]sx?|py|go)$/.test(path)

function noGain(reason: string, summary: string): Judgement {
  return { verdict: 'no_gain', reason, summary }
}
