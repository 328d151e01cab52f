import { expect, test } from 'vitest'
import { complexityOf, factsOf, symbolsOf } from '../testing/facts.ts'

test('names methods by their type and knows what is public', async () => {
  const symbols = await symbolsOf(
    'rust',
    `/// Doc.
#[derive(Debug)]
pub struct Store<T> { items: Vec<T> }
impl<T> Store<T> {
    #[inline]
    pub async fn get(&self) -> u8 { 1 }
    fn hidden(&self) {}
    pub(crate) fn internal(&self) {}
}
impl<T: Clone> fmt::Display for &'a Store<T> { fn fmt(&self) -> R { Ok(()) } }
pub trait Shape { fn area(&self) -> f64; fn name(&self) { go(); } }
pub mod open { pub fn inside() {} mod closed { pub fn deep() {} } }
pub unsafe fn free() {}
fn own() {}
extern "C" { fn foreign(); }
`,
  )
  expect(symbols).toEqual([
    'method Store.get 6-6 complexity 1, exported',
    'method Store.hidden 7-7 complexity 1',
    'method Store.internal 8-8 complexity 1',
    'method Store.fmt 10-10 complexity 1, exported',
    'method Shape.name 11-11 complexity 1, exported',
    'function open.inside 12-12 complexity 1, exported',
    'function open.closed.deep 12-12 complexity 1',
    'function free 13-13 complexity 1, exported',
    'function own 14-14 complexity 1',
  ])
})

test('counts every branch of the language once', async () => {
  const body = (code: string) => complexityOf('rust', `fn f() { ${code} }`).then((found) => found['f'])
  expect(await body('if a && b || c { } else if d {} else {}')).toBe(5)
  expect(await body('if let Some(x) = y && z {}')).toBe(3)
  expect(await body('match a { 1 | 2 => b(), x if x > 1 => {} Foo::A { .. } => {}, other => {}, _ => c() }')).toBe(6)
  expect(await body('while let Some(x) = y {} for i in 0..1 {} loop { break; }')).toBe(4)
  expect(await body('let Some(x) = y else { return };')).toBe(2)
  expect(await body('let c = |x| if x { 1 } else { 2 }; d()?;')).toBe(2)
  expect(await body('fn nested() { if a {} } let r = &&x;')).toBe(1)
})

test('tells inline tests from code, and code that is left out of tests from both', async () => {
  const source = `pub fn parse() {}
#[cfg(not(test))]
fn only_real() {}
#[cfg(test)]
mod tests {
    use super::*;
    fn helper() {}
    #[test]
    fn parses() { assert_eq!(parse("x"), Some(Thing { a: 1 })); }
}
#[tokio::test(flavor = "multi_thread")]
async fn alone() {}
`
  expect(await symbolsOf('rust', source)).toEqual([
    'function parse 1-1 complexity 1, exported',
    'function only_real 3-3 complexity 1',
    'function tests.helper 7-7 complexity 1, test',
    'function tests.parses 9-9 complexity 1, test',
    'function alone 12-12 complexity 1, test',
  ])
  const facts = await factsOf('rust', source)
  expect(facts.inlineTests).toBe(true)
  expect(facts.references).toContain('parse')
  expect((await factsOf('rust', 'fn a() {}')).inlineTests).toBeUndefined()
})

test('flattens use trees and sees inline modules from the file', async () => {
  const { imports, exports } = await factsOf(
    'rust',
    `use crate::a::{b, c::d as e, self, f::*, g::{h, i}};
use super::up;
use {one, ::two::three};
pub use self::y::Z;
pub(crate) use q as r;
pub use all::*;
extern crate serde;
mod child;
pub mod shown;
pub struct Thing;
pub(crate) fn shared() {}
fn own() {}
mod inner {
    use super::thing;
    use super::super::beyond;
    use self::here;
    mod file;
}
`,
  )
  expect(imports).toEqual([
    { specifier: 'crate::a::b', names: ['b'] },
    { specifier: 'crate::a::c::d', names: ['d'] },
    { specifier: 'crate::a', names: ['a'] },
    { specifier: 'crate::a::f', names: ['*'] },
    { specifier: 'crate::a::g::h', names: ['h'] },
    { specifier: 'crate::a::g::i', names: ['i'] },
    { specifier: 'super::up', names: ['up'] },
    { specifier: 'one', names: ['one'] },
    { specifier: '::two::three', names: ['three'] },
    { specifier: 'self::y::Z', names: ['Z'], reexport: true },
    { specifier: 'q', names: ['q'], reexport: true },
    { specifier: 'all', names: ['*'], reexport: true },
    { specifier: 'serde', names: ['*'] },
    { specifier: 'self::child', names: [] },
    { specifier: 'self::shown', names: [] },
    { specifier: 'self::thing', names: ['thing'] },
    { specifier: 'super::beyond', names: ['beyond'] },
    { specifier: 'self::inner::here', names: ['here'] },
    { specifier: 'self::inner::file', names: [] },
  ])
  expect(exports).toEqual([
    { name: 'Z', from: 'self::y::Z' },
    { name: 'r', local: 'q', from: 'q' },
    { name: '*', from: 'all' },
    { name: 'shown' },
    { name: 'Thing' },
    { name: 'shared' },
  ])
})
