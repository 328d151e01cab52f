import { expect, test } from 'vitest'
import { Scope } from '../../core/base/schema.ts'
import { listTools } from '../protocol/list-tools.ts'
import { expectedTokens } from './tokens.ts'
import { catalog } from './catalog.ts'
import { tools, toolsets } from './index.ts'

const named = tools.map((tool) => [tool.name, tool] as const)
const listed = [...listTools(tools, true), ...listTools(tools, false)].map((tool) => [tool.name, tool] as const)

test('lists the tools in the same order over both transports', () => {
  const order = Object.keys(expectedTokens)
  expect(tools.map(({ name }) => name)).toEqual(order)
  expect(listTools(tools, true).map(({ name }) => name)).toEqual(order)
  expect(listTools(tools, false).map(({ name }) => name)).toEqual(order)
})

test('the catalog says of each tool what its definition says', () => {
  const defined = Object.entries(toolsets).map(([set, ofSet]) => [
    set,
    ofSet.map(({ name, scope, hints }) => ({ name, scope, readOnly: hints.readOnlyHint })),
  ])
  expect(catalog).toEqual(Object.fromEntries(defined))
})

test.each(named)(
  '%s has a name, title and description within the limits of all clients',
  (_name, { name, title, description }) => {
    expect(name).toMatch(/^[a-z]+(?:_[a-z]+)*$/)
    expect(name.length).toBeLessThanOrEqual(26)
    expect(title.length).toBeGreaterThan(0)
    expect(description.length).toBeGreaterThan(40)
    expect(description.length).toBeLessThanOrEqual(400)
  },
)

test.each(named)('%s declares all four hints and its scope', (_name, { hints, scope }) => {
  expect(Object.keys(hints).toSorted()).toEqual(['destructiveHint', 'idempotentHint', 'openWorldHint', 'readOnlyHint'])
  for (const hint of Object.values(hints)) expect(typeof hint).toBe('boolean')
  expect(hints.readOnlyHint && hints.destructiveHint).toBe(false)
  expect([null, ...Scope.options]).toContain(scope)
})

test.each(listed)('%s has flat objects as schemas', (_name, { inputSchema, outputSchema }) => {
  for (const schema of [inputSchema, outputSchema]) {
    expect(schema).toMatchObject({ type: 'object' })
    for (const keyword of ['oneOf', 'anyOf', 'allOf', '$ref', '$defs', '$schema']) {
      expect(schema).not.toHaveProperty(keyword)
    }
  }
})

test.each(listed)('%s takes confirm if it is destructive, unless the loss is recoverable', (_name, tool) => {
  const { name, inputSchema, annotations } = tool
  const recoverable = ['cancel_run']
  const takesConfirm = 'confirm' in (inputSchema.properties ?? {})
  expect(takesConfirm).toBe(annotations?.destructiveHint === true && !recoverable.includes(name))
})

test.each(listed)('%s takes no identity or credentials as arguments', (_name, { inputSchema }) => {
  const names = Object.keys(inputSchema.properties ?? {}).map((name) => name.toLowerCase())
  expect(names.filter((name) => /token|email|password|secret|apikey/.test(name))).toEqual([])
})

const toolsWithPath = (local: boolean) =>
  listTools(tools, local).flatMap(({ name, inputSchema }) =>
    Object.keys(inputSchema.properties ?? {}).some((argument) => /^local[A-Z]/.test(argument)) ? [name] : [],
  )

test('lists local arguments over stdio only', () => {
  expect(toolsWithPath(true)).toEqual([
    'analyze_repository',
    'suggest_tests',
    'generate_tests',
    'verify_test',
    'verify_change',
    'check_patch',
    'find_weak_tests',
    'select_tests',
    'trigger_run',
  ])
  expect(toolsWithPath(false)).toEqual([])
})
