import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FileName } from '../../files/schema.ts'
import { freeName, storableName } from './file-names.ts'

test('converts any name to a storable one, and keeps valid names', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 1_000 }), (name) => {
      expect(FileName.safeParse(`artifacts/${storableName(name)}`).success).toBe(true)
    }),
  )
  for (const name of ['junit.xml', 'a/b c/ü 😀.html', '.hidden', 'C:x']) expect(storableName(name)).toBe(name)
  expect(storableName('./a/../../b\\c')).toBe('a/b/c')
  expect(storableName(`${'x'.repeat(500)}.xml`)).toMatch(/x\.xml$/)
  expect(storableName(`${'😀'.repeat(300)}.xml`)).toMatch(/^😀.*\.xml$/u)
})

test('gives files with the same name different names', () => {
  const taken = new Set(['a/junit-2.xml'])
  const names = ['a/junit.xml', 'a/junit.xml', 'a/junit.xml', 'a.b/none', 'a.b/none']
  expect(names.map((name) => freeName(name, taken))).toEqual([
    'a/junit.xml',
    'a/junit-3.xml',
    'a/junit-4.xml',
    'a.b/none',
    'a.b/none-2',
  ])
})
