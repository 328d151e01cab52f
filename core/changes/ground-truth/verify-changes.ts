import type { TRPCClient } from '@trpc/client'
import type { GitRepository } from '../../../engines/source/testing/git-repository.ts'
import type { AppRouter } from '../../router.ts'
import type { Change } from '../schema.ts'
import { type KnownChange, verdictsOf } from './known-change.ts'
import { type Flavor, readProject, sidesOf } from './projects.ts'

type Files = Readonly<Record<string, string>>

/** A known change as two commits of a repository. */
export interface CommittedChange {
  known: KnownChange
  base: string
  head: string
}

/** Commits each change on a branch of its own; the repository contains the project on its branch `main`. */
export async function commitChanges(
  repository: GitRepository,
  flavor: Flavor,
  changes: readonly KnownChange[],
): Promise<CommittedChange[]> {
  const project = readProject(flavor)
  const committed: CommittedChange[] = []
  for (const [index, known] of changes.entries()) {
    const { base, head } = sidesOf(project, known)
    await repository.git('checkout', '--quiet', '-b', `change-${index}`, 'main')
    const baseSha = known.before
      ? await commitFiles(repository, project, base)
      : await repository.git('rev-parse', 'main')
    committed.push({ known, base: baseSha, head: await commitFiles(repository, base, head, known.name) })
  }
  await repository.git('checkout', '--quiet', 'main')
  return committed
}

async function commitFiles(repository: GitRepository, before: Files, after: Files, message = 'Base'): Promise<string> {
  const gone = Object.keys(before).filter((path) => after[path] === undefined)
  if (gone.length > 0) await repository.git('rm', '--quiet', '--', ...gone)
  return repository.commit({ ...after }, { message })
}

/** Verifies a change and waits for the final verdict. */
export async function verifyChange(
  { changes }: Pick<TRPCClient<AppRouter>, 'changes'>,
  projectId: string,
  { known, base, head }: CommittedChange,
  { repeats = 2, mutants = 12 } = {},
): Promise<Change> {
  const { id: changeId } = await changes.verify.mutate({
    projectId,
    base,
    head,
    expect: known.expect ?? 'change',
    repeats: known.repeats ?? repeats,
    mutants,
  })
  for (;;) {
    const change = await changes.get.query({ changeId, waitSeconds: 45, final: true })
    if (change.completedAt !== null) return change
  }
}

/** Returns what is wrong about a verdict, as sentences; none if all of it is right. */
export function mistakesOf(known: KnownChange, { verdict, evidence, error }: Change): string[] {
  if (verdict === null || !evidence) return [`There is no verdict: ${error?.code} ${error?.message}`]
  const mistakes: string[] = []
  if (!verdictsOf(known).includes(verdict)) {
    mistakes.push(`The verdict is ${verdict} (${evidence.reason}): ${evidence.summary}`)
  }
  for (const [name, transition] of Object.entries(known.transitions ?? {})) {
    const found = evidence.tests.filter(({ test }) => test.includes(name))
    if (found.some((test) => test.transition === transition)) continue
    const said = found.map((test) => test.transition).join(', ') || 'not listed'
    mistakes.push(`The test "${name}" is ${said}, not ${transition}.`)
  }
  const told = [evidence.summary, ...evidence.missing, ...evidence.warnings].join('\n')
  for (const text of known.says ?? []) {
    if (!told.includes(text)) mistakes.push(`Neither the summary nor what is missing names ${text}: ${told}`)
  }
  return mistakes
}

/** `proved (reason)`, or why there is no verdict. */
export function told({ verdict, evidence, error }: Change): string {
  return evidence ? `${verdict} (${evidence.reason})` : `no verdict (${error?.code}: ${error?.message})`
}
