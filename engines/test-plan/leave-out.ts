import { reportLimits } from '../reports/report.ts'
import { type Exclusion, exclusions, unable } from './exclusions.ts'
import type { PlanPart, Step } from './plan.ts'
import { confined, inside, standsForTests, startOf } from './select.ts'
import type { SelectedTest } from './selectors.ts'

/** More arguments make the command line too long. */
const maxTests = 200
const maxLength = 8_000
/** What the options themselves may add to each test, and once. */
const perTest = 10
const perCommand = 100

/** A test that runs nevertheless. */
export interface KeptTest {
  test: SelectedTest
  /** A sentence. */
  because: string
}

export interface LeavingOut {
  /** The steps of the part, with the same targets. */
  step: Step
  unmeasured?: Step
  leftOut: SelectedTest[]
  kept: KeptTest[]
}

/**
 * Leaves tests out of all that a part runs, and no other tests with them. Keeps a test that the runner could not tell from
 * another one: most runners compare names alone, in all files. A new test that `known` does not contain, with the full
 * name of one that is left out, would be left out as well. Node before 22.1 and Go before 1.20 leave nothing out, and the
 * log of the run says so.
 *
 * @param known - every test that recent runs of the part reported, each once
 */
export function leaveOut(part: PlanPart, tests: readonly SelectedTest[], known: readonly SelectedTest[]): LeavingOut {
  const exclusion = exclusionOf(part)
  if (typeof exclusion === 'string') return unchanged(part, tests, exclusion)
  const leftOut: SelectedTest[] = []
  const kept: KeptTest[] = []
  const owners = ownersOf(exclusion, known)
  const remaining = remainingOf(exclusion, known)
  const words: string[] = []
  let length = perCommand
  for (const test of new Map(tests.map((test) => [identityOf(test), test])).values()) {
    const because = whyNot(test, { part, exclusion, owners }) ?? remaining.whyNot(test)
    if (because !== null) {
      kept.push({ test, because })
      continue
    }
    const word = exclusion.word(test)
    if (leftOut.length === maxTests || length + word.length + perTest > maxLength) {
      kept.push({ test, because: 'There are too many tests to leave out for one command line.' })
      continue
    }
    length += word.length + perTest
    remaining.remove(test)
    leftOut.push(test)
    words.push(word)
  }
  if (leftOut.length === 0) return { ...unchanged(part, [], ''), kept }
  const without = (step: Step) => stepWithout(step, part.targetCount ?? 0, exclusion, words, leftOut)
  return {
    step: without(part.test),
    ...(part.unmeasured && { unmeasured: without(part.unmeasured) }),
    leftOut,
    kept,
  }
}

function exclusionOf(part: PlanPart): Exclusion | string {
  const { framework, targetCount, test } = part
  const exclusion = framework === null ? undefined : exclusions[framework]
  if (!exclusion || targetCount === undefined) {
    const what = framework ?? 'the setting "testCommand"'
    return unable[framework ?? ''] ?? `Assay does not know how ${what} can leave out single tests.`
  }
  return exclusion.obstacle?.(test.argv.slice(startOf(test.argv))) ?? exclusion
}

function unchanged(part: PlanPart, tests: readonly SelectedTest[], because: string): LeavingOut {
  return {
    step: part.test,
    ...(part.unmeasured && { unmeasured: part.unmeasured }),
    leftOut: [],
    kept: tests.map((test) => ({ test, because })),
  }
}

type Owners = ReadonlyMap<string, string | null>

/** Finds the test that has a name, or null for several. */
function ownersOf({ key, keys }: Exclusion, known: readonly SelectedTest[]): Owners {
  const owners = new Map<string, string | null>()
  if (!key) return owners
  for (const test of known) {
    const names = keys ? keys(test) : [key(test)]
    if (names === null) return new Map()
    for (const name of new Set(names)) owners.set(name, owners.has(name) ? null : identityOf(test))
  }
  return owners
}

interface Circumstances {
  part: PlanPart
  exclusion: Exclusion
  owners: Owners
}

function whyNot(test: SelectedTest, { part, exclusion, owners }: Circumstances): string | null {
  const { directory, framework } = part
  if (standsForTests(test)) return 'It stands for a file or a run that failed outside of its tests.'
  if (test.file !== null && inside(directory, test.file).length === 0) return `It is not in ${directory}.`
  if (!isPassedOn(test) || exclusion.canName?.(test) === false) return `Assay cannot name it to ${framework} exactly.`
  if (!exclusion.key) return null
  const owner = owners.get(exclusion.key(test))
  if (owner === null) return `${framework} compares names alone, and could take another test for it.`
  return owner === identityOf(test) ? null : `No run reported it, so ${framework} could take another test for it.`
}

/** Whether the report and the command line leave the name as it is. */
function isPassedOn({ suite, name }: SelectedTest): boolean {
  const text = `${suite}\n${name}`
  const isWhole = suite.length < reportLimits.maxName && name.length < reportLimits.maxName
  return isWhole && text.isWellFormed() && !/[\0\uFFFD]|\{(?:root|output|deps|tools)\}/.test(text)
}

/** Counts the tests that would still run, of the whole run and of each suite. */
function remainingOf({ suites }: Exclusion, known: readonly SelectedTest[]) {
  const everything = ''
  const groupsOf = (test: SelectedTest) => [everything, ...(suites?.(test) ?? [])]
  const counts = new Map<string, number>()
  for (const group of known.flatMap(groupsOf)) counts.set(group, (counts.get(group) ?? 0) + 1)
  const identities = new Set(known.map(identityOf))
  return {
    whyNot(test: SelectedTest): string | null {
      const last = identities.has(identityOf(test))
        ? groupsOf(test).find((group) => counts.get(group) === 1)
        : undefined
      if (last === undefined) return null
      return last === everything
        ? 'It is the only test left, and a run without tests is an error.'
        : 'It is the only test left in its suite, which the runner would report as a test.'
    },
    remove(test: SelectedTest): void {
      if (!identities.has(identityOf(test))) return
      for (const group of groupsOf(test)) counts.set(group, (counts.get(group) ?? 0) - 1)
    },
  }
}

function stepWithout(
  step: Step,
  targetCount: number,
  { options, typed, environment, since }: Exclusion,
  words: readonly string[],
  leftOut: readonly SelectedTest[],
): Step {
  const targets = step.argv.slice(step.argv.length - targetCount)
  const because = `${step.because}, and some tests are left out`
  const made = confined(step, targetCount, { options: options(words), targets }, because)
  const argv = since ? guarded(made.argv, since) : made.argv
  const shown = typed ? confined(step, targetCount, { options: typed(leftOut), targets }, because) : made
  return { ...shown, argv, environment: { ...step.environment, ...environment?.(words, step.environment) } }
}

/** Removes the option where the program is too old for it. */
function guarded(argv: readonly string[], { option, probe, version }: NonNullable<Exclusion['since']>): string[] {
  const script = [
    `if ! ${probe}; then`,
    `  echo '# No test is left out: ${option} requires ${version}.' >&2`,
    `  for word do shift; case "$word" in ${option}=*) ;; *) set -- "$@" "$word" ;; esac; done`,
    'fi',
    'exec "$@"',
  ].join('\n')
  const at = startOf(argv)
  return [...argv.slice(0, at), 'sh', '-c', script, 'sh', ...argv.slice(at)]
}

function identityOf({ suite, name, file }: SelectedTest): string {
  return JSON.stringify([suite, name, file])
}
