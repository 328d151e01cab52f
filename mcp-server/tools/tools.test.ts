import { expect, test } from 'vitest'
import { Scope } from '../../core/tokens/schema.ts'
import { listTools } from '../list-tools.ts'
import { tools } from './index.ts'

const named = tools.map((tool) => [tool.name, tool] as const)
const listed = [...listTools(tools, true), ...listTools(tools, false)].map((tool) => [tool.name, tool] as const)

test('the tools are listed in one order, the same for both transports', () => {
  const order = [
    'whoami',
    'list_projects',
    'get_project',
    'create_project',
    'analyze_repository',
    'get_analysis',
    'suggest_tests',
  ]
  expect(tools.map(({ name }) => name)).toEqual(order)
  expect(listTools(tools, true).map(({ name }) => name)).toEqual(order)
  expect(listTools(tools, false).map(({ name }) => name)).toEqual(order)
})

test.each(named)('%s has a name, title and description that no client cuts', (_name, { name, title, description }) => {
  expect(name).toMatch(/^[a-z]+(?:_[a-z]+)*$/)
  expect(name.length).toBeLessThanOrEqual(26)
  expect(title.length).toBeGreaterThan(0)
  expect(description.length).toBeGreaterThan(40)
  expect(description.length).toBeLessThanOrEqual(400)
})

test.each(named)('%s gives all four hints and the scope that it needs', (_name, { hints, scope }) => {
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

test.each(listed)('%s lets nobody say who acts', (_name, { inputSchema }) => {
  const names = Object.keys(inputSchema.properties ?? {}).map((name) => name.toLowerCase())
  expect(names.filter((name) => /token|email|password|secret|apikey/.test(name))).toEqual([])
})

const toolsWithPath = (local: boolean) =>
  listTools(tools, local).flatMap(({ name, inputSchema }) =>
    'localPath' in (inputSchema.properties ?? {}) ? [name] : [],
  )

test('arguments for the own machine are listed over stdio only', () => {
  expect(toolsWithPath(true)).toEqual(['analyze_repository', 'suggest_tests'])
  expect(toolsWithPath(false)).toEqual([])
})

test('the list of tools stays within its budget of tokens', () => {
  // Measured with o200k_base such lists come to 4.2 characters per token and more.
  const charactersPerToken = 4
  const paidByModels = listTools(tools, true).map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }))
  expect(JSON.stringify(paidByModels).length / charactersPerToken).toBeLessThanOrEqual(850)
  expect(JSON.stringify(listTools(tools, true)).length / charactersPerToken).toBeLessThanOrEqual(3_000)
})
