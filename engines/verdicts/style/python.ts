import { child, namedChildren, nodesOf, type SyntaxNode } from '../../parsing/syntax-tree.ts'
import { calledName } from '../../mutation/python/calls.ts'
import type { Counts } from './counts.ts'

export type Text = (node: SyntaxNode) => string

const mocks =
  /^(?:Mock|MagicMock|AsyncMock|NonCallableMock|PropertyMock|create_autospec|mock_open|patch|flexmock|sentinel)$/
const pytestAssertions = /^(?:raises|RaisesGroup|warns|deprecated_call|fail)$/
const imported = /^(?:raises|RaisesGroup|warns|deprecated_call)$/

/** Counts assertions and mocks of a Python test. */
export function pythonStyle(root: SyntaxNode, text: Text): Counts {
  const counts: Counts = { assertions: 0, weakAssertions: 0, mocks: 0 }
  for (const node of nodesOf(root)) {
    if (node.type === 'assert_statement') {
      const [tested] = namedChildren(node)
      if (!tested || isConstant(tested)) continue
      counts.assertions += 1
      if (isWeakClaim(tested, text)) counts.weakAssertions += 1
    } else if (node.type === 'call') {
      const path = calledName(node, text)
      if (isMock(path)) counts.mocks += 1
      else if (isAssertion(node, path)) {
        counts.assertions += 1
        if (isWeakCall(node, path, text)) counts.weakAssertions += 1
      }
    }
  }
  return counts
}

/** `patch('a')`, `mock.patch.object(a, 'b')`, `mocker.patch('a')`, `monkeypatch.setattr(…)`. */
function isMock(path: string[]): boolean {
  const [root] = path
  const name = path.at(-1) ?? ''
  if (root === 'monkeypatch') return /^(?:set|del)(?:attr|item)$/.test(name)
  if (/^(?:mocker|class_mocker|module_mocker|session_mocker)$/.test(root ?? '')) {
    return mocks.test(name) || path.includes('patch') || name === 'spy' || name === 'stub'
  }
  return mocks.test(name) || (/^(?:object|dict|multiple)$/.test(name) && path.at(-2) === 'patch')
}

/** Whether a call of that name asserts that some code raises an error. */
export function expectsError(path: string[]): boolean {
  const name = path.at(-1) ?? ''
  const isOfPytest = path.length === 1 || path[0] === 'pytest'
  return isOfPytest && /^(?:raises|RaisesGroup)$/.test(name) ? true : /^assert(?:Raises|_raises)/.test(name)
}

function isAssertion(node: SyntaxNode, path: string[]): boolean {
  const [root] = path
  const name = path.at(-1) ?? ''
  if (root === 'pytest') return pytestAssertions.test(name)
  if (path.length === 1 && imported.test(name)) return true
  // Assertions of mocks count even with constant arguments.
  if (/^assert_(?:not_)?(?:any_|has_)?(?:called|call|await)/.test(name)) return true
  const given = namedChildren(child(node, 'arguments') ?? node)
  if (/^assert(?:_|[A-Z])/.test(name)) return given.length === 0 || !given.every(isConstant)
  return root === 'self' && name === 'fail'
}

/** Matches checks that a value exists or has a type, or that a mock was called. */
function isWeakCall(node: SyntaxNode, path: string[], text: Text): boolean {
  const name = path.at(-1) ?? ''
  const given = namedChildren(child(node, 'arguments') ?? node)
  if (/^assert_(?:called|awaited)(?:_once)?$/.test(name)) return given.length === 0
  if (/^assertIs(?:NotNone|Instance)$/.test(name)) return true
  const [claimed] = given
  return name === 'assertTrue' && claimed !== undefined && isWeakClaim(claimed, text)
}

function isWeakClaim(node: SyntaxNode, text: Text): boolean {
  const claim = text(node)
  const parts = namedChildren(node).filter((part) => part.field !== 'operators')
  switch (node.type) {
    case 'boolean_operator':
    case 'parenthesized_expression':
      return parts.every((part) => isWeakClaim(part, text))
    case 'call':
      return /^(?:isinstance|issubclass|callable|hasattr)\(/.test(claim)
    case 'attribute':
      return claim.endsWith('.called')
    case 'comparison_operator':
      return (
        parts.length === 2 &&
        /(?:\bis\s+not|!=)\s+None$|^type\(.*\)\s*(?:is|==)\s|\.call_count\s*(?:>\s*0|>=\s*1)$/s.test(claim)
      )
    default:
      return false
  }
}

const constants = new Set(['true', 'false', 'none', 'integer', 'float', 'ellipsis'])
const composed = new Set([
  'comparison_operator',
  'boolean_operator',
  'not_operator',
  'unary_operator',
  'binary_operator',
  'parenthesized_expression',
  'list',
  'tuple',
])

/** Whether the value does not depend on the tested code. */
function isConstant(node: SyntaxNode): boolean {
  if (constants.has(node.type)) return true
  if (node.type === 'string') return !node.children.some((part) => part.type === 'interpolation')
  const parts = namedChildren(node).filter((part) => part.field !== 'operators')
  return composed.has(node.type) && parts.every(isConstant)
}
