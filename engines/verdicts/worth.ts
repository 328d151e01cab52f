import type { JudgedMutant, MutationOperator } from '../mutation/schema.ts'
import type { Facts, Judgement, JudgedRun, MutationFacts } from './facts.ts'
import { countRanges, parseRanges } from '../coverage/ranges.ts'

/** Of a test that passes whatever is done: whether it would notice if the code were wrong, and says what is new. */
export function judgeWorth(facts: Facts): Judgement {
  const { mutation, coverage, target } = facts
  const tried = mutation?.judged.filter(({ outcome }) => outcome !== 'invalid') ?? []
  if (mutation && tried.length > 0) return judgeMutants(facts, mutation, tried)
  if (target !== null && coverage?.targetLinesReached === '') {
    return noGain(
      'nothing_reached',
      `It passes but never runs a line of ${nameOf(target)}. Import and call the real code, not a copy or a mock of it.`,
    )
  }
  if (facts.style?.assertions === 0) return noAssertions(facts, null)
  if (mutation && target && mutation.passedBy > 0) {
    return noGain(
      'only_loaded',
      `It passes but only loads ${nameOf(target)}: it calls none of its functions. Call them and assert their results.`,
    )
  }
  if (isMutable(target?.path ?? facts.path) && mutation === null) {
    return target === null
      ? noGain(
          'no_target',
          'It passes, but the code that it tests is unknown: it seems to import no code of the project. Import that code, or name it with `target`.',
        )
      : noGain(
          'nothing_tried',
          `It passes, but no mutants of ${nameOf(target)} were tried, so nothing shows that it would notice a fault. Verify it with \`mutants\` above 0, on code that exists.`,
        )
  }
  return judgeCoverage(facts)
}

/** For languages that are not mutated, and for code in which there is nothing to change. */
function judgeCoverage({ coverage, target, style, mutation }: Facts): Judgement {
  if (coverage === null) {
    return noGain(
      'nothing_measured',
      'It passes each time, but nothing could be measured: the runner reports no coverage, and Assay makes no mutants in this language. A person has to judge it.',
    )
  }
  const isOfTarget = mutation !== null && target !== null
  const lines = isOfTarget ? countOf(coverage.newTargetLines) : coverage.newProjectLines
  const branches = isOfTarget ? coverage.newTargetBranches : coverage.newProjectBranches
  if (lines + branches === 0)
    return nothingNew("It covers no line and no branch that the project's own tests do not cover.")
  if (style === null) {
    return noGain(
      'assertions_unknown',
      `It reaches ${gained(lines, branches)}, but Assay cannot count assertions in this language. A person has to judge it.`,
    )
  }
  if (isAllWeak(style)) return asksTooLittle()
  return {
    verdict: 'accepted',
    reason: 'reaches_new_code',
    summary: `It passes each time, has ${counted(style.assertions, 'assertion')} and reaches ${gained(lines, branches)}. That code has nothing that Assay could mutate.`,
  }
}

function judgeMutants(facts: Facts, mutation: MutationFacts, tried: readonly JudgedRun[]): Judgement {
  const killed = tried.filter(({ outcome }) => outcome === 'killed')
  const survivors = tried.filter(({ outcome }) => outcome === 'survived').map(({ mutant }) => mutant)
  const broken = tried.length - killed.length - survivors.length
  if (mutation.noticesText) {
    return noGain(
      'notices_the_text',
      'It fails when only a space and a comment are added to the code: it checks the text or the files of the code, not its behavior. Call the code and assert its results.',
    )
  }
  // A failure that no assertion in the text can have made is none of its own.
  if (facts.style?.assertions === 0) return noAssertions(facts, tried.length)
  if (killed.length === 0) return noticesNothing(facts, tried, survivors, broken)
  if (saysTooLittle(killed, tried, facts.style)) {
    const others = tried.length - killed.length
    return noGain(
      'says_too_little',
      `It notices only a missing result, or a completely different one${others > 0 ? `, and none of ${counted(others, 'other change')} of ${whatItRuns(facts)}` : ''}. ${others > 0 ? adviceOn(survivors) : 'Assert the result of the call, not that a mock was called.'}`.trimEnd(),
    )
  }
  if (isAllWeak(facts.style)) return asksTooLittle()
  const { coverage } = facts
  const lines = coverage?.newProjectLines ?? 0
  const branches = Math.max(coverage?.newProjectBranches ?? 0, coverage?.newTargetBranches ?? 0)
  const isNew = lines + branches > 0 || (mutation.newlyKilled ?? 0) > 0
  const noticed = `It fails by its own assertions on ${killed.length} of ${counted(tried.length, 'small change')} of ${whatItRuns(facts)}`
  if (!isNew) {
    return nothingNew(
      `${noticed}, all of which the project's own tests notice too, and reaches nothing that they do not reach.`,
    )
  }
  const what =
    lines + branches > 0 ? `reaches ${gained(lines, branches)}` : "some of which the project's own tests let pass"
  return {
    verdict: 'accepted',
    reason: 'kills_mutants',
    summary: `${noticed}${lines + branches > 0 ? ', and ' : ', '}${what}.${survivors.length > 0 ? ` It could still say more. ${adviceOn(survivors)}` : ''}`,
  }
}

/** Whatever looks at a result at all notices when there is none, or quite another; so does a mock that is not called. */
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
    'It passes, but it only asserts that a value exists, has a type, that nothing is thrown, or that a mock was called. Assert the exact values that the code returns or changes.',
  )

function noticesNothing(
  facts: Facts,
  tried: readonly JudgedRun[],
  survivors: readonly JudgedMutant[],
  broken: number,
): Judgement {
  const only =
    broken > 0
      ? ` ${broken} of them made it throw or not end: it shows that something is wrong, but no assertion says what.`
      : ''
  return noGain(
    'no_assertion_noticed',
    `It passes, but none of its assertions noticed any of ${counted(tried.length, 'small change')} of ${whatItRuns(facts)}.${only} ${adviceOn(survivors)}`.trimEnd(),
  )
}

function noAssertions(facts: Facts, tried: number | null): Judgement {
  const seen =
    tried === null
      ? ''
      : ` ${counted(tried, 'small change')} of ${whatItRuns(facts)} were tried, and it has no assertion that could notice one.`
  return noGain(
    'no_assertions',
    `It passes but asserts nothing.${seen} Assert the exact values that the code returns or changes.`,
  )
}

function nothingNew(seen: string): Judgement {
  return noGain('nothing_new', `${seen} Test what they do not cover: other branches, boundaries, errors.`)
}

const advice: Record<MutationOperator, string> = {
  condition: 'assert what happens when that condition holds, and when it does not',
  boundary: 'assert what happens exactly at that boundary',
  return: 'assert the value that is returned, not only that there is one',
  arithmetic: 'assert the exact result',
  removed_call: 'assert what that call does',
}

const shownSurvivors = 3

/** "In line 4 of src/cart.js, It does not notice `a <= b` in place of `a < b`: assert …" */
function adviceOn(survivors: readonly JudgedMutant[]): string {
  const shown = survivors.slice(0, shownSurvivors).map(({ path, line, operator, original, replacement }) => {
    const change =
      replacement.trim() === ''
        ? `the removal of ${code(original)}`
        : `${code(replacement)} in place of ${code(original)}`
    return `It does not notice ${change} in line ${line} of ${path}: ${advice[operator]}.`
  })
  const more = survivors.length - shown.length
  return [...shown, ...(more > 0 ? [`The evidence lists ${more} more.`] : [])].join(' ')
}

const maxCodeLength = 80

function code(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return `\`${line.length > maxCodeLength ? `${line.slice(0, maxCodeLength)}…` : line}\``
}

function gained(lines: number, branches: number): string {
  const parts = [lines > 0 ? counted(lines, 'line') : '', branches > 0 ? counted(branches, 'branch') : '']
  return `${parts.filter((part) => part !== '').join(' and ')} that no test reached before`
}

function counted(count: number, what: string): string {
  const plural = what.endsWith('ch') ? `${what}es` : `${what}s`
  return `${count} ${count === 1 ? what : plural}`
}

function countOf(ranges: string): number {
  return countRanges(parseRanges(ranges))
}

const nameOf = ({ path, symbol }: NonNullable<Facts['target']>) => (symbol ? `${symbol} in ${path}` : path)

/** What the mutants are of. */
function whatItRuns({ coverage, target }: Facts): string {
  return coverage === null && target !== null
    ? `${target.path} (which of its lines it runs was not measured)`
    : 'what it runs'
}

/** Of the languages that mutation knows, nothing is accepted that no mutant was tried against, if there could be one. */
const isMutable = (path: string) => /\.(?:[cm]?[jt]sx?|py|go)$/.test(path)

function noGain(reason: string, summary: string): Judgement {
  return { verdict: 'no_gain', reason, summary }
}
