import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Language, Parser, Query, type Tree } from 'web-tree-sitter'
import type { FileFacts } from '../types.ts'
import { ParseFailure } from '../failure.ts'
import { type Grammar, type LoadedGrammar, patternOf } from './grammar.ts'
import { Walk } from './walk.ts'

let starting: Promise<Parser> | undefined
const loading = new Map<Grammar, Promise<LoadedGrammar>>()

/** Compiles a grammar once per process. */
export function loadGrammar(grammar: Grammar): Promise<LoadedGrammar> {
  let loaded = loading.get(grammar)
  if (!loaded) {
    loaded = load(grammar)
    loading.set(grammar, loaded)
  }
  return loaded
}

async function load(grammar: Grammar): Promise<LoadedGrammar> {
  const file = fileURLToPath(import.meta.resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar.wasm}.wasm`))
  const [bytes] = await Promise.all([readFile(file), parserInstance()])
  const language = await Language.load(bytes)
  const query = new Query(language, grammar.rules.map(patternOf).join('\n'))
  if (query.patternCount() !== grammar.rules.length) {
    throw new Error(`each rule of the ${grammar.wasm} grammar must hold exactly one pattern`)
  }
  return { language, query, rules: grammar.rules }
}

function parserInstance(): Promise<Parser> {
  starting ??= Parser.init().then(() => new Parser())
  return starting
}

/** The syntax tree of one file, for the caller to delete. Gives up with a ParseFailure once `timeoutMs` have passed. */
export async function parseTree(source: string, grammar: Grammar, timeoutMs: number): Promise<Tree> {
  const { language } = await loadGrammar(grammar)
  const parser = await parserInstance()
  const deadline = performance.now() + timeoutMs
  parser.setLanguage(language)
  const tree = parser.parse(source, null, { progressCallback: () => performance.now() > deadline })
  if (tree) return tree
  // Without this the parser would go on with the abandoned text at the next call.
  parser.reset()
  throw new ParseFailure('timeout', `not parsed within ${timeoutMs} ms`)
}

/** The facts of one file. Gives up with a ParseFailure once `timeoutMs` have passed. */
export async function parseWithGrammar(source: string, grammar: Grammar, timeoutMs: number): Promise<FileFacts> {
  const { query, rules } = await loadGrammar(grammar)
  const deadline = performance.now() + timeoutMs
  const isOver = () => performance.now() > deadline
  const tree = await parseTree(source, grammar, timeoutMs)
  try {
    const walk = new Walk(source, grammar.globals)
    walk.facts.syntaxErrors = tree.rootNode.hasError
    const captures = query.captures(tree.rootNode, { progressCallback: isOver })
    if (isOver()) throw new ParseFailure('timeout', `not read within ${timeoutMs} ms`)
    for (const { node, patternIndex } of captures) {
      walk.leaveUntil(node.startIndex)
      const rule = rules[patternIndex]
      if (!rule) continue
      if ('branch' in rule) walk.facts.branch(rule.count)
      else if ('statement' in rule) walk.facts.statement(rule.count)
      else if ('visit' in rule) rule.by(node, walk)
      else if ('value' in rule) walk.facts.uses.value(walk.text(node))
      else if (rule.capitalized && !isCapital(source.charCodeAt(node.startIndex))) continue
      else if (rule.bare) walk.facts.uses.bareReference(walk.text(node))
      else walk.facts.uses.reference(walk.text(node))
    }
    walk.leaveUntil(Infinity)
    return walk.facts.finish()
  } finally {
    tree.delete()
  }
}

function isCapital(code: number): boolean {
  return code >= 65 && code <= 90
}
