import { failsWith } from './fresh.ts'
import { isNoticed, type Judged } from './outcome.ts'
import type { StrengthRepository } from './repositories.ts'

const most = 20
const timeoutMs = 120_000

/** Runs all tests with the mutants on which the tools disagree, each as a source of its own, and says which one is right. */
export async function settle(
  repository: StrengthRepository,
  root: string,
  pairs: readonly (readonly [Judged, Judged])[],
): Promise<string[]> {
  const told: string[] = []
  for (const [ours, theirs] of pairs.slice(0, most)) {
    const fails = await failsWith(repository, root, ours, timeoutMs)
    const right = isNoticed(ours) === fails ? 'Assay' : 'StrykerJS'
    const change = `${ours.original} -> ${ours.replacement}`.replace(/\s+/g, ' ').slice(0, 120)
    told.push(
      `${ours.path}:${ours.line} ${change}: Assay ${ours.outcome}, StrykerJS ${theirs.outcome}; a fresh process ${fails ? 'fails' : 'passes'}: ${right} is right`,
    )
  }
  if (pairs.length > most) told.push(`and ${pairs.length - most} more`)
  return told
}
