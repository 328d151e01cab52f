import { expect, test } from 'vitest'
import { linksOf, repository } from './testing/repository.ts'

test('walks the module tree from crate, self and super', async () => {
  const repo = await repository({
    'Cargo.toml': '[package]\nname = "my-app"\n',
    'src/lib.rs': 'pub mod parse;\nmod util;\npub use crate::parse::lexer::Lexer;\n',
    'src/parse/mod.rs':
      'pub mod lexer;\nuse self::lexer::Lexer;\nuse super::util::trim;\npub fn parse() { Lexer::new(); trim(); }\n',
    'src/parse/lexer.rs': 'pub struct Lexer;\nimpl Lexer { pub fn new() -> Lexer { Lexer } }\n',
    'src/util.rs': 'pub fn trim() {}\npub fn pad() {}\n',
    'src/bin/tool.rs': 'use my_app::{parse::parse, Lexer};\nfn main() { parse(); Lexer::new(); }\n',
    'tests/it.rs': 'use my_app::parse;\nmod common;\n#[test]\nfn works() { parse::parse(); common::setup(); }\n',
    'tests/common/mod.rs': 'pub fn setup() {}\n',
  })
  expect(linksOf(repo, 'src/parse/mod.rs')).toEqual(['src/parse/lexer.rs: Lexer', 'src/util.rs: trim'])
  expect(linksOf(repo, 'src/bin/tool.rs')).toEqual([
    'src/lib.rs:',
    'src/parse/lexer.rs: Lexer',
    'src/parse/mod.rs: parse',
  ])
  expect(linksOf(repo, 'tests/it.rs')).toEqual(['src/parse/mod.rs: parse', 'tests/common/mod.rs: setup'])
})

test('leads to the other crates of a workspace, by package or library name', async () => {
  const repo = await repository({
    'Cargo.toml': '[workspace]\nmembers = ["crates/*"]\n',
    'crates/core/Cargo.toml': '[package]\nname = "acme-core"\n',
    'crates/core/src/lib.rs': 'pub fn start() {}\n',
    'crates/codec/Cargo.toml': '[package]\nname = "acme-codec"\n[lib]\nname = "codec"\npath = "codec.rs"\n',
    'crates/codec/codec.rs': 'pub fn encode() {}\n',
    'crates/cli/Cargo.toml': '[package]\nname = "cli"\n',
    'crates/cli/src/main.rs':
      'use acme_core::start;\nuse codec::encode;\nuse serde::Serialize;\nfn main() { start(); encode(); }\n',
  })
  expect(linksOf(repo, 'crates/cli/src/main.rs')).toEqual([
    'crates/codec/codec.rs: encode',
    'crates/core/src/lib.rs: start',
  ])
})
