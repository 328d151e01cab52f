import { join } from 'node:path'
import { analyzeWorkingTree } from '../client/working-tree.ts'
import type { AnalysisResult } from '../engines/analysis/schema.ts'
import type { PlanSettings } from '../engines/test-plan/plan.ts'
import type { Context } from './context.ts'
import { analysisProgress } from '../client/progress.ts'

/** Analyzes the working tree on this machine, with its uncommitted changes. */
export function analyzeCheckout(
  root: string,
  { settings, signal, out }: Context,
  planSettings?: PlanSettings,
): Promise<AnalysisResult> {
  return analyzeWorkingTree(root, {
    planSettings,
    cacheDirectory: join(settings.dataDir, 'working-trees'),
    signal,
    onProgress: (progress) => out.progress(`Analyzing ${root}, ${analysisProgress(progress).message}`),
  })
}
