import { expect, test } from 'vitest'
import { conventionsOf, fillPrompt, prompts } from './prompts.ts'

test('values are inserted once and never interpreted as names', () => {
  expect(fillPrompt('{{a}} and {{b}}', { a: '{{b}}', b: 2 })).toBe('{{b}} and 2')
  expect(() => fillPrompt('{{c}}', {})).toThrow('the prompt requires a value for c')
})

test('every prompt has a version and marks repository text as data', () => {
  for (const { label } of Object.values(prompts)) expect(label).toMatch(/^[a-z-]+\.v\d+$/)
  for (const prompt of [prompts.suggestTests, prompts.generateTests, prompts.analyze]) {
    expect(prompt.text).toContain('{{material}}')
    expect(prompt.text).toContain('Answer with one JSON object')
  }
  expect(prompts.material.text.match(/\{\{boundary\}\}/g)).toHaveLength(2)
})

test('every framework has conventions', () => {
  const frameworks =
    `vitest jest mocha node:test ava jasmine bun:test pytest unittest junit junit4 testng rspec minitest test-unit
    phpunit pest xunit nunit mstest playwright cypress`.split(/\s+/)
  for (const framework of [...frameworks, 'go test', 'cargo test']) {
    expect(conventionsOf([framework])).toMatch(new RegExp(`^- ${framework}: .{20}`))
  }
  expect(conventionsOf(['outline'])).toBe('')
})
