import { child, namedChildren, nodesOf, type SyntaxNode } from '../../parsing/syntax-tree.ts'
import type { Counts } from './counts.ts'

type Text = (node: SyntaxNode) => string

const testing = /^\*?testing\.(?:TB|[TBF])$/
const failing = /^(?:Error|Fatal)f?$|^Fail(?:Now)?$/
/** Packages whose every function asserts something: testify, gotest.tools, quicktest, is. */
const asserting = /^(?:assert|require|qt|is|check|must)$/
const mockType = /^(?:\w*\.)?Mock[A-Z_]\w*$|^\w*Mock$|^mocks\.[A-Z]\w*$/

/**
 * Counts assertions and mocks of a Go test. `cmp.Diff` does not count, because the `t.Error` that reports the difference
 * does.
 */
export function goStyle(root: SyntaxNode, text: Text): Counts {
  const counts: Counts = { assertions: 0, weakAssertions: 0, mocks: 0 }
  const testers = testerNames(root, text)
  for (const node of nodesOf(root)) {
    if (node.type === 'call_expression') {
      if (isMock(node, text)) counts.mocks += 1
      else if (isAssertion(node, testers, text)) {
        counts.assertions += 1
        if (isWeak(node, text)) counts.weakAssertions += 1
      }
    } else if (node.type === 'composite_literal') {
      const type = child(node, 'type')
      if (type && mockType.test(text(type))) counts.mocks += 1
    } else if (node.type === 'comment' && /^\/\/ (?:Unordered )?[Oo]utput:/.test(text(node))) {
      // The expected output of an example.
      counts.assertions += 1
    }
  }
  return counts
}

/** Finds the names of the `*testing.T` parameters. */
function testerNames(root: SyntaxNode, text: Text): Set<string> {
  const names = new Set<string>()
  for (const node of nodesOf(root)) {
    const type = node.type === 'parameter_declaration' ? child(node, 'type') : undefined
    if (!type || !testing.test(text(type))) continue
    for (const part of node.children) if (part.field === 'name') names.add(text(part))
  }
  return names
}

/** `NewMockStore(ctrl)` of gomock, `mocks.NewStore(t)` and `new(MockStore)` of mockery. */
function isMock(node: SyntaxNode, text: Text): boolean {
  const called = child(node, 'function')
  const name = called ? text(called) : ''
  if (/(?:^|\.)NewMock[A-Z_]\w*$/.test(name) || /^mocks\.New\w+$/.test(name) || name === 'sqlmock.New') return true
  const [argument] = namedChildren(child(node, 'arguments') ?? node)
  return name === 'new' && argument !== undefined && mockType.test(text(argument))
}

function isAssertion(node: SyntaxNode, testers: ReadonlySet<string>, text: Text): boolean {
  const called = child(node, 'function')
  if (called?.type !== 'selector_expression') return false
  const [operand, field] = [child(called, 'operand'), child(called, 'field')]
  if (!operand || !field) return false
  const [owner, name] = [text(operand), text(field)]
  if (testers.has(owner)) return failing.test(name)
  if (/^Assert(?:Expectations|Called|NotCalled|NumberOfCalls)$/.test(name)) return true
  if (asserting.test(owner)) return name !== 'New' && !isConstantCheck(node)
  // Suites of testify, and `Expect(value).To(…)` of gomega.
  if (/\.(?:Assert|Require)\(\)$/.test(owner)) return true
  return /^(?:\w+\.)?Expect\(/.test(owner) && /^(?:Not)?To|^Should(?:Not)?$/.test(name)
}

/** Matches checks that a value exists or no error occurred: `t.Fatal(err)`, `require.NoError(t, err)`. */
function isWeak(node: SyntaxNode, text: Text): boolean {
  const called = child(node, 'function')
  const field = called && child(called, 'field')
  const name = field ? text(field) : ''
  const given = namedChildren(child(node, 'arguments') ?? node)
  if (/^(?:Error|Fatal)$/.test(name)) return given.length === 1 && given.every((one) => /^err\w*$/i.test(text(one)))
  return /^(?:NotNil|NoError|IsType|Implements|NotPanics)f?$/.test(name)
}

const constants = new Set(['true', 'false', 'nil', 'int_literal', 'float_literal', 'interpreted_string_literal'])

/** Matches checks that do not depend on the code, such as `assert.True(t, true)`. */
function isConstantCheck(node: SyntaxNode): boolean {
  const [, ...checked] = namedChildren(child(node, 'arguments') ?? node)
  return checked.length > 0 && checked.every((argument) => constants.has(argument.type))
}
