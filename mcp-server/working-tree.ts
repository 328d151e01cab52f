import type { AnalysisProgress, AnalysisResult } from '../core/analysis/schema.ts'
import { describeError } from './analysis-facts.ts'
import { ToolError } from './tools/tool.ts'

/**
 * Runs the analyser over a working tree as it is on disk. The analyser is loaded on first use: most sessions never
 * need it, and starting fast is worth more to them.
 */
export async function analyzeWorkingTree(
  root: string,
  options: { signal: AbortSignal; onProgress: (progress: AnalysisProgress) => void },
): Promise<AnalysisResult> {
  const [{ openWorkingTree }, { analyze }, { AnalysisError, defaultLimits }] = await Promise.all([
    import('../core/analysis/analyzer/source/working-tree.ts'),
    import('../core/analysis/analyzer/analyze.ts'),
    import('../core/analysis/analyzer/types.ts'),
  ])
  try {
    await using snapshot = await openWorkingTree(root, { limits: defaultLimits, signal: options.signal })
    return await analyze(snapshot, options)
  } catch (error) {
    if (error instanceof AnalysisError) throw new ToolError(`The analysis failed: ${describeError(error)}`)
    throw error
  }
}
