/**
 * Replays the history of public repositories and compares the tests that break with those that would have been selected.
 * Arguments: a folder with checkouts named `owner+name`, in which dependencies are installed; names, `tuned` or `aside` to
 * confine it to, separated by commas; commits of each repository; mutants of each commit; minutes for each repository.
 * Outcomes are kept in the folder, so that a second call compares them again without running tests.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { printTable } from './report.ts'
import { Checkout } from './selection/checkout.ts'
import { comparisonOf, emptyFigures, type Figures } from './selection/compare.ts'
import { casesOf, commitsOf, hasCases, type ReplayedCase } from './selection/make-cases.ts'
import { repositories } from './selection/repositories.ts'
import { TestRuns } from './selection/run-tests.ts'
import { Selector } from './selection/selector.ts'

const [folder = '.', only = 'tuned,aside', commits = '30', mutants = '1', minutes = '0'] = process.argv.slice(2)
const wanted = only.split(',')
const chosen = repositories.filter(
  ({ name, isAside }) => wanted.includes(name) || wanted.includes(isAside ? 'aside' : 'tuned'),
)
const percent = (part: number, all: number) => (all === 0 ? '-' : `${((100 * part) / all).toFixed(1)} %`)

const rows: (string | number)[][] = []
const byKind = new Map<string, Figures>()
const misses: string[] = []
for (const { name, runner, isAside, tip } of chosen) {
  const directory = name.replace('/', '+')
  const path = resolve(folder, directory)
  if (!existsSync(path)) {
    console.log(`${name}: no checkout in ${folder}`)
    continue
  }
  const checkout = new Checkout(path)
  const kept = resolve(folder, 'outcomes', directory)
  const runs = new TestRuns(checkout, kept, resolve(folder, 'deps'))
  const selector = new Selector(checkout)
  const deadline = performance.now() + Number(minutes) * 60_000
  const figures = emptyFigures()
  const isTime = () => performance.now() < deadline
  for await (const one of replayed(checkout, tip ?? 'origin/HEAD', kept, isTime)) {
    const compared = await comparisonOf(one, runs, selector, isTime())
    if (compared === undefined) continue
    const ofKind = byKind.get(`${isAside ? 'aside' : 'tuned'}: ${one.kind}`) ?? emptyFigures()
    byKind.set(`${isAside ? 'aside' : 'tuned'}: ${one.kind}`, ofKind)
    for (const sum of [figures, ofKind]) {
      sum.cases += 1
      sum.red += compared.isRed ? 1 : 0
      sum.redFound += compared.isRed && compared.missed.length === 0 ? 1 : 0
      sum.redNoticed += compared.isRed && compared.missed.length < compared.failing ? 1 : 0
      sum.failing += compared.failing
      sum.failingFound += compared.failing - compared.missed.length
      sum.allRan += compared.whyAll === null ? 0 : 1
      sum.files += compared.files
      sum.selected += compared.selected
      sum.ms += compared.ms
      sum.selectedMs += compared.selectedMs
    }
    for (const missed of compared.missed) {
      misses.push(`${name} ${one.kind} ${one.head.slice(0, 8)} (${one.commit.slice(0, 8)} ${one.about}): ${missed}`)
    }
    if (process.env['VERBOSE'] && compared.whyAll !== null)
      console.log(`${name} ${one.kind} ${one.head.slice(0, 8)}: all, because ${compared.whyAll}`)
  }
  rows.push([`${name} (${runner}${isAside ? ', aside' : ''})`, ...cells(figures)])
}

const columns = [
  'cases',
  'red',
  'all found',
  'at least one',
  'failing tests found',
  'all ran',
  'files not run',
  'seconds not run',
]
printTable(['repository', ...columns], rows)
console.log()
printTable(
  ['kind', ...columns],
  [...byKind].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([kind, figures]) => [kind, ...cells(figures)]),
)
console.log(`\n${misses.length} missed\n${misses.slice(0, 200).join('\n')}`)

/** The cases of the newest commits; without time only those that are kept. */
async function* replayed(
  checkout: Checkout,
  tip: string,
  kept: string,
  isTime: () => boolean,
): AsyncIterable<ReplayedCase> {
  for (const commit of commitsOf(checkout, tip, Number(commits))) {
    const known = { mutants: Number(mutants), kept }
    if (isTime() || hasCases(commit, known)) yield* await casesOf(checkout, commit, known)
  }
}

function cells(figures: Figures): (string | number)[] {
  return [
    figures.cases,
    figures.red,
    `${figures.redFound} (${percent(figures.redFound, figures.red)})`,
    percent(figures.redNoticed, figures.red),
    `${figures.failingFound} of ${figures.failing}`,
    figures.allRan,
    percent(figures.files - figures.selected, figures.files),
    percent(figures.ms - figures.selectedMs, figures.ms),
  ]
}
