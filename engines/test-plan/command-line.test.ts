import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { quoted } from './command-line.ts'

test('bash takes each word of a quoted line as it is', () => {
  const words = [
    '{--config=./evil.ts,a}.test.ts',
    '{1..3}.test.ts',
    '--log={output}/a.xml',
    '{output,b}',
    '~/a',
    '$HOME',
    "it's",
    'a b',
    '',
    '*',
    '!x',
    '[a]',
    '#x',
    'a;b',
  ]
  const printed = execFileSync('bash', ['-c', `printf '%s\\n' ${quoted(words)}`], { encoding: 'utf8' })
  expect(printed.split('\n').slice(0, -1)).toEqual(words)
})

test('does not quote plain words', () => {
  expect(quoted(['npx', 'vitest', 'run', 'src/cart.test.ts', '--reporter=json', '--out={output}/a'])).toBe(
    'npx vitest run src/cart.test.ts --reporter=json --out={output}/a',
  )
})
