import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { posix } from 'node:path'
import { parseSync } from 'oxc-parser'
import { Language, type Node, Parser } from 'web-tree-sitter'

const require = createRequire(import.meta.url)

const grammars: Record<string, string> = {
  '.go': 'go',
  '.java': 'java',
  '.rb': 'ruby',
  '.rs': 'rust',
  '.php': 'php',
  '.cs': 'c-sharp',
  '.py': 'python',
}

const loaded = new Map<string, Promise<Parser>>()

/** Returns the syntax errors of the code. */
export async function syntaxErrors(path: string, code: string): Promise<string[]> {
  const extension = posix.extname(path)
  const grammar = grammars[extension]
  if (grammar === undefined) {
    return parseSync(path, code, { showSemanticErrors: true }).errors.map((error) => error.message)
  }
  const { root, dispose } = await treeOf(path, code)
  // Walking all nodes is slow, and most code is valid.
  const errors = root.hasError
    ? outermost(root, (node) => node.isError || node.isMissing).map(
        (node) => `${node.type} at ${node.startPosition.row + 1}: ${node.text.slice(0, 80)}`,
      )
    : []
  dispose()
  return errors
}

/** Splits code into its comments and strings, and the code between them with normalized spaces. */
export async function partsOf(path: string, code: string): Promise<{ texts: string[]; code: string }> {
  const { root, dispose } = await treeOf(path, code)
  const texts = outermost(root, (node) => /comment|string|encapsed|heredoc/.test(node.type) && node.type !== 'program')
  let rest = code
  for (const node of texts.toReversed()) rest = rest.slice(0, node.startIndex) + rest.slice(node.endIndex)
  const parts = { texts: texts.map((node) => node.text), code: rest.replace(/\s+/g, ' ') }
  dispose()
  return parts
}

async function treeOf(path: string, code: string): Promise<{ root: Node; dispose: () => void }> {
  const grammar = grammars[posix.extname(path)] ?? 'typescript'
  if (!loaded.has(grammar)) loaded.set(grammar, load(grammar))
  const parser = await loaded.get(grammar)
  const tree = parser?.parse(code)
  if (!tree) throw new Error(`no tree for ${path}`)
  return { root: tree.rootNode, dispose: () => tree.delete() }
}

let initialized: Promise<void> | undefined

async function load(grammar: string): Promise<Parser> {
  await (initialized ??= Parser.init())
  const language = await Language.load(require.resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`))
  return new Parser().setLanguage(language)
}

/** Walks the tree with a cursor, which is much cheaper than lists of children, and skips the nodes inside a match. */
function outermost(root: Node, matches: (node: Node) => boolean): Node[] {
  const found: Node[] = []
  const cursor = root.walk()
  for (;;) {
    const isMatch = matches(cursor.currentNode)
    if (isMatch) found.push(cursor.currentNode)
    if (!isMatch && cursor.gotoFirstChild()) continue
    while (!cursor.gotoNextSibling()) {
      if (cursor.gotoParent()) continue
      cursor.delete()
      return found
    }
  }
}

/** Returns the errors of Python's compiler; null if Python is not installed. */
export function pythonErrors(codes: readonly string[]): string[] | null {
  const script = 'import json,sys\nfor code in json.load(sys.stdin): compile(code.encode(), "example", "exec")'
  const run = spawnSync('python3', ['-c', script], { input: JSON.stringify(codes), encoding: 'utf8' })
  if (run.error) return null
  return run.status === 0 ? [] : [run.stderr]
}
