import type { CallExpression, Node, Program } from 'oxc-parser'
import { forEachChild, literalText, memberPath, unwrap } from '../../parsing/javascript/syntax.ts'
import type { Counts } from './counts.ts'
import { isWeakAssert, isWeakExpectation } from './weak-javascript.ts'

const assertModules = /^(?:node:)?assert(?:\/strict)?$|^(?:power-assert|uvu\/assert|@japa\/assert|tiny-invariant)$/
/** Members of `expect` that assert nothing. */
const settings = new Set(
  'assertions hasAssertions extend addSnapshotSerializer any anything objectContaining'.split(' '),
)
/** Assertion methods of the test argument `t` in ava, tape, tap and QUnit. */
const testMethods = new Set(
  (
    'is not deepEqual notDeepEqual like true false truthy falsy throws throwsAsync notThrows notThrowsAsync regex ' +
    'notRegex snapshot assert fail equal equals notEqual same notSame strictEqual notStrictEqual deepLooseEqual ok ' +
    'notOk match doesNotMatch doesNotThrow error ifError rejects resolves propEqual'
  ).split(' '),
)
const mockModules = /^(?:ts-mockito|(?:jest|vitest)-mock-extended|@golevelup\/ts-(?:jest|vitest|sinon)|testdouble)$/
/** Functions that create mocks, by the object that has them. */
const mocking: Record<string, RegExp> = {
  vi: /^(?:mock|doMock|fn|spyOn|stubGlobal|mockObject)$/,
  jest: /^(?:mock|doMock|unstable_mockModule|fn|spyOn|createMockFromModule|replaceProperty|setMock)$/,
  sinon: /^(?:stub|spy|mock|fake|createStubInstance|replace\w*)$/,
  sandbox: /^(?:stub|spy|mock|fake|createStubInstance|replace\w*)$/,
  td: /^(?:func|function|object|instance|constructor|imitate|replace|replaceEsm)$/,
  mock: /^(?:fn|method|module|getter|setter|property)$/,
  mockery: /^registerMock$/,
}
const mockFunctions = new Set(['proxyquire', 'rewiremock'])
/** Assertion helpers of the project, such as `expectTotal(cart, 5)`. */
const helpers = /^(?:expect|assert|verify|check)[A-Z]/

/** Counts assertions and mocks of a JavaScript or TypeScript test. */
export function javaScriptStyle(program: Program): Counts {
  const names = namesFromModules(program)
  const counts: Counts = { assertions: 0, weakAssertions: 0, mocks: 0 }
  let hasHelpers = false
  const visit = (node: Node): void => {
    if (node.type === 'CallExpression') {
      if (isMock(node, names)) counts.mocks += 1
      else if (isAssertion(node, names)) counts.assertions += 1
      if (isWeak(node, names)) counts.weakAssertions += 1
      hasHelpers ||= helpers.test(memberPath(unwrap(node.callee))?.[0] ?? '')
    } else if (node.type === 'MemberExpression' && isExpectation(node)) {
      counts.assertions += 1
    } else if (node.type === 'ExpressionStatement' && isWeakProperty(node.expression)) {
      counts.weakAssertions += 1
    }
    forEachChild(node, visit)
  }
  visit(program)
  // The strength of the assertions in helpers is unknown.
  return hasHelpers ? { ...counts, weakAssertions: 0 } : counts
}

interface Names {
  /** Local names of assertion modules and their exports. */
  assert: Set<string>
  mocks: Set<string>
  /** The known name of a mock library by its local name. */
  roots: Map<string, string>
}

function namesFromModules(program: Program): Names {
  const names: Names = { assert: new Set(['assert']), mocks: new Set(mockFunctions), roots: new Map() }
  const note = (module: string, local: string, imported: string | undefined) => {
    if (assertModules.test(module) || (module === 'chai' && imported === 'assert')) names.assert.add(local)
    else if (mockModules.test(module) && imported && /^(?:deep)?(?:mock|createMock|mockDeep|spy)/i.test(imported))
      names.mocks.add(local)
    else if (module === 'sinon' || module === 'testdouble') names.roots.set(local, module === 'sinon' ? 'sinon' : 'td')
  }
  const visit = (node: Node): void => {
    if (node.type === 'ImportDeclaration') {
      for (const specifier of node.specifiers) {
        const imported = specifier.type === 'ImportSpecifier' ? nameOf(specifier.imported) : undefined
        note(node.source.value, specifier.local.name, imported)
      }
      return
    }
    if (node.type === 'VariableDeclarator' && node.init) {
      const path = loaded(unwrap(node.init))
      if (path && node.id.type === 'Identifier') note(path.module, node.id.name, path.member)
      else if (path && node.id.type === 'ObjectPattern') {
        for (const property of node.id.properties) {
          if (property.type !== 'Property' || property.value.type !== 'Identifier') continue
          note(path.module, property.value.name, nameOf(property.key))
        }
      }
      const made = unwrap(node.init)
      const creates = made.type === 'CallExpression' && memberPath(made.callee)?.join('.') === 'sinon.createSandbox'
      if (creates && node.id.type === 'Identifier') names.roots.set(node.id.name, 'sinon')
    }
    forEachChild(node, visit)
  }
  visit(program)
  return names
}

const nameOf = (node: Node): string | undefined => (node.type === 'Identifier' ? node.name : literalText(node))

/** Splits `require('chai').assert` into the module and the member. */
function loaded(node: Node): { module: string; member: string | undefined } | undefined {
  if (node.type === 'MemberExpression' && !node.computed) {
    const inner = loaded(unwrap(node.object))
    return inner && { module: inner.module, member: nameOf(node.property) }
  }
  if (node.type !== 'CallExpression' || memberPath(node.callee)?.join('.') !== 'require') return undefined
  const module = literalText(node.arguments[0])
  return module === undefined ? undefined : { module, member: undefined }
}

function isMock(node: CallExpression, { mocks, roots }: Names): boolean {
  const path = memberPath(unwrap(node.callee))
  if (!path) return false
  if (path.length === 1) return mocks.has(path[0] ?? '')
  const [root = '', method = ''] = path.slice(-2)
  // `t.mock.fn()` of node:test, and `this.sandbox.stub()`.
  return mocking[roots.get(root) ?? root]?.test(method) ?? false
}

function isAssertion(node: CallExpression, { assert }: Names): boolean {
  const callee = unwrap(node.callee)
  const path = memberPath(callee)
  if (path && path.length > 0) {
    const [root = ''] = path
    const method = path.at(-1) ?? ''
    if (assert.has(root)) return !node.arguments.every((argument) => isConstant(argument)) || method === 'fail'
    if (root === 'expect' && path.length === 2) return method === 'fail' || method === 'unreachable'
    if (root === 't' && path[1] === 'assert') return true
    if (/^(?:t|tap)$/.test(root) && path.length === 2 && testMethods.has(method)) return !isConstant(node.arguments[0])
    if (root === 'sinon' && path[1] === 'assert') return true
  }
  if (callee.type !== 'MemberExpression' || callee.computed || node.arguments.length === 0) return false
  const name = nameOf(callee.property)
  // `request(app).get('/').expect(200)` of supertest, `cy.get('a').should('be.visible')` of Cypress.
  return name === 'expect' || (name === 'should' && !path?.includes('chai'))
}

function isWeak(node: CallExpression, names: Names): boolean {
  const callee = unwrap(node.callee)
  if (callee.type === 'MemberExpression' && beginsWithExpectation(callee))
    return isWeakExpectation(callee, node.arguments)
  const path = memberPath(callee)
  const method = path?.at(-1) ?? ''
  return (
    isAssertion(node, names) && isWeakAssert(method === 'strict' || path?.length === 1 ? 'ok' : method, node.arguments)
  )
}

/** Matches assertions of chai that are not calls, such as `expect(value).to.exist`. */
const isWeakProperty = (expression: Node): boolean => {
  const node = unwrap(expression)
  return node.type === 'MemberExpression' && beginsWithExpectation(node) && isWeakExpectation(node, [])
}

function beginsWithExpectation(node: Extract<Node, { type: 'MemberExpression' }>): boolean {
  if (isExpectation(node)) return true
  const object = unwrap(node.object)
  return object.type === 'MemberExpression' && beginsWithExpectation(object)
}

/** Matches the first member after `expect(value)` or after `value.should`. */
function isExpectation(node: Extract<Node, { type: 'MemberExpression' }>): boolean {
  const object = unwrap(node.object)
  if (object.type === 'CallExpression') {
    const path = memberPath(unwrap(object.callee)) ?? []
    const [root, kind] = path
    const named = /^(?:expect|should)$/.test(root ?? '') || (root === 'chai' && kind === 'expect')
    return named && !settings.has(kind ?? '') && object.arguments.length > 0 && !isConstant(object.arguments[0])
  }
  return object.type === 'MemberExpression' && !object.computed && nameOf(object.property) === 'should'
}

/** Whether the value does not depend on the tested code. */
function isConstant(raw: Node | undefined): boolean {
  if (!raw) return false
  const node = unwrap(raw)
  switch (node.type) {
    case 'Literal':
      return true
    case 'TemplateLiteral':
      return node.expressions.every(isConstant)
    case 'UnaryExpression':
      return isConstant(node.argument)
    case 'BinaryExpression':
    case 'LogicalExpression':
      return isConstant(node.left) && isConstant(node.right)
    case 'ArrayExpression':
      return node.elements.every((element) => element !== null && isConstant(element))
    case 'Identifier':
      return node.name === 'undefined' || node.name === 'NaN' || node.name === 'Infinity'
    default:
      return false
  }
}
