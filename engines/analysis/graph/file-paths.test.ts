import { expect, test } from 'vitest'
import { filePaths } from './file-paths.ts'
import { resolutionOf } from './javascript/resolution.ts'

const files = ['package.json', 'src/a.ts', 'src/b.ts']
const manifests = (name: string) => new Map([['package.json', `{"name":"${name}"}`]])

test('what follows from paths and manifests is known as long as neither changes', () => {
  const first = filePaths(files, manifests('shop'))
  expect(filePaths([...files], manifests('shop'))).toBe(first)
  expect(resolutionOf(first)).toBe(resolutionOf(filePaths(files, manifests('shop'))))

  const renamed = filePaths(files, manifests('store'))
  expect(renamed).not.toBe(first)
  expect(renamed.manifests.get('package.json')).toBe('{"name":"store"}')
  expect(resolutionOf(renamed)).not.toBe(resolutionOf(first))

  const moved = filePaths(['package.json', 'src/b.ts', 'src/c.ts'], manifests('store'))
  expect(moved).not.toBe(renamed)
  expect(moved.idOf('src/c.ts')).toBe(2)
  expect(moved.idOf('src/a.ts')).toBeUndefined()
})

test('a file is found by its directory', () => {
  const paths = filePaths(['a.ts', 'src/app/b.ts', 'src/app/c.ts'], new Map())
  expect(paths.inDirectory('')).toEqual([0])
  expect(paths.inDirectory('src/app')).toEqual([1, 2])
  expect(paths.hasDirectory('src/app')).toBe(true)
  expect(paths.folderNames()).toEqual(new Set(['app', 'src', '']))
})
