import type { PlanWork } from './detect-apart.ts'
import { detectPlan } from './detect.ts'
import { findGoModules } from './go-modules.ts'
import { PlanError } from './plan.ts'

/** The task of `detect-apart.ts`. Asks for the content of files. */
const work: PlanWork = async (input, { shared: paths, ask }) => {
  const tree = { paths, read: ask }
  if ('goParts' in input) return { goModules: await findGoModules(tree, input.goParts) }
  try {
    return { plan: await detectPlan(tree, input.settings, input.type) }
  } catch (error) {
    if (!(error instanceof PlanError)) throw error
    return { problem: { code: error.code, message: error.message } }
  }
}

export default work
