/**
 * Tries the mutants of real repositories with Assay and with StrykerJS: the same code, the same tests, as many processes
 * as there are cores. Arguments: a folder with checkouts named `owner+name`, and names or parts of names to confine it to,
 * separated by commas. npm installs StrykerJS and what the tests need. Repeats up to 300 of Assay's results in fresh processes; `--fresh`
 * does only that. Then measures the projects by RPC, before and after a change of a test file; `--product` does only that.
 */
import { existsSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { printTable } from './report.ts'
import { judgeWithAssay } from './strength/assay.ts'
import { settle } from './strength/disagreements.ts'
import { repeatFresh } from './strength/fresh.ts'
import { isNoticed, isTried, type Judgment, pairsOf } from './strength/outcome.ts'
import { timesInProduct } from './strength/in-product.ts'
import { repositories, type StrengthRepository } from './strength/repositories.ts'
import { judgeWithStryker, strykerPackages } from './strength/stryker.ts'
import { install, makeSubject } from './strength/subject.ts'
import { openScratch } from './scratch.ts'
import { startAssay } from './verify/start.ts'

const isProductOnly = process.argv.includes('--product')
const isFreshOnly = process.argv.includes('--fresh')
const [folder = '.', only] = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const wanted = only?.split(',')
const checkoutOf = ({ name }: StrengthRepository) => resolve(folder, name.replace('/', '+'))

await using cleanUp = new AsyncDisposableStack()
const scratch = await openScratch(cleanUp)
const { directory } = scratch

const times: (string | number)[][] = []
const repeated: (string | number)[][] = []
const agreement: (string | number)[][] = []
const notes: string[] = []
const inProduct: (string | number)[][] = []
const subjects: { repository: StrengthRepository; subject: string }[] = []
for (const repository of repositories.filter(({ name }) => wanted?.some((part) => name.includes(part)) ?? true)) {
  if (existsSync(checkoutOf(repository))) {
    const subject = await makeSubject(repository, checkoutOf(repository), at(repository, 'subject'))
    subjects.push({ repository, subject })
  } else {
    console.log(`${repository.name}: no checkout in ${folder}`)
  }
}
const { client, projectIds } = await startAssay(
  cleanUp,
  scratch,
  subjects.map(({ subject }) => subject),
)
for (const [index, { repository, subject }] of subjects.entries()) {
  const { name } = repository
  try {
    if (!isProductOnly) await compare(repository, subject)
    if (isFreshOnly) continue
    const found = await timesInProduct(client, projectIds[index] ?? '', subject, repository)
    const { tenSurvivors, first, second, tried, phases } = found
    notes.push(`${name}: the second call: ${phases}`)
    const ten = (ms: number | null) => (ms === null ? 'fewer' : seconds(ms))
    const survivors = [ten(tenSurvivors.first), ten(tenSurvivors.second)]
    inProduct.push([
      name,
      ...survivors,
      seconds(first),
      seconds(second),
      `${((100 * second) / first).toFixed(0)} %`,
      tried,
    ])
  } catch (error) {
    notes.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
printTable(
  ['', 'Assay: mutants', 'tried', 's', 'ms each', 'StrykerJS: mutants', 'tried', 's', 'ms each', 'ratio'],
  times,
)
console.log()
printTable(['', 'repeated in fresh processes', 'different', '%'], repeated)
console.log()
printTable(['', 'the same mutants', 'tried by both', 'agree', '%'], agreement)
console.log()
printTable(
  ['', 'ten survivors, s', 'in the second call, s', 'first call, s', 'second call, s', 'share', 'mutants'],
  inProduct,
)
if (notes.length > 0) console.log(`\n${notes.join('\n')}`)
process.exit()

async function compare(repository: StrengthRepository, subject: string): Promise<void> {
  const { name } = repository
  const [ownRoot, strykerRoot] = [at(repository, 'assay'), at(repository, 'stryker')]
  for (const root of [ownRoot, strykerRoot]) await cp(subject, root, { recursive: true, verbatimSymlinks: true })
  const ours = await judgeWithAssay(repository, ownRoot)
  console.log(`${name}: Assay ${told(ours)}`)
  const { count, different: doubted } = await repeatFresh(repository, ownRoot, ours.mutants)
  repeated.push([name, count, doubted.length, ((100 * doubted.length) / count).toFixed(1)])
  for (const { path, line, original, replacement, outcome } of doubted) {
    notes.push(`${name}: ${path}:${line} ${original} -> ${replacement}: Assay ${outcome}, but not a fresh process`)
  }
  if (isFreshOnly) return
  await install(strykerRoot, ...strykerPackages(repository))
  const theirs = await judgeWithStryker(repository, strykerRoot)
  console.log(`${name}: StrykerJS ${told(theirs)}`)
  const [own, other] = [eachMs(ours), eachMs(theirs)]
  times.push([name, ...cells(ours), own.toFixed(0), ...cells(theirs), other.toFixed(0), (own / other).toFixed(2)])

  const pairs = pairsOf(ours.mutants, theirs.mutants)
  const tried = pairs.filter((pair) => pair.every(isTried))
  const different = tried.filter(([one, another]) => isNoticed(one) !== isNoticed(another))
  const agreed = tried.length - different.length
  agreement.push([name, pairs.length, tried.length, agreed, ((100 * agreed) / tried.length).toFixed(1)])
  const onlyOne = pairs.filter(([one, another]) => isTried(one) !== isTried(another))
  for (const [one, another] of onlyOne) {
    notes.push(
      `${name}: ${one.path}:${one.line} ${one.original} -> ${one.replacement}: Assay ${one.outcome}, StrykerJS ${another.outcome}`,
    )
  }
  for (const line of await settle(repository, ownRoot, different)) notes.push(`${name}: ${line}`)
}

function at({ name }: StrengthRepository, kind: string): string {
  return join(directory, `${name.replace('/', '+')}-${kind}`)
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(0)
}

function cells({ ms, mutants }: Judgment): (string | number)[] {
  return [mutants.length, mutants.filter(isTried).length, (ms / 1_000).toFixed(0)]
}

function eachMs({ ms, mutants }: Judgment): number {
  return ms / mutants.filter(isTried).length
}

function told({ ms, mutants }: Judgment): string {
  const counts = Object.entries(Object.groupBy(mutants, ({ outcome }) => outcome))
  return `${counts.map(([outcome, found]) => `${found?.length} ${outcome}`).join(', ')} in ${(ms / 1_000).toFixed(0)} s`
}
