import { expect, test } from 'vitest'
import { findModules, inModuleFolder } from './find-modules.ts'

const paths = ['go.mod', 'mux.go', 'internal/route.go', 'tools/go.mod', 'tools/cmd/main.go', 'tools/lint/lint.go']

test.each([
  ['a module in the root', ['github.com/gorilla/mux/mux.go'], [['github.com/gorilla/mux', '']]],
  ['one of a file that the repository lost', ['e.org/mux/gone.go', 'e.org/mux/mux.go'], [['e.org/mux', '']]],
  ['no module for a lost file of the name of another', ['e.org/mux/x/mux.go', 'e.org/mux/mux.go'], [['e.org/mux', '']]],
  [
    'a module in a folder',
    ['e.org/tools/cmd/main.go', 'e.org/mux/internal/route.go'],
    [
      ['e.org/tools', 'tools'],
      ['e.org/mux', ''],
    ],
  ],
  ['nothing in paths of the repository', ['internal/route.go', 'mux.go'], []],
  ['nothing in names of other files', ['src/mux.ts', '/home/me/mux.go', './mux.go', 'C:/mux.go'], []],
  ['nothing in unknown files', ['e.org/other/file.go'], []],
])('finds %s', (_, names, modules) => {
  expect(findModules(names, paths).map(({ path, folder }) => [path, folder])).toEqual(modules)
})

test('places files in the folders of their modules', () => {
  const modules = [
    { path: 'e.org/tools', folder: 'tools' },
    { path: 'e.org/mux', folder: '' },
  ]
  const names = ['e.org/tools/a.go', 'e.org/mux/b/c.go', 'e.org/else/d.go']
  expect(names.map((name) => inModuleFolder(name, modules))).toEqual(['tools/a.go', 'b/c.go', 'e.org/else/d.go'])
})
