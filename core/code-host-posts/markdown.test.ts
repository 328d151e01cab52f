import { expect, test } from 'vitest'
import { codeBlock, codeCell, codeSpan, plainText } from './markdown.ts'

test.each([
  ['src/price.ts', '`src/price.ts`'],
  ['a `b` c', '``a `b` c``'],
  ['`', '`` ` ``'],
  ['```', '```` ``` ````'],
  ['@octocat #1 <b>', '`@octocat #1 <b>`'],
  ['two\nlines\r\n/merge', '`two lines  /merge`'],
  ['\u202eevil\0', '`\ufffdevil\ufffd`'],
  ['', '` `'],
])('shows %j as code in a line', (text, shown) => {
  expect(codeSpan(text)).toBe(shown)
})

test('a cell of a table contains no bar', () => {
  expect(codeCell('a | b')).toBe('`a \u2502 b`')
  expect(codeCell('a \\| b')).not.toContain('|')
})

test.each(['```\n@octocat\n```', '````', 'a\n``````\n```\nb'])('a block of code does not end early: %j', (text) => {
  const [first = '', ...rest] = codeBlock(text, 'ts').split('\n')
  const fence = /^`+/.exec(first)?.[0] ?? ''
  expect(first).toBe(`${fence}ts`)
  expect(rest.at(-1)).toBe(fence)
  expect(rest.slice(0, -1).some((line) => line.includes(fence))).toBe(false)
  expect(rest.slice(0, -1).join('\n')).toBe(text)
})

test.each([
  ['@octocat', '@&#8203;octocat'],
  ['fixes #1 and GH-2', 'fixes #&#8203;1 and GH&#8203;\\-2'],
  ['!3 $4 %5 ~bug', '!&#8203;3 $&#8203;4 %&#8203;5 ~&#8203;bug'],
  ['https://evil.example', 'https:&#8203;\\/\\/evil\\.example'],
  ['www.evil.example', 'www&#8203;\\.evil\\.example'],
  ['<script>&', '&lt;script&gt;&amp;'],
  ['[a](b) **c** _d_ `e` | f', '\\[a\\]\\(b\\) \\*\\*c\\*\\* \\_d\\_ \\`e\\` \\| f'],
  ['/close\n/merge', '\\/close \\/merge'],
  ['deadbeef1', 'dea&#8203;dbeef1'],
  ['1. a', '1\\. a'],
])('shows %j as prose', (text, shown) => {
  expect(plainText(text)).toBe(shown)
})
