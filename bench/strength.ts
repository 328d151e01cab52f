/**
 * Tries the mutants of real repositories with Assay and with StrykerJS: the same code, the same tests, as many processes
 * as there are cores. Arguments: a folder with checkouts named `owner+name`, and names to confine it to, separated by
 * commas. npm installs StrykerJS and what the tests need.
 */
import { existsSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { printTable } from './report.ts'
import { judgeWithAssay } from './strength/assay.ts'
import { settle } from './strength/disagreements.ts'
import { isNoticed, isTried, type Judgment, pairsOf } from './strength/outcome.ts'
import { repositories, type StrengthRepository } from './strength/repositories.ts'
import { judgeWithStryker, strykerPackages } from './strength/stryker.ts'
import { install, makeSubject } from './strength/subject.ts'

const [folder = '.', only] = process.argv.slice(2)
const wanted = only?.split(',')
const checkoutOf = ({ name }: StrengthRepository) => resolve(folder, name.replace('/', '+'))

await using cleanUp = new AsyncDisposableStack()
const directory = await mkdtemp(join(tmpdir(), 'assay-bench-'))
cleanUp.defer(() => rm(directory, { recursive: true, force: true }))

const times: (string | number)[][] = []
const agreement: (string | number)[][] = []
const notes: string[] = []
for (const repository of repositories.filter(({ name }) => wanted?.includes(name) ?? true)) {
  const { name } = repository
  if (!existsSync(checkoutOf(repository))) {
    console.log(`${name}: no checkout in ${folder}`)
    continue
  }
  try {
    await compare(repository)
  } catch (error) {
    notes.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
printTable(
  ['', 'Assay: mutants', 'tried', 's', 'ms each', 'StrykerJS: mutants', 'tried', 's', 'ms each', 'ratio'],
  times,
)
console.log()
printTable(['', 'the same mutants', 'tried by both', 'agree', '%'], agreement)
if (notes.length > 0) console.log(`\n${notes.join('\n')}`)
process.exit()

async function compare(repository: StrengthRepository): Promise<void> {
  const { name, framework } = repository
  const at = (kind: string) => join(directory, `${name.replace('/', '+')}-${kind}`)
  const subject = await makeSubject(repository, checkoutOf(repository), at('subject'))
  const [ownRoot, strykerRoot] = [at('assay'), at('stryker')]
  for (const root of [ownRoot, strykerRoot]) await cp(subject, root, { recursive: true, verbatimSymlinks: true })
  await install(strykerRoot, ...strykerPackages(framework))
  const ours = await judgeWithAssay(repository, ownRoot)
  console.log(`${name}: Assay ${told(ours)}`)
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
