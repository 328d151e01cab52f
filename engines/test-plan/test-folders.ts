import type { Folder } from './folder.ts'
import type { PlanType } from './plan.ts'
import { PlanError } from './plan.ts'

const names: Record<Exclude<PlanType, 'ALL'>, RegExp> = {
  UNIT: /^units?(?:[-_]?tests?)?$/i,
  INTEGRATION: /^(?:integrations?|functional)(?:[-_]?tests?)?$/i,
  E2E: /^(?:e2e|end[-_]?to[-_]?end|acceptance|system)(?:[-_]?tests?)?$/i,
}

/**
 * Returns the folders for one type of tests, such as `tests/unit`. Empty for ALL.
 *
 * @throws PlanError `unsupported` if there are none
 */
export function foldersOfType(folder: Folder, type: PlanType, roots: RegExp = /^(?:tests?|specs?)$/i): string[] {
  if (type === 'ALL') return []
  const found = new Set<string>()
  for (const path of folder.paths) {
    const [first = '', second = ''] = path.split('/', 2)
    if (roots.test(first) && names[type].test(second) && path.includes('/', first.length + second.length + 1)) {
      found.add(`${first}/${second}`)
    }
  }
  if (found.size === 0) throw notToldApart(type)
  return [...found].toSorted()
}

export function notToldApart(type: PlanType): PlanError {
  return new PlanError(
    'unsupported',
    `The project has no separate ${type} tests. Use the type ALL, or set "testCommand" to the command that runs them.`,
  )
}
