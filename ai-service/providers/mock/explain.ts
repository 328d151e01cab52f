import { describeCase } from '../../repository/case-words.ts'
import type { Candidate, Facts } from '../../repository/facts.ts'
import { marked } from './marker.ts'
import { type Plan, type PlannedTest, linesOf } from './plan.ts'
import { isSafePath, oneLine } from '../../repository/safe-text.ts'
import type { Target, Targets } from './targets.ts'

const typeNames = { unit: 'Unit test', integration: 'Integration test', e2e: 'End-to-end test' }

/** `2 files`, `1 file`. */
const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

const nameOf = ({ target, title }: PlannedTest) =>
  target.candidate?.symbol === 'default' ? title : oneLine(target.candidate?.symbol ?? target.path, 200)

/**
 * Describes the test by its cases, or says which lines no test runs. Where neither is known it only names the subject. The
 * location of the subject is a separate field.
 */
export function describe(test: PlannedTest): string {
  const { candidate } = test.target
  const subject = candidate ? ` for ${nameOf(test)}${entryOf(candidate)}` : ` for ${oneLine(test.target.path, 300)}`
  const known = whatIsOpen(test)
  return marked(`${typeNames[test.testType]}${subject}${known === '' ? '' : `: ${known}`}.`)
}

const entryOf = ({ through }: Candidate) => (through ? ` through ${oneLine(through.symbol, 200)}` : '')

/** What was measured comes before what was read from the source. */
const whatIsOpen = (test: PlannedTest): string =>
  [unnoticed(test.target.candidate), whatDoesNotRun(test)].filter((text) => text !== '').join('; ')

function whatDoesNotRun({ target, cases, moreCases }: PlannedTest): string {
  if (cases.length > 0) {
    const more = moreCases === 0 ? [] : [`${target.candidate?.hasUncountedCases ? 'at least ' : ''}${moreCases} more`]
    return [...cases.map((one) => describeCase(one, target.path)), ...more].join('; ')
  }
  const ranges = (target.candidate?.uncovered ?? []).map(({ startLine, endLine }) =>
    endLine > startLine ? `${startLine}-${endLine}` : String(startLine),
  )
  if (ranges.length === 0) return ''
  const more = ranges.length > maxRanges ? ` and ${ranges.length - maxRanges} more` : ''
  return `no test runs lines ${ranges.slice(0, maxRanges).join(', ')}${more}`
}

const maxRanges = 8
const shownChanges = 3

/** What a test of code that tests run already should notice. */
function unnoticed(candidate: Candidate | undefined): string {
  const survivors = candidate?.strength?.survivors ?? []
  const shown = survivors.slice(0, shownChanges).map(({ line, original, replacement }) => {
    const code = (text: string) => `\`${oneLine(text, 120).replaceAll('`', "'")}\``
    return `line ${line}: ${['', ';', 'pass'].includes(replacement.trim()) ? `${code(original)} removed` : `${code(replacement)} for ${code(original)}`}`
  })
  return shown.length === 0 ? '' : `no test noticed these changes: ${shown.join('; ')}`
}

/**
 * Explains why the test is worth writing, with the reasons of the analysis, and where to put it if there is no brief that
 * says so.
 *
 * @param isRemainder - true if the ranking omits earlier suggestions
 */
export function justify(test: PlannedTest, targets: Targets, isRemainder: boolean): string {
  const { candidate, file, rank } = test.target
  const why = candidate
    ? `Rank ${rank} of ${isRemainder ? `the ${targets.total} left` : targets.total}: ${reasonsOf(candidate)}.${closestTestOf(test)}`
    : `A guess, ${rank} of ${targets.total}: ${describeFile(file)}.`
  const where = candidate?.brief ? '' : ` ${frameworkNote(test)}`
  return marked(`${why}${where}`)
}

function describeFile(file: Target['file']): string {
  const size = file && file.size > 0 ? `${counted(file.size, 'byte')}, ` : ''
  return size + (file?.hasTestOfItsName ? 'a test has the same name' : 'no test has the same name')
}

function closestTestOf({ target, testPath }: PlannedTest): string {
  const closest = target.candidate?.nearestTests[0]
  const isKnown = target.candidate?.brief?.nearestTest !== undefined
  const isHidden = closest === undefined || isKnown || closest === testPath || !isSafePath(closest)
  return isHidden ? '' : ` Closest test: ${closest}.`
}

const maxReasons = 8

function reasonsOf(candidate: Candidate): string {
  const given = candidate.reasons.map((reason) => oneLine(reason, 200)).filter((reason) => reason !== '')
  if (given.length > 0) return given.slice(0, maxReasons).join(', ')
  const facts = [
    ...(candidate.complexity === undefined ? [] : [`complexity ${candidate.complexity}`]),
    ...(typeof candidate.churn === 'number' ? [`changed in ${counted(candidate.churn, 'commit')}`] : []),
    ...(candidate.fanIn === undefined ? [] : [`imported by ${counted(candidate.fanIn, 'file')}`]),
    ...(candidate.hasTest === undefined ? [] : [candidate.hasTest ? 'has a test' : 'has no test']),
  ]
  return facts.length > 0 ? facts.join(', ') : 'the analysis gives no reasons'
}

function frameworkNote({ target, framework, frameworkKnown, testPath, testFileExists }: PlannedTest): string {
  if (framework === 'outline') return 'Outline only.'
  const place =
    testPath === target.path ? 'Add to the same file' : `${testFileExists ? 'Add to' : 'Create'} ${testPath}`
  return `${place} (${framework}${frameworkKnown ? '' : ', a guess'}).`
}

/** Summarizes the candidates and the suggestions. */
export function summarize({ tests, targets }: Plan, facts: Facts): string {
  const source =
    targets.from === 'candidates'
      ? `from ${counted(targets.total, 'ranked candidate')}`
      : `guessed from ${counted(targets.total, 'source file')}, because the analysis has no ranking`
  const languages = facts.languages.slice(0, 3).map(([name, files]) => `${oneLine(name, 50)} ${files}`)
  const scope = `${counted(facts.totalFiles, 'file')}${languages.length > 0 ? ` (${languages.join(', ')})` : ''}`
  const commit = facts.commitSha === undefined ? '' : ` at commit ${oneLine(facts.commitSha.slice(0, 12), 12)}`
  const types = (['unit', 'integration', 'e2e'] as const)
    .map((type) => [type, tests.filter((test) => test.testType === type).length] as const)
    .filter(([, count]) => count > 0)
    .map(([type, count]) => `${count} ${type}`)
  const kinds = types.length > 0 ? `: ${types.join(', ')}` : ''
  return marked(`${counted(tests.length, 'suggestion')} ${source} in ${scope}${commit}${kinds}.`)
}

/** Describes the coverage of a generated test. */
export const coverageOf = (test: PlannedTest) =>
  marked(
    test.target.candidate
      ? `${nameOf(test)} in ${test.target.path}${linesOf(test.target)}, once completed`
      : `${test.target.path}, once completed`,
  )
