import { expect, test } from 'vitest'
import { linksOf, repository } from './testing/repository.ts'

test('leads imports to the files of a package that declare what is used', async () => {
  const repo = await repository({
    'go.mod': 'module github.com/acme/app // the app\n\ngo 1.22\n',
    'main.go': `package main
import (
  "fmt"
  "github.com/acme/app/internal/store"
  _ "github.com/acme/app/drivers"
)
func main() { fmt.Println(store.Open("x").Get(1)) }`,
    'internal/store/store.go': 'package store\nfunc Open(name string) *Store { return &Store{} }',
    'internal/store/get.go': 'package store\ntype Store struct{}\nfunc (s *Store) Get(id int) int { return id }',
    'internal/store/close.go': 'package store\nfunc Close() {}',
    'internal/store/store_test.go': 'package store\nfunc Open(name string) {}',
    'drivers/pg.go': 'package drivers\nfunc init() { register() }\nfunc register() {}',
  })
  expect(linksOf(repo, 'main.go')).toEqual([
    'drivers/pg.go: (passes on)',
    'internal/store/get.go: Get',
    'internal/store/store.go: Open',
  ])
})

test('files of a package know each other, and its tests load all of them', async () => {
  const repo = await repository({
    'go.mod': 'module example.org/lib',
    'tree.go': 'package lib\nfunc insert(n int) int { return balance(n) }',
    'balance.go': 'package lib\nfunc balance(n int) int { return n }',
    'unrelated.go': 'package lib\nfunc unrelated() {}',
    'tree_test.go': 'package lib\nimport "testing"\nfunc TestInsert(t *testing.T) { insert(1) }',
    'outer_test.go':
      'package lib_test\nimport (\n"testing"\n"example.org/lib"\n)\nfunc TestOuter(t *testing.T) { lib.Public() }',
    'public.go': 'package lib\nfunc Public() { insert(1) }',
  })
  expect(linksOf(repo, 'tree.go')).toEqual(['balance.go: balance'])
  expect(linksOf(repo, 'tree_test.go')).toEqual([
    'balance.go: (passes on)',
    'public.go: (passes on)',
    'tree.go: insert',
    'unrelated.go: (passes on)',
  ])
  expect(linksOf(repo, 'outer_test.go')).toContain('public.go: Public')
})

test('finds the innermost of nested modules', async () => {
  const repo = await repository({
    'go.mod': 'module example.org/mono',
    'tools/go.mod': 'module example.org/mono/tools',
    'tools/gen/gen.go': 'package gen\nfunc Run() {}',
    'cmd/main.go': 'package main\nimport "example.org/mono/tools/gen"\nfunc main() { gen.Run() }',
  })
  expect(linksOf(repo, 'cmd/main.go')).toEqual(['tools/gen/gen.go: Run'])
})
