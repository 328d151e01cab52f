import type { Tool as ListedTool } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import { listTools } from '../protocol/list-tools.ts'
import { everything, selectTools } from '../selection.ts'
import { expectedTokens, tokensOfTool } from './tokens.ts'
import { definitionsOf, tools } from './index.ts'

/** Over stdio, which lists a few more arguments than HTTP. */
const standard = listTools(definitionsOf(selectTools(everything)), true)
const all = listTools(tools, true)

const sum = (listed: readonly ListedTool[]) => listed.reduce((total, tool) => total + tokensOfTool(tool), 0)

test('the default tools cost at most 3,350 tokens, all tools 4,750', () => {
  expect(sum(standard)).toBeLessThanOrEqual(3_350)
  expect(sum(all)).toBeLessThanOrEqual(4_750)
})

test('no tool exceeds its number of tokens by more than a tenth', () => {
  const grown = all
    .map((tool) => ({ name: tool.name, now: tokensOfTool(tool), was: expectedTokens[tool.name] }))
    .filter(({ now, was }) => was === undefined || now > was * 1.1)
  expect(grown).toEqual([])
})
