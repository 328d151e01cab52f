import { baseName } from '../graph/paths.ts'
import type { SourceFile, SourceTree } from '../graph/source-tree.ts'
import type { SymbolFact } from '../../parsing/types.ts'
import { declaredProduct } from './declared-product.ts'
import type { FileReach } from './file-reach.ts'

/**
 * Folders of code that is shown or measured. Inside the sources they are part of the product: a Java package may be
 * called `samples`.
 */
const shown =
  /^(?:(?!(?:src|lib|app)\/)[^/]+\/)*(?:examples?|samples?|demos?|(?:[\w.]+-)*playgrounds?|(?:micro)?bench(?:mark(?:ing)?s?|es)?|perf|fixtures?|mocks?|__mocks__|stories|sandbox(?:es)?|recipes|website|e2e)\//i
/** Folders of code that people run by hand, unless it is what the tests are about: an MCP server has `src/tools`. */
const runByHand =
  /^(?:(?!(?:src|lib|app)\/)[^/]+\/)*(?:scripts?|tools?|tooling|hack|misc|contrib|ci|utils\/scripts)\/|^(?:build|tasks?|gulp)\//i
/** Code that runs once, in any folder. */
const onceRun = /(?:^|\/)(?:migrations?|migrate|seeds?)\//i
const benchmarkName = /(?:^|[._-])bench(?:mark)?s?\.\w+$/i
/** Settings of tools, which read them, not the product. Beside the sources such a name may be the product's own. */
const configuration =
  /^(?:\..+|.+\.conf(?:ig)?|[Gg]runtfile|[Gg]ulpfile|[Jj]akefile|(?:webpack|rollup|vite|babel|jest)\..+)\.[cm]?[jt]s$|^(?:setup|noxfile|conf|fabfile)\.py$|^build\.rs$/
/** Stories of components and declarations of types. */
const withoutTests = /\.stories\.[jt]sx?$|\.d\.[cm]?ts$/
const hiddenFolder = /(?:^|\/)\.[^/]+\//

/**
 * Where a file belongs. Candidates beside the product come after those of the product. Code that is left out has no
 * candidates.
 */
export type Place = 'product' | 'beside' | 'left out'

/** Tells the product of a repository from the code beside it. */
export class ProductPlaces {
  /** Folders and files that manifests offer to users. */
  readonly #declared: ReadonlySet<string>

  constructor(tree: SourceTree) {
    this.#declared = declaredProduct(tree, (folder) => shown.test(folder))
  }

  of({ path, tags }: SourceFile, reach: Pick<FileReach, 'importingTests' | 'namedTests'>): Place {
    if (tags?.some((tag) => tag !== 'documentation')) return 'left out'
    const isConfiguration = configuration.test(baseName(path))
    if (withoutTests.test(path) || hiddenFolder.test(path)) return 'left out'
    if (isConfiguration) return path.includes('/') ? 'beside' : 'left out'
    if (this.#isDeclared(path)) return 'product'
    if (shown.test(path) || onceRun.test(path) || benchmarkName.test(path)) return 'beside'
    if (runByHand.test(path)) {
      return reach.importingTests.length > 0 || reach.namedTests.length > 0 ? 'product' : 'beside'
    }
    return tags?.includes('documentation') ? 'left out' : 'product'
  }

  #isDeclared(path: string): boolean {
    if (this.#declared.size === 0) return false
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      if (this.#declared.has(path.slice(0, end))) return true
    }
    return false
  }
}

/**
 * Whether a symbol is worth a test of its own. Straight one-liners are not. A class is its methods, which are listed
 * themselves; it only counts when it branches outside of them.
 */
export function isWorthTesting(symbol: SymbolFact): boolean {
  if (symbol.test || symbol.statements === 0) return false
  return symbol.complexity > 1 || (symbol.kind !== 'class' && symbol.statements > 1)
}
