import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noteVisit } from '../src/visits.js'

test('a visit is counted', () => assert.ok(noteVisit('ada') >= 1))
