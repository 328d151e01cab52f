import { expect, test } from 'vitest'
import { parseLeniently } from '../parsing/javascript/parse-javascript.ts'
import { readTree } from '../parsing/syntax-tree.ts'
import { mutantsOf } from './mutants-of.ts'
import { otherText, withComment } from './other-text.ts'
import { everyLine } from './testing.ts'

test.each([
  ['a.js', 'if (a < b) x = `${c * 2}`', 'if ( a < b ) x = `${ c * 2 }`'],
  ['a.py', 'def f(a):\n    return a[1:] + 2', 'def f(a):\n    return  a[ 1 :] + 2'],
  ['a.go', 'package a\nfunc f(a int) bool { return a < 2 }', 'package a\nfunc f(a int) bool { return  a < 2 }'],
])('%s gets another text with the old one as a comment, and parses as before', async (path, source, spaced) => {
  const mark = path === 'a.py' ? '#' : '//'
  const text = otherText(path, source, await mutantsOf(path, source, everyLine), 'one\ntwo')
  expect(text?.replace(/ +(?=[\n}])/g, ' ').replace(/ +$/gm, '')).toBe(
    `${spaced}\n\n${mark} | one\n${mark} | two\n`.replace(/ +$/gm, ''),
  )
  if (path === 'a.js') expect(parseLeniently(text ?? '', 'js').errors).toEqual([])
  else expect(await readTree(text ?? '', path === 'a.py' ? 'python' : 'go', 3_000)).toBeDefined()
})

test('nothing in the added text ends the comment or is read by a tool', () => {
  expect(withComment('a.ts', 'x()', 'a\u2028b\r\nc\rd\n//# sourceMappingURL=a.map')).toBe(
    'x()\n\n// | a\n// | b\n// | c\n// | d\n// | //# source mapping URL=a.map\n',
  )
})

test.each(['a.vue', 'a.php', 'a.lua', 'a'])('%s is left alone', (path) => {
  expect(withComment(path, '', 'text')).toBeNull()
})

test('data at the end of a source stays as it is', () => {
  expect(withComment('a.rb', 'puts DATA.read\n__END__\n1\n', 'text')).toBeNull()
})
