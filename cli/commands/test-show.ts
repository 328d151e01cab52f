import type { Command } from 'commander'
import { inWordsOf } from '../../client/procedure-names.ts'
import type { TestDetail } from '../../core/tests/schema.ts'
import { openContext } from '../context.ts'
import { exitCodes } from '../failure.ts'
import { findTest, findTestId, severalMatch, testWords } from '../find-test.ts'
import {
  healthPart,
  milliseconds,
  percent,
  quarantineInWords,
  stripLegend,
  stripOf,
  testNameOf,
  variantName,
} from '../health-words.ts'
import { addProjectOption, type ProjectOptions } from '../options.ts'
import { bold, dim, type Output, yellow } from '../output.ts'
import { quoted, resolveProject, shown } from '../project.ts'
import { counted, pageLine } from '../words.ts'
import { writeTests } from '../test-rows.ts'

interface ShowOptions extends ProjectOptions {
  variant?: string
}

export function addTestShow(tests: Command): void {
  addProjectOption(
    tests
      .command('show')
      .description('show the health of a test: why, since when, its errors, and what to do')
      .argument('<test>', testWords)
      .option('--variant <variant>', 'one of the variants of the test (default: the one with the worst health)'),
  ).action(showTest)
  addProjectOption(
    tests
      .command('merge')
      .description('join the history of a renamed test with that of its new name')
      .argument('<from>', 'the test under its earlier name')
      .argument('<into>', 'the test under its new name'),
  ).action(mergeTests)
}

async function showTest(wanted: string, _options: unknown, command: Command): Promise<void> {
  const context = openContext(command)
  const { core, out, exitWith } = context
  const { project, variant } = command.optsWithGlobals<ShowOptions>()
  const client = await core()
  const { id: projectId } = await resolveProject(client, project, context)
  const found = await findTest(client, projectId, wanted)
  if ('several' in found) {
    const { several } = found
    out.answer({ tests: several }, () => writeTests(out, several))
    out.warn(`${severalMatch(wanted, several)} Name one by its id or its full name.`)
    return exitWith(exitCodes.wrongUsage)
  }
  const detail = await client.tests.get.query({ projectId, testId: found.testId, variant })
  out.answer(detail, () => writeTest(out, detail, variant !== undefined))
}

async function mergeTests(from: string, into: string, _options: unknown, command: Command): Promise<void> {
  const context = openContext(command)
  const { core, out } = context
  const client = await core()
  const { id: projectId } = await resolveProject(client, command.optsWithGlobals<ProjectOptions>().project, context)
  const [fromId, intoId] = [await findTestId(client, projectId, from), await findTestId(client, projectId, into)]
  const detail = await client.tests.merge.mutate({ projectId, from: fromId, into: intoId })
  out.answer(detail, () => {
    out.line(`Merged into ${testNameOf(detail)}. Assay judges it anew within seconds.`)
    out.hint(`Run \`assay tests show ${intoId}\` to see it.`)
  })
}

const maxErrors = 5

function writeTest(out: Output, test: TestDetail, isChosen: boolean): void {
  const { health, testId, file, reason, since, quarantine, variants, strip } = test
  out.line(healthPart(health), '  ', bold(testNameOf(test)), file === null ? '' : `  ${file}`)
  out.facts([
    ['Why', reason],
    [
      'Since',
      since && [since.commit?.slice(0, 12), since.at, since.runId && `run ${since.runId}`].filter(Boolean).join(', '),
    ],
    ['Quarantine', quarantine && `${quarantineInWords(quarantine)} (${quarantine.id})`],
    ...quarantineFacts(test),
    ['Owners', test.owners.length > 0 ? test.owners.join(' ') : null],
    ['Failures', failuresOf(test)],
    ['Impact', test.failures > 0 ? `${test.impact}` : null],
    ['Failure rate', test.failureRate > 0 ? `${percent(test.failureRate)} on the default branch` : null],
    ['Duration', durationOf(test)],
    ['Variant', variants.length > 1 ? variantFact(test, isChosen) : null],
    ['Merged from', test.mergedFrom.length > 0 ? test.mergedFrom.map(testNameOf).join(', ') : null],
    ['Id', testId],
  ])
  if (strip.length > 0) {
    out.line(dim('Latest results, oldest first: '), stripOf(strip))
    out.line(dim(`  ${stripLegend}`))
  }
  for (const { message, results, latestRunId } of test.errors.slice(0, maxErrors)) {
    const [line = ''] = (message ?? '(no message)').trim().split('\n')
    out.line(yellow(`${results} ×`), `  ${shown(line)}  `, dim(`run ${latestRunId}`))
  }
  for (const { at, beforeMs, afterMs, ratio } of test.steps) {
    const direction = ratio > 1 ? 'Slower' : 'Faster'
    out.line(`${direction} since ${at.slice(0, 10)}: ${milliseconds(beforeMs)} -> ${milliseconds(afterMs)}`)
  }
  for (const earlier of test.renamedFrom) {
    out.line(
      `Probably renamed from ${testNameOf(earlier)}. Join the histories: `,
      bold(`assay tests merge ${earlier.testId} ${testId}`),
    )
  }
  out.line(bold('Next'), `  ${inWordsOf('commands', test.advice)}`)
  if (test.rerunCommand !== null) out.line('Run it locally: ', bold(test.rerunCommand))
  if (health === 'flaky' && !quarantine) {
    out.hint(`Request quarantine: \`assay quarantine request ${testId} --reason ${quoted('why')}\``)
  }
  out.line(dim(pageLine(test.url)))
}

function quarantineFacts({ quarantine, quarantines }: TestDetail): [string, string | null][] {
  const current = quarantines.find(({ id }) => id === quarantine?.id)
  if (!current) return []
  return [
    ['  reason', current.reason],
    ['  owner', current.owner],
    ['  issue', current.issueUrl],
  ]
}

const maxVariants = 10

/** @param isChosen - by the user */
function variantFact({ variant, variants, variantCount }: TestDetail, isChosen: boolean): string {
  const others = variants.filter((other) => other !== variant).slice(0, maxVariants)
  const names = others.map((other) => (other === '' ? `${variantName(other)} ('')` : other)).join(', ')
  return `${variantName(variant)}${isChosen ? '' : ', which has the worst health'}. --variant shows another one: ${names}${variantCount > others.length + 1 ? `, and ${variantCount - others.length - 1} more` : ''}`
}

function failuresOf({ failures, blockedRuns, blockedPeople }: TestDetail): string {
  if (failures === 0) return 'none in the last 30 days'
  const people = blockedPeople === 1 ? '1 person' : `${blockedPeople} people`
  return `${failures} in 30 days, in ${counted(blockedRuns, 'failed run')} of ${people}`
}

function durationOf({ p50Ms, p95Ms }: TestDetail): string | null {
  const [median, high] = [milliseconds(p50Ms), milliseconds(p95Ms)]
  return median === null ? null : `${median} median${high === null ? '' : `, ${high} at the 95th percentile`}`
}
