import type { SourceTree } from '../../description/source-tree.ts'
import { child, namedChildren, type SyntaxNode } from '../../syntax-tree.ts'
import { type CaseLanguage, climb, type Construct, type Ending, type Span } from '../construct.ts'
import { resultText, thrown } from '../text.ts'
import { headerOf, messageOf, ofType, operatorOf, shortCircuit, testLoop } from './shared.ts'

export const rust: CaseLanguage = {
  blocks: new Set(['block']),
  wrappers: new Set(['else_clause']),
  functions: new Set(['function_item', 'closure_expression']),
  not: '!',
  countsValues: false,
  constructs,
  ending,
  isReturned,
}

const branching = new Set([
  'if_expression',
  'match_expression',
  'match_arm',
  'match_block',
  'else_clause',
  'unsafe_block',
])

/** The last expression of a block is its value, unless a semicolon follows. */
function isReturned(node: SyntaxNode): boolean {
  return climb(node, (inner, parent) => {
    switch (parent.type) {
      case 'return_expression':
        return true
      case 'function_item':
      case 'closure_expression':
        return inner.field === 'body'
      case 'expression_statement':
        return parent.children.some(({ type }) => type === ';') ? false : undefined
      case 'block':
        return namedChildren(parent).at(-1) === inner ? undefined : false
      case 'parenthesized_expression':
        return undefined
      default:
        if (!branching.has(parent.type) || inner.field === 'condition') return false
        return parent.type === 'match_expression' && inner.field === 'value' ? false : undefined
    }
  })
}

function constructs(node: SyntaxNode, tree: SourceTree): readonly Construct[] {
  switch (node.type) {
    case 'if_expression': {
      const test = child(node, 'condition')
      const clause = child(node, 'alternative')
      const otherwise = clause && namedChildren(clause)[0]
      if (!test) return []
      return [
        {
          kind: 'choice',
          test,
          onTrue: child(node, 'consequence') ?? null,
          onFalse: otherwise?.type === 'if_expression' ? 'chained' : (otherwise ?? null),
          isValue: false,
        },
      ]
    }
    case 'let_declaration': {
      const otherwise = child(node, 'alternative')
      const value = child(node, 'value')
      if (!otherwise || !value) return []
      const test = { start: node.start, end: value.end }
      return [{ kind: 'choice', test, onTrue: otherwise, onFalse: null, isValue: false, isNegated: true }]
    }
    case 'match_expression': {
      const body = child(node, 'body')
      if (!body) return []
      const arms = ofType(body, 'match_arm').map((arm) => {
        const value = child(arm, 'value')
        const pattern = child(arm, 'pattern')
        const isDefault = pattern !== undefined && tree.text(pattern) === '_'
        return { node: arm, header: pattern ?? headerOf(arm, value, tree), body: value ? [value] : [], isDefault }
      })
      return [{ kind: 'switch', head: headerOf(node, body, tree), arms, without: 'impossible' }]
    }
    case 'for_expression': {
      const over = child(node, 'value')
      return over ? [{ kind: 'loop', over, body: child(node, 'body') }] : []
    }
    case 'while_expression':
      return testLoop(node, child(node, 'condition'), tree)
    case 'try_expression': {
      const [value] = namedChildren(node)
      return value ? [{ kind: 'missing', value, state: 'is Err or None', ending: { outcome: 'early_return' } }] : []
    }
    case 'call_expression':
      return unwraps(node, tree)
    case 'binary_expression':
      return isReturned(node) ? shortCircuit(child(node, 'left'), operatorOf(node, tree)) : []
    case 'macro_invocation':
      return assertion(node, tree)
    default:
      return []
  }
}

function unwraps(node: SyntaxNode, tree: SourceTree): Construct[] {
  const callee = child(node, 'function')
  const value = callee && child(callee, 'value')
  const field = callee && child(callee, 'field')
  if (!value || !field) return []
  const args = child(node, 'arguments')
  switch (tree.text(field)) {
    case 'unwrap':
    case 'expect':
      return [{ kind: 'guard', test: value, state: 'is Err or None', result: thrown('panic', messageOf(args, tree)) }]
    case 'unwrap_or':
    case 'unwrap_or_else': {
      const [instead] = args ? namedChildren(args) : []
      return instead ? [{ kind: 'fallback', value, state: 'is Err or None', instead }] : []
    }
    default:
      return []
  }
}

function assertion(node: SyntaxNode, tree: SourceTree): Construct[] {
  const macro = child(node, 'macro')
  const name = macro ? tree.text(macro) : ''
  if (!/^(?:debug_)?assert(?:_eq|_ne)?$/.test(name)) return []
  const [tokens] = ofType(node, 'token_tree')
  if (!tokens) return []
  if (name.endsWith('_eq') || name.endsWith('_ne')) {
    return [{ kind: 'guard', test: node, state: 'fails', result: 'panic' }]
  }
  const comma = tokens.children.findIndex(({ type }) => type === ',')
  const first = tokens.children[1]
  const last = tokens.children.at((comma === -1 ? tokens.children.length - 1 : comma) - 1)
  const message = comma === -1 ? undefined : tokens.children.slice(comma).find(({ type }) => type === 'string_literal')
  if (!first || !last || last.end <= first.start) return []
  const test: Span = { start: first.start, end: last.end }
  return [{ kind: 'guard', test, result: thrown('panic', message && tree.text(message)) }]
}

const panics = /^(?:panic|unreachable|todo|unimplemented|bail)$/

function ending(node: SyntaxNode, tree: SourceTree): Ending | undefined {
  switch (node.type) {
    case 'expression_statement':
    case 'parenthesized_expression': {
      const [only] = namedChildren(node)
      return only && ending(only, tree)
    }
    case 'return_expression': {
      const [value] = namedChildren(node)
      if (!value) return { outcome: 'early_return' }
      const text = tree.text(value)
      return { outcome: 'returns', result: resultText(text), isError: /^(?:Err\b|None$)/.test(text.slice(0, 10)) }
    }
    case 'continue_expression':
    case 'break_expression':
      return { outcome: 'early_return', result: resultText(tree.text(node)) }
    case 'macro_invocation': {
      const macro = child(node, 'macro')
      const name = macro ? tree.text(macro) : ''
      if (!panics.test(name)) return undefined
      const [tokens] = ofType(node, 'token_tree')
      const message = tokens && messageOf(tokens, tree)
      if (name === 'bail') return { outcome: 'returns', result: resultText(tree.text(node)), isError: true }
      return { outcome: 'throws', result: thrown(name === 'panic' ? 'panic' : `panic (${name}!)`, message) }
    }
    default:
      return undefined
  }
}
