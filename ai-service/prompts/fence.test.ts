import { expect, test } from 'vitest'
import { createRedact } from '../secrets.ts'
import { estimateTokens, fenceSections, newBoundary } from './fence.ts'

const redact = createRedact([])
const boundary = 'b0'
const section = (name: string, entries: string[], share = 1) => ({ name, title: `${name}:`, entries, share })

test('every request has its own random mark', () => {
  const marks = Array.from({ length: 100 }, newBoundary)
  expect(new Set(marks).size).toBe(100)
  expect(marks[0]).toMatch(/^[0-9a-f]{24}$/)
})

test('puts each section into its own fence, and omits empty sections', () => {
  const { text, warnings } = fenceSections([section('a', ['1', '2']), section('b', [])], {
    boundary,
    tokens: 1_000,
    redact,
  })
  expect(text).toBe('a:\n[[ a b0 ]]\n1\n2\n[[ end a b0 ]]')
  expect(warnings).toEqual([])
})

test('never exceeds the limit', () => {
  for (const tokens of [0, 10, 50, 300, 1_000, 5_000]) {
    for (const entry of ['x', 'line\n'.repeat(2_000), 'ж'.repeat(3_000), '\u{1F600}'.repeat(900)]) {
      const sections = [section('a', Array(50).fill(entry), 0.5), section('b', Array(50).fill(entry))]
      const { text } = fenceSections(sections, { boundary, tokens, redact })
      expect(estimateTokens(text)).toBeLessThanOrEqual(tokens)
    }
  }
})

test('the next section gets the unused space', () => {
  const lines = Array.from({ length: 400 }, (_, index) => `entry ${index}`)
  const alone = fenceSections([section('b', lines)], { boundary, tokens: 800, redact }).text
  const behind = fenceSections([section('a', ['1'], 0.5), section('b', lines)], { boundary, tokens: 800, redact }).text
  expect(behind.length).toBeGreaterThan(alone.length * 0.9)
})

test('a long entry is cut at the end of a line, without leaving half of a key', () => {
  const entry = `${'const a = 1\n'.repeat(200)}const key = 'sk-proj-${'k'.repeat(2_000)}'\n`
  for (let tokens = 860; tokens < 900; tokens++) {
    const { text, warnings } = fenceSections([section('a', [entry])], { boundary, tokens, redact })
    expect(text).not.toContain('kkkk')
    expect(warnings).toEqual(['1 of 1 a exceeded the limit of the model and were cut or omitted.'])
  }
})
