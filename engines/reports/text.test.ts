import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutText, firstLine, plainText, relativePath, withRepositoryPaths } from './text.ts'

test('shortens texts to the limit, keeps both ends and whole characters', () => {
  expect(cutText('short', 10)).toBe('short')
  expect(cutText(`a${'x'.repeat(500)}z`, 100)).toMatch(/^ax+\n… 402 characters left out …\nx+z$/)
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', '\n', 'ü', '😀'), { maxLength: 200 }),
      fc.integer({ min: 1, max: 200 }),
      (characters, max) => {
        const cut = cutText(characters.join(''), max)
        expect(cut.length).toBeLessThanOrEqual(max)
        expect(cut.isWellFormed()).toBe(true)
      },
    ),
  )
})

test('plain text has no colors, no control characters and no half characters', () => {
  expect(plainText('\u001b[1;31mred\u001b[0m\tand\r\nblue\0\u0007 \uD800!')).toBe('red\tand\nblue \uFFFD!')
  expect(firstLine('\n  \n  first \nsecond')).toBe('first')
  expect(firstLine(' \n')).toBe('')
})

test.each([
  ['src/a.ts', 'src/a.ts'],
  ['./src//a.ts', 'src/a.ts'],
  ['src\\win\\a.ts', 'src/win/a.ts'],
  ['/app/src/a.ts', 'src/a.ts'],
  ['file:///app/src/a%20b.ts', 'src/a b.ts'],
  ['file:///app/100%.ts', '100%.ts'],
  ['C:\\build\\src\\a.cs', 'src/a.cs'],
  ['src/../a.ts', 'a.ts'],
  ['../a.ts', null],
  ['/app/../etc/passwd', null],
  ['/appendix/a.ts', null],
  ['/app', null],
  ['/app/', null],
  ['', null],
  ['node:internal/process', null],
  ['https://example.com/a.ts', null],
  ['a\0b', null],
])('the path %j is %j in the repository', (path, expected) => {
  expect(relativePath(path, ['/app/', 'C:\\build'])).toBe(expected)
})

test('accepts no path that leads out of the repository', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('..', '.', 'a', '/', '\\', '', '/app', 'C:', 'file://'), { maxLength: 8 }),
      (parts) => {
        const path = relativePath(parts.join('/'), ['/app'])
        if (path !== null) expect(path.split('/')).not.toContain('..')
        expect(path ?? 'none').not.toMatch(/^\/|^$|^[A-Za-z]:/)
      },
    ),
  )
})

test('names files of the repository by their paths in it, and leaves other paths as they are', () => {
  const files = new Set(['test/a.test.js', 'src/a.js'])
  const text =
    "/checkout/test/a.test.js:3\nCannot find module '/checkout/src/b.js' imported from /checkout/src/a.js\n" +
    'at file:///checkout/src/a.js:1:2 (file:///checkout/node_modules/x.js:1)\n'
  expect(withRepositoryPaths(text, '/checkout', files)).toBe(
    "test/a.test.js:3\nCannot find module '/checkout/src/b.js' imported from src/a.js\n" +
      'at src/a.js:1:2 (file:///checkout/node_modules/x.js:1)\n',
  )
  expect(withRepositoryPaths('nothing', '/checkout', files)).toBe('nothing')
})
