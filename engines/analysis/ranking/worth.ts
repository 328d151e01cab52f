import { baseName } from '../graph/source-tree.ts'
import type { SourceFile } from '../graph/source-tree.ts'
import type { SymbolFact } from '../../parsing/types.ts'

/**
 * Folders of code that is shown or run by hand, and that few people want tests for. Inside the sources they are part of
 * the product: an MCP server has its tools in `src/tools`, a Java package may be called `samples`.
 */
const besideTheProduct =
  /^(?:(?!(?:src|lib|app)\/)[^/]+\/)*(?:examples?|samples?|demos?|playgrounds?|bench(?:marks?|es)?|perf|fixtures?|stories|scripts?|tools?|hack|misc|contrib|sandbox)\//i
/** Run once, wherever they lie. */
const onceRun = /(?:^|\/)(?:migrations?|migrate|seeds?)\//i
/** Settings of tools: read by them, not by the product. */
const configuration =
  /^(?:\..+|.+\.conf(?:ig)?|[Gg]runtfile|[Gg]ulpfile|[Jj]akefile|(?:webpack|rollup|vite|babel|jest)\..+)\.[cm]?[jt]s$|^(?:setup|noxfile|conf|fabfile)\.py$|^build\.rs$|\.stories\.[jt]sx?$|\.d\.[cm]?ts$/
const hiddenFolder = /(?:^|\/)\.[^/]+\//
const besideFactor = 0.25

/** How much a file's symbols count: 1 for the product's own code, 0 for code that the project does not test itself. */
export function fileWeight({ path, tags }: SourceFile): number {
  if (tags?.some((tag) => tag !== 'documentation')) return 0
  if (configuration.test(baseName(path)) || hiddenFolder.test(path)) return 0
  if (besideTheProduct.test(path) || onceRun.test(path)) return besideFactor
  return tags?.includes('documentation') ? 0 : 1
}

/**
 * Whether a symbol is worth a test of its own. Straight one-liners are not. A class is its methods, which are listed
 * themselves; it only counts when it branches outside of them.
 */
export function isWorthTesting(symbol: SymbolFact): boolean {
  if (symbol.test || symbol.statements === 0) return false
  return symbol.complexity > 1 || (symbol.kind !== 'class' && symbol.statements > 1)
}
