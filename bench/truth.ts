/**
 * Asks the product what to test in repositories that people know, runs their tests, and compares its answers with the
 * coverage that the runs measured. Arguments: a folder with checkouts named `owner+name`, and names to confine it to,
 * separated by commas; `aside` and `tuned` name the two halves.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { createDataSource } from '../ormconfig.ts'
import { printTable } from './report.ts'
import { openScratch } from './scratch.ts'
import {
  aucOfFiles,
  aucOfSymbols,
  byComplexity,
  contradicted,
  falseReasons,
  hasGap,
  judge,
  type Judged,
  placesOf,
  possibleAt,
  precisionAt,
  shareOfGaps,
} from './truth/figures.ts'
import { casesIn, draw, type DrawnCase, defectOf, isBorneOut } from './truth/cases.ts'
import { askProduct } from './truth/in-product.ts'
import { repositories, type TruthRepository } from './truth/repositories.ts'
import { startAssay } from './verify/start.ts'

const sampleSize = 200
const [folder = '.', only] = process.argv.slice(2)
const wanted = only?.split(',')
const isWanted = ({ name, isAside }: TruthRepository) =>
  wanted === undefined || wanted.includes(name) || wanted.includes(isAside ? 'aside' : 'tuned')
const checkoutOf = ({ name }: TruthRepository) => resolve(folder, name.replace('/', '+'))
const pathsOf = (checkout: string) =>
  execFileSync('git', ['-C', checkout, 'ls-files', '-z'], { encoding: 'utf8', maxBuffer: 50_000_000 }).split('\0')

await using cleanUp = new AsyncDisposableStack()
const scratch = await openScratch(cleanUp)
const chosen = repositories.filter((one) => isWanted(one) && existsSync(checkoutOf(one)))
for (const { name } of repositories.filter((one) => isWanted(one) && !chosen.includes(one))) {
  console.log(`${name}: no checkout in ${folder}`)
}
for (const one of chosen) execFileSync('git', ['-C', checkoutOf(one), 'checkout', '--quiet', '--detach', one.commit])
const { client, projectIds } = await startAssay(cleanUp, scratch, chosen.map(checkoutOf))
const dataSource = createDataSource({
  url: scratch.postgres.url,
  poolSize: 1,
  timeouts: { statement: 60_000, lock: 60_000, idleInTransaction: 60_000 },
  onPoolError: (error) => console.error(error),
})
await dataSource.initialize()
cleanUp.defer(() => dataSource.destroy())

const ranking: (string | number)[][] = []
const truth: (string | number)[][] = []
const misses: string[] = []
const cases: DrawnCase[] = []
for (const [index, repository] of chosen.entries()) {
  const { name, framework, tests, isAside, language } = repository
  try {
    const told = await askProduct(
      { client, dataSource },
      projectIds[index] ?? '',
      repository,
      pathsOf(checkoutOf(repository)),
    )
    console.log(`${name}: ${told.run}`)
    const estimated = judge(told.estimated.testCandidates ?? [], told.files)
    const measured = judge(told.measured?.testCandidates ?? [], told.files)
    const gaps = estimated.filter(hasGap).length
    const head = `${name} (${language}${isAside ? ', aside' : ''})`
    const cell = (judged: readonly Judged[]) => `${share(precisionAt(10, judged))}/${share(precisionAt(20, judged))}`
    ranking.push([
      head,
      estimated.length,
      gaps,
      `${share(possibleAt(10, estimated))}/${share(possibleAt(20, estimated))}`,
      cell(measured),
      cell(estimated),
      cell(byComplexity(estimated)),
      share(shareOfGaps(estimated)),
      share(aucOfSymbols(estimated)),
      share(aucOfFiles(estimated)),
    ])
    const given = { repository: name, checkout: checkoutOf(repository), commit: repository.commit }
    const ofRepository = casesIn(given, told.measured ?? told.estimated, told.files)
    cases.push(...ofRepository)
    const guesses = falseReasons(estimated.slice(0, 20))
    const all = falseReasons(estimated)
    const facts = contradicted(measured)
    const places = placesOf(told.estimated)
    const wrongPlaces = places.filter((place) => place.framework !== framework || !tests.test(place.path))
    const testing = told.estimated.summary.testing?.[0]?.framework ?? 'none'
    truth.push([
      head,
      `${guesses.wrong.length} of ${guesses.claims}`,
      `${all.wrong.length} of ${all.claims}`,
      `${facts.wrong.length} of ${facts.claims}`,
      testing === framework ? framework : `${testing}, not ${framework}`,
      `${places.length - wrongPlaces.length} of ${places.length}`,
      ofRepository.length,
    ])
    const say = (what: string, found: readonly Judged[]) => {
      for (const { candidate, covered, uncovered } of found.slice(0, 20)) {
        misses.push(
          `${name}: ${what}: ${candidate.path} ${candidate.symbol}, ${covered} lines run and ${uncovered} do not: ${candidate.reasons.at(-1)}`,
        )
      }
    }
    say('false reason', all.wrong)
    say('contradicted', facts.wrong)
    for (const { framework: said, path } of wrongPlaces.slice(0, 5)) misses.push(`${name}: place: ${said} ${path}`)
  } catch (error) {
    misses.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

printTable(
  ['', 'judged', 'gaps', 'possible', 'measured', 'estimated', 'complexity', 'random', 'AUC symbol', 'AUC file'],
  ranking,
)
console.log()
printTable(['', 'false in first 20', 'false in all', 'contradicted, measured', 'framework', 'places', 'cases'], truth)

const sample = draw(cases, sampleSize)
let wrongCases = 0
const claimed: boolean[] = []
for (const one of sample) {
  const where = `${one.repository}: case: ${one.candidate.path}:${one.one.line} ${one.one.outcome} ${one.one.condition}`
  const wrong = await defectOf(one)
  if (wrong !== undefined) {
    wrongCases++
    misses.push(`${where}: ${wrong}`)
  }
  const isTrue = await isBorneOut(one)
  if (isTrue !== undefined) claimed.push(isTrue)
  if (isTrue === false) misses.push(`${where}: the coverage does not show that it is uncovered`)
}
console.log(
  `\nOf ${sample.length} cases drawn from ${cases.length}, ${sample.length - wrongCases} have a condition and an end that the tree has at their line. ` +
    `${claimed.length} are said to be uncovered, of which the coverage bears out ${claimed.filter(Boolean).length}.`,
)
if (misses.length > 0) console.log(`\nMisses:\n${misses.join('\n')}`)

function share(value: number): string {
  return Number.isNaN(value) ? '-' : value.toFixed(2)
}
