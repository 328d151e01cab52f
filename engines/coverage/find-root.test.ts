import { expect, test } from 'vitest'
import { commonFolder, findRoot } from './find-root.ts'

const paths = ['index.js', 'src/a.ts', 'src/b.ts', 'packages/web/src/a.ts', 'packages/web/src/index.ts', 'lib/util.js']

test.each([
  ['the only folder that fits', ['/home/me/shop/src/a.ts', '/home/me/shop/src/b.ts'], '/home/me/shop'],
  ['a folder that some names confirm', ['/x/lib/util.js', '/x/dist/bundle.js', '/x/index.js'], '/x'],
  ['a Windows folder', ['C:\\work\\shop\\src\\b.ts'], 'C:/work/shop'],
  ['the folder by the longest path that fits', ['/ci/packages/web/src/a.ts', '/ci/src/a.ts'], '/ci'],
  ['no folder for two checkouts', ['/one/src/a.ts', '/two/src/b.ts'], null],
  ['no folder by the name of a file alone', ['/home/me/other/index.js'], null],
  ['no folder for unknown files', ['/home/me/other/main.c'], null],
  ['no folder without names', [], null],
])('finds %s', (_, names, root) => {
  expect(findRoot(names, paths)).toBe(root)
})

test.each([
  [['/home/me/shop/src/a.ts', '/home/me/shop/src/cart/b.ts'], '/home/me/shop/src'],
  [['/home/me/shop/src/a.ts'], '/home/me/shop/src'],
  [['C:\\shop\\a.ts', 'C:\\shop\\b.ts'], 'C:/shop'],
  [['/one/a.ts', '/two/b.ts'], null],
  [[], null],
])('names the folder that %j share', (names, folder) => {
  expect(commonFolder(names)).toBe(folder)
})
