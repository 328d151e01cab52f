/**
 * Verifies all changes of `core/changes/ground-truth`, two at a time, and compares the verdicts with what a reviewer says.
 * Arguments: names of projects, `seen` or `aside`, separated by commas. Exits with 1 if a verdict is wrong. Vitest comes
 * from the npm registry; pytest and Go must be installed on the machine.
 */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type KnownChange, verdictsOf } from '../core/changes/ground-truth/known-change.ts'
import { type Flavor, flavors, knownChanges, readProject } from '../core/changes/ground-truth/projects.ts'
import {
  commitChanges,
  type CommittedChange,
  mistakesOf,
  told,
  verifyChange,
} from '../core/changes/ground-truth/verify-changes.ts'
import { createGitRepository } from '../engines/source/testing/git-repository.ts'
import { printTable } from './report.ts'
import { openScratch } from './scratch.ts'
import { startAssay } from './verify/start.ts'

const wanted = process.argv[2]?.split(',') ?? []
const named = flavors.filter((flavor) => wanted.includes(flavor))
const isWanted = ({ isAside }: KnownChange) =>
  wanted.includes('aside') === wanted.includes('seen') || wanted.includes('aside') === (isAside ?? false)

await using cleanUp = new AsyncDisposableStack()
const scratch = await openScratch(cleanUp)
const subjects: { flavor: Flavor; path: string; changes: CommittedChange[] }[] = []
for (const flavor of named.length > 0 ? named : flavors) {
  const repository = cleanUp.use(await createGitRepository())
  await repository.write(readProject(flavor))
  if (flavor === 'vitest') await lock(repository.path)
  await repository.commit()
  const changes = await commitChanges(repository, flavor, knownChanges[flavor].filter(isWanted))
  subjects.push({ flavor, path: repository.path, changes })
}
const { client, projectIds } = await startAssay(
  cleanUp,
  scratch,
  subjects.map(({ path }) => path),
)

const rows: (string | number)[][] = []
const mistakes: string[] = []
const falselyProved: string[] = []
let wrong = 0
const waiting = subjects.flatMap(({ flavor, changes }, index) =>
  changes.map((change) => ({ flavor, change, projectId: projectIds[index] ?? '' })),
)
const total = waiting.length
await Promise.all([verifyNext(), verifyNext()])
rows.sort(([a], [b]) => flavors.indexOf(a as Flavor) - flavors.indexOf(b as Flavor))

printTable(['project', 'change', 'expected', 'got', 's'], rows)
console.log(`\n${total - wrong} of ${total} are right.`)
if (mistakes.length > 0) console.log(`\nMistakes:\n${mistakes.join('\n')}`)
console.log(
  falselyProved.length === 0
    ? '\nNothing is proved that should not be.'
    : `\nFalsely proved: ${falselyProved.join(', ')}`,
)
if (mistakes.length > 0) process.exitCode = 1
if (mistakes.some((mistake) => mistake.includes('internal'))) {
  const log = await readFile(join(scratch.directory, 'core.log'), 'utf8')
  console.log(
    log
      .split('\n')
      .filter((line) => /"level":"error"/.test(line))
      .join('\n'),
  )
}

async function verifyNext(): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { flavor, change, projectId } = next
    const { known } = change
    const startedAt = performance.now()
    const result = await verifyChange(client, projectId, change)
    const found = mistakesOf(known, result)
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
    const row = [flavor, known.name, verdictsOf(known).join(' or '), told(result), seconds]
    rows.push(found.length === 0 ? row : [...row.slice(0, 3), `**${told(result)}**`, seconds])
    if (found.length > 0) wrong++
    mistakes.push(...found.map((mistake) => `${flavor}: ${known.name}: ${mistake}`))
    if (result.verdict === 'proved' && !verdictsOf(known).includes('proved'))
      falselyProved.push(`${flavor}: ${known.name}`)
  }
}

/** The lockfile is the cache key of the install. */
async function lock(repository: string): Promise<void> {
  await promisify(execFile)('npm', ['install', '--package-lock-only', '--no-audit', '--no-fund'], { cwd: repository })
}
