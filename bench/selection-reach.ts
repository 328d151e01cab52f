/**
 * Measures the strength of public repositories with the product, plants mutants, and compares the tests that break with
 * those that are selected without and with what the measurement has seen. Arguments: a folder with checkouts named
 * `owner+name`, in which dependencies are installed; names separated by commas; mutants of each repository; minutes for
 * each repository; how many commits older than the tip the measured commit is. Outcomes are kept in the folder, so that a
 * second call compares them again without running tests.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { printTable } from './report.ts'
import { type Comparison, comparisonOf } from './selection/compare.ts'
import { repositories as replayed } from './selection/repositories.ts'
import { TestRuns } from './selection/run-tests.ts'
import { Selector } from './selection/selector.ts'
import { makeSubject } from './selection-reach/make-subject.ts'
import { measureSubjects, readMeasured, type Wanted } from './selection-reach/measure.ts'
import { plantMutants } from './selection-reach/plant-mutants.ts'
import { repositories } from './selection-reach/repositories.ts'

const [folder = '.', only = '', mutants = '12', minutes = '0', behind = '0'] = process.argv.slice(2)
const maxMs = 60_000
const subjects = resolve(folder, `reach-${behind}`)
mkdirSync(subjects, { recursive: true })

interface Figures {
  cases: number
  impossible: number
  red: number
  redFound: number
  failing: number
  found: number
  files: number
  selected: number
}

const none = (): Figures => ({
  cases: 0,
  impossible: 0,
  red: 0,
  redFound: 0,
  failing: 0,
  found: 0,
  files: 0,
  selected: 0,
})

const chosen: Wanted[] = []
for (const repository of repositories.filter(({ name }) => only === '' || only.split(',').includes(name))) {
  const directory = repository.name.replace('/', '+')
  const from = resolve(folder, directory)
  if (!existsSync(from)) {
    console.log(`${repository.name}: no checkout in ${folder}`)
    continue
  }
  const tip = replayed.find(({ name }) => name === repository.name)?.tip ?? 'origin/HEAD'
  const to = resolve(subjects, directory)
  const kept = resolve(subjects, 'outcomes', directory)
  mkdirSync(kept, { recursive: true })
  chosen.push({ repository, kept, subject: makeSubject(repository, { from, to, tip, behind: Number(behind) }) })
}
if (Number(minutes) > 0) await measureSubjects(chosen.filter((one) => readMeasured(one) === undefined))

const rows: (string | number)[][] = []
const misses: string[] = []
const total = { without: none(), with: none() }
for (const wanted of chosen) {
  const { repository, subject, kept } = wanted
  const { name, runner, settings } = repository
  const measured = readMeasured(wanted)
  if (!measured) {
    console.log(`${name}: not measured`)
    continue
  }
  const complete = measured.tests.filter(({ isComplete }) => isComplete).length
  console.log(`${name}: ${complete} of ${measured.tests.length} test files are complete`)
  const environment = settings?.environment ?? {}
  const runs = new TestRuns(subject.checkout, kept, resolve(folder, 'deps'), { maxMs, environment })
  const selector = new Selector(subject.checkout)
  const deadline = performance.now() + Number(minutes) * 60_000
  const own = { without: none(), with: none() }
  for (const one of await plantMutants(wanted, Number(mutants))) {
    const isTime = performance.now() < deadline
    const without = await comparisonOf(one, runs, selector, isTime)
    const narrowed = await comparisonOf(one, runs, selector, isTime, measured)
    const place = `${name} ${one.head.slice(0, 8)} (${one.about})`
    if (!without || !narrowed) {
      const problem = runs.known(one.head)?.problem
      if (problem == null) continue
      own.without.impossible += 1
      total.without.impossible += 1
      if (process.env['VERBOSE']) console.log(`${place}: ${problem}`)
      continue
    }
    for (const sums of [own, total]) {
      add(sums.without, without)
      add(sums.with, narrowed)
    }
    for (const missed of narrowed.missed) {
      misses.push(`${place}: ${missed}${without.missed.includes(missed) ? ' (also without reach)' : ''}`)
    }
    if (process.env['VERBOSE']) {
      console.log(
        `${place}: ${narrowed.failing} broken, ${without.selected} and ${narrowed.selected} of ${narrowed.files} files`,
      )
    }
  }
  rows.push([`${name} (${runner})`, ...cells(own)])
}
if (rows.length > 1) rows.push(['all', ...cells(total)])
printTable(
  [
    'repository',
    'mutants',
    'did not end',
    'red',
    'all found: imports',
    'with reach',
    'tests found: imports',
    'with reach',
    'files not run: imports',
    'with reach',
  ],
  rows,
)
console.log(`\n${misses.length} missed with reach\n${misses.join('\n')}`)
process.exit()

function add(sum: Figures, compared: Comparison): void {
  sum.cases += 1
  sum.red += compared.isRed ? 1 : 0
  sum.redFound += compared.isRed && compared.missed.length === 0 ? 1 : 0
  sum.failing += compared.failing
  sum.found += compared.failing - compared.missed.length
  sum.files += compared.files
  sum.selected += compared.selected
}

function cells(sums: { without: Figures; with: Figures }): (string | number)[] {
  const pair = (cell: (figures: Figures) => string) => [cell(sums.without), cell(sums.with)]
  return [
    sums.without.cases,
    sums.without.impossible,
    sums.without.red,
    ...pair(({ redFound, red }) => `${redFound} of ${red}`),
    ...pair(({ found, failing }) => `${found} of ${failing}`),
    ...pair(({ files, selected }) => (files === 0 ? '-' : `${((100 * (files - selected)) / files).toFixed(1)} %`)),
  ]
}
