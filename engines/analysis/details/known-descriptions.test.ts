import { expect, test } from 'vitest'
import type { SymbolDescription, SymbolPlace } from '../../parsing/description/types.ts'
import type { FileDescriptions, FileRecord } from '../types.ts'
import { descriptionKey, keepDescriptions } from './known-descriptions.ts'

const place: SymbolPlace = { name: 'Queue.add', startLine: 10, endLine: 20 }

test('knows a description by its place and those that share lines with it', () => {
  const elsewhere = { name: 'other', startLine: 30, endLine: 40 }
  const inside = { name: 'inner', startLine: 12, endLine: 14 }
  const key = descriptionKey(place, [place])
  expect(descriptionKey(place, [elsewhere, place])).toBe(key)
  expect(descriptionKey(inside, [place, inside])).not.toBe(descriptionKey(place, [place, inside]))
  const boundary = { ...inside, isBoundary: true as const }
  expect(descriptionKey(place, [place, boundary])).toBe(descriptionKey(place, [place, inside]))
  const moved = { ...place, endLine: 21 }
  const entered = { ...place, entry: elsewhere }
  for (const other of [
    descriptionKey(place, [place, inside]),
    descriptionKey(moved, [moved]),
    descriptionKey(entered, [entered]),
  ])
    expect(other).not.toBe(key)
})

const described: SymbolDescription = { cases: [] }

test('adds to what is known, and leaves records without news as they are', () => {
  const old: FileRecord = { language: 'Go', size: 1, descriptions: { a: described, none: null } }
  const records = new Map([['1 a.go', old]])
  keepDescriptions(records, new Map<string, FileDescriptions>([['1 a.go', { none: null }]]))
  expect(records.get('1 a.go')).toBe(old)
  keepDescriptions(records, new Map<string, FileDescriptions>([['1 a.go', { b: described }], ['unknown', { b: described }]])) // prettier-ignore
  expect([...records]).toEqual([['1 a.go', { ...old, descriptions: { a: described, none: null, b: described } }]])
})

test('keeps only what was used last when there are too many', () => {
  const record: FileRecord = { language: 'Go', size: 1 }
  const records = new Map<string, FileRecord>([
    ['1 a.go', { ...record, descriptions: { a: described, b: described } }],
    ['2 b.go', { ...record, descriptions: { c: described } }],
  ])
  keepDescriptions(records, new Map<string, FileDescriptions>([['1 a.go', { b: described }]]), 2)
  expect([...records]).toEqual([
    ['1 a.go', { ...record, descriptions: { b: described } }],
    ['2 b.go', record],
  ])
})
