import { expect, test } from 'vitest'
import { testRunner } from '../processes/testing/runner.ts'
import { readTestStyle } from './test-style.ts'
import { styleOf } from './style/style-of.ts'

const counts = async (path: string, source: string) => {
  const style = await styleOf(path, source)
  return style && [style.assertions, style.mocks]
}

test('reads a test in a process of its own', async () => {
  const source = `
import { expect, test, vi } from 'vitest'
vi.mock('./store.ts')
test('adds', () => {
  const done = vi.fn()
  add(1, 2, done)
  expect(done).toHaveBeenCalledWith(3)
  expect(add(1, 2)).toBe(3)
})`
  expect(await readTestStyle(testRunner, 'add.test.ts', source)).toEqual({
    assertions: 2,
    weakAssertions: 0,
    mocks: 2,
    mockShare: 0.5,
  })
  expect(await readTestStyle(testRunner, 'add.test.ts', 'add(1, 2)')).toEqual({
    assertions: 0,
    weakAssertions: 0,
    mocks: 0,
    mockShare: 0,
  })
  expect(await readTestStyle(testRunner, 'add_spec.rb', 'expect(add(1, 2)).to eq 3')).toBeNull()
  expect(await readTestStyle(testRunner, 'add.test.ts', 'expect(add(1, 2)).toBe(3')).toBeNull()
})

test.each<[source: string, assertions: number, mocks: number]>([
  ['expect(a).not.toBe(1)', 1, 0],
  ['await expect(a()).rejects.toThrow()', 1, 0],
  ['expect(a).to.be.true', 1, 0],
  ['expect(a)', 0, 0],
  ['expect.assertions(2); expect.hasAssertions()', 0, 0],
  ['expect(a).toEqual(expect.objectContaining({ b: expect.any(String) }))', 1, 0],
  ['expect(true).toBe(true); expect(1 + 1).toBe(2); assert(true); assert.equal(1, 1)', 0, 0],
  ['expect.fail("never")', 1, 0],
  ['// expect(a).toBe(1)\n"expect(a).toBe(1)"', 0, 0],
  ['assert(a); assert.equal(a, 1); assert.strict.deepEqual(a, b)', 3, 0],
  ["import { strictEqual as same } from 'node:assert'\nsame(a, 1)", 1, 0],
  ["const { equal } = require('assert/strict')\nequal(a, 1)", 1, 0],
  ["const t = require('chai').assert\nt.isTrue(a)", 1, 0],
  ['a.should.equal(1); a.should.be.true; should(a).equal(1); chai.should()', 3, 0],
  ["cy.get('a').should('be.visible')", 1, 0],
  ["await request(app).get('/').expect(200)", 1, 0],
  ['t.is(a, 1); t.equal(a, 1); t.plan(2); t.assert.ok(a)', 3, 0],
  ["vi.mock('a'); vi.fn(); vi.spyOn(a, 'b'); vi.useFakeTimers(); vi.clearAllMocks()", 0, 3],
  ["jest.mock('a', () => ({ b: jest.fn().mockReturnValue(1) }))", 0, 2],
  ["sinon.stub(a, 'b'); sinon.assert.calledOnce(a.b)", 1, 1],
  ["const box = sinon.createSandbox()\nbox.stub(a, 'b')", 0, 1],
  ["import * as td from 'testdouble'\ntd.replace('a')", 0, 1],
  ["mock.method(fs, 'readFile'); t.mock.fn()", 0, 2],
  ["import { mock } from 'jest-mock-extended'\nmock()", 0, 1],
])('JavaScript: %s', async (source, assertions, mocks) => {
  expect(await counts('a.test.js', source)).toEqual([assertions, mocks])
})

test.each<[source: string, assertions: number, mocks: number]>([
  ['assert add(1, 2) == 3', 1, 0],
  ['assert True\nassert 1 == 1, "same"\nself.assertTrue(True)', 0, 0],
  ['self.assertEqual(add(1, 2), 3)\nself.fail("never")', 2, 0],
  ['with self.assertRaises(ValueError): f()', 1, 0],
  ['with pytest.raises(ValueError): f()', 1, 0],
  ['with raises(ValueError): f()\nself.raises(1)', 1, 0],
  ['np.testing.assert_allclose(a, b)', 1, 0],
  ['m.assert_called_once_with(1)\nm.assert_called_once()', 2, 0],
  ['# assert a\n"assert a"', 0, 0],
  ['m = MagicMock(return_value=1)\nn = mock.Mock()', 0, 2],
  ['@patch("a.b")\n@mock.patch.object(a, "b")\ndef test(b): pass', 0, 2],
  ['mocker.patch("a")\nmocker.patch.object(a, "b")\nmocker.spy(a, "b")', 0, 3],
  ['monkeypatch.setattr(a, "b", 1)\nmonkeypatch.setenv("A", "1")', 0, 1],
])('Python: %s', async (source, assertions, mocks) => {
  expect(await counts('test_a.py', `${source}\n`)).toEqual([assertions, mocks])
})

test.each<[source: string, assertions: number, mocks: number]>([
  ['t.Errorf("no"); t.Fatal(err); t.Log("yes"); t.Run("a", nil)', 2, 0],
  ['assert.Equal(t, 1, f()); require.NoError(t, err)', 2, 0],
  ['assert.True(t, true)', 0, 0],
  ['if diff := cmp.Diff(a, b); diff != "" { t.Error(diff) }', 1, 0],
  ['Expect(f()).To(Equal(1)); g.Expect(f()).NotTo(BeNil())', 2, 0],
  ['s.Require().NoError(err)', 1, 0],
  ['m := NewMockStore(ctrl); m.EXPECT().Get(1)', 0, 1],
  ['a := mocks.NewStore(t); b := new(MockStore); c := &MockStore{}', 0, 3],
  ['m.AssertExpectations(t)', 1, 0],
  ['other.Error("no")', 0, 0],
])('Go: %s', async (statements, assertions, mocks) => {
  expect(await counts('a_test.go', `package a\nfunc TestA(t *testing.T) { ${statements} }\n`)).toEqual([
    assertions,
    mocks,
  ])
})

test('the output of an example in Go is an assertion', async () => {
  const source = 'package a\nfunc ExampleF() {\n\tfmt.Println(f())\n\t// Output: 1\n}\n'
  expect(await counts('a_test.go', source)).toEqual([1, 0])
})

const weakOf = async (path: string, source: string) => {
  const style = await styleOf(path, source)
  return style && [style.assertions, style.weakAssertions]
}

test.each<[source: string, assertions: number, weak: number]>([
  ['expect(a).toBeDefined(); expect(a).not.toBeNull(); expect(a).toBeInstanceOf(B)', 3, 3],
  ["expect(typeof a).toBe('string'); expect(a).toEqual(expect.any(String)); expect(Array.isArray(a)).toBe(true)", 3, 3],
  ['expect(m).toHaveBeenCalled(); expect(() => a()).not.toThrow(); await expect(a()).resolves.not.toThrow()', 3, 3],
  ["expect(a).to.exist; expect(a).to.be.a('string'); expect(a).to.not.be.null", 3, 3],
  ["expect(a).toHaveProperty('b'); expect(a).toHaveProperty('b', 1)", 2, 1],
  ['expect(m).toHaveBeenCalledWith(1); expect(m).toHaveBeenCalledTimes(2); expect(a).toBeTruthy()', 3, 0],
  ['expect(a).toBeNull(); expect(a).not.toBe(1); await expect(a()).rejects.toBeInstanceOf(B)', 3, 0],
  ["assert.equal(typeof a, 'string'); assert.ok(Array.isArray(a)); assert.notEqual(a, undefined)", 3, 3],
  ['assert.ok(m.mock.callCount() > 0); assert(m.called); assert(a instanceof B && a !== null)', 3, 3],
  ['assert.doesNotThrow(() => a()); assert.equal(m.mock.callCount(), 2); assert.ok(a)', 3, 1],
  ['expect(a).toBeDefined(); expectTotal(a, 5)', 1, 0],
])('JavaScript that says little: %s', async (source, assertions, weak) => {
  expect(await weakOf('a.test.js', source)).toEqual([assertions, weak])
})

test.each<[source: string, assertions: number, weak: number]>([
  ['assert a is not None\nassert type(a) is str\nassert isinstance(a, str) and callable(b)', 3, 3],
  ['assert m.called\nassert m.call_count >= 1\nm.assert_called_once()', 3, 3],
  ['self.assertIsNotNone(a)\nself.assertIsInstance(a, B)\nself.assertTrue(hasattr(a, "b"))', 3, 3],
  ['assert a\nassert a is None\nassert type(a).name == "b" and b', 3, 0],
  ['m.assert_called_once_with(1)\nassert m.call_count == 2\nself.assertTrue(a)', 3, 0],
])('Python that says little: %s', async (source, assertions, weak) => {
  expect(await weakOf('test_a.py', `${source}\n`)).toEqual([assertions, weak])
})

test('Go that says little', async () => {
  const weak = 't.Fatal(err); require.NoError(t, err); assert.NotNil(t, a)'
  const said = 't.Fatal("no", a); assert.Equal(t, 1, a)'
  const source = `package a\nfunc TestA(t *testing.T) { ${weak}; ${said} }\n`
  expect(await weakOf('a_test.go', source)).toEqual([5, 3])
})
