import { join } from 'node:path'
import { analyzeWorkingTree, type WorkingTreeOptions } from '../client/working-tree.ts'
import type { AnalysisResult } from '../engines/analysis/schema.ts'
import type { Context } from './context.ts'
import { analysisProgress } from '../client/progress.ts'

/** Analyzes the working tree on this machine, with its uncommitted changes. */
export function analyzeCheckout(
  root: string,
  { settings, signal, out }: Context,
  wanted: Pick<WorkingTreeOptions, 'scope' | 'measured' | 'planSettings'> = {},
): Promise<AnalysisResult> {
  return analyzeWorkingTree(root, {
    ...wanted,
    cacheDirectory: join(settings.dataDir, 'working-trees'),
    signal,
    onProgress: (progress) => out.progress(`Analyzing ${root}, ${analysisProgress(progress).message}`),
  })
}
