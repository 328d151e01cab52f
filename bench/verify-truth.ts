/**
 * Verifies the whole ground truth of `core/verifications/ground-truth`. Counts how many careful tests are accepted for
 * correct functions and suspect a bug in the faulty versions, and how many weak tests are accepted, which must be none.
 * Vitest comes from the npm registry; pytest must be installed on the machine.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createGitRepository } from '../engines/source/testing/git-repository.ts'
import { type Flavour, flavours } from '../core/verifications/ground-truth/faults.ts'
import { readTruth, type Sample, type Truth } from '../core/verifications/ground-truth/projects.ts'
import { told, type Verified, verifySamples } from '../core/verifications/ground-truth/verify-samples.ts'
import { printTable } from './report.ts'
import { openScratch } from './scratch.ts'
import { startAssay } from './verify/start.ts'

const wanted = process.argv[2]?.split(',') ?? flavours
/** With 24 repeats, a test that fails one time in three passes all of them once in 17,000 times. */
const manyTimes = { repeats: 12 }

await using cleanUp = new AsyncDisposableStack()
const scratch = await openScratch(cleanUp)
const subjects: { flavour: Flavour; truth: Truth; repository: string }[] = []
for (const flavour of flavours.filter((name) => wanted.includes(name))) {
  const truth = readTruth(flavour)
  const repository = cleanUp.use(await createGitRepository())
  await repository.write(truth.right)
  if (flavour === 'vitest') await lock(repository.path)
  await repository.commit()
  await repository.git('checkout', '--quiet', '-b', 'wrong')
  await repository.commit(truth.wrong)
  await repository.git('checkout', '--quiet', 'main')
  subjects.push({ flavour, truth, repository: repository.path })
}
const { client, projectIds } = await startAssay(
  cleanUp,
  scratch,
  subjects.map(({ repository }) => repository),
)

const rows: (string | number)[][] = []
const unexpected: string[] = []
for (const [index, { flavour, truth }] of subjects.entries()) {
  const projectId = projectIds[index] ?? ''
  const startedAt = performance.now()
  const verify = (samples: Sample[], how = {}) => verifySamples(client, projectId, samples, how)
  const right = await verify(truth.good)
  const wrong = await verify(truth.good, { branch: 'wrong' })
  const weak = await verify(truth.weak)
  const odd = await verify(
    truth.odd.map(({ sample }) => sample),
    manyTimes,
  )
  note(`${flavour}, right`, right, () => 'accepted')
  note(`${flavour}, wrong`, wrong, () => 'suspected_bug')
  note(`${flavour}, weak`, weak.filter(isAccepted), () => 'anything but accepted')
  note(`${flavour}, odd`, odd, (position) => truth.odd[position]?.verdict)
  rows.push([
    flavour,
    share(right, isAccepted),
    share(wrong, ({ verification }) => verification.verdict === 'suspected_bug'),
    share(weak, isAccepted),
    share(odd, ({ verification }, position) => verification.verdict === truth.odd[position]?.verdict),
    Math.round((performance.now() - startedAt) / 1_000),
  ])
}
printTable(['', 'right: accepted', 'wrong: suspected_bug', 'weak: accepted', 'broken: named as what it is', 's'], rows)
console.log(unexpected.length === 0 ? '\nNothing unexpected.' : `\nUnexpected:\n${unexpected.join('\n')}`)

function note(where: string, verified: Verified[], expected: (position: number) => string | null | undefined): void {
  for (const [position, one] of verified.entries()) {
    if (one.verification.verdict === expected(position)) continue
    unexpected.push(`${where}: ${told(one)}; ${one.verification.evidence?.summary ?? ''}`)
  }
}

function isAccepted({ verification }: Verified): boolean {
  return verification.verdict === 'accepted'
}

function share(verified: Verified[], isMeant: (one: Verified, position: number) => boolean): string {
  const count = verified.filter(isMeant).length
  return `${count} of ${verified.length} (${Math.round((100 * count) / verified.length)} %)`
}

/** The lockfile is the cache key of the install. */
async function lock(repository: string): Promise<void> {
  await promisify(execFile)('npm', ['install', '--package-lock-only', '--no-audit', '--no-fund'], {
    cwd: join(repository),
  })
}
