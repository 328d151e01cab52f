import { expect, test } from 'vitest'
import { cpuMilliseconds } from '../source/testing/cpu-time.ts'
import { heuristicExtensions } from './heuristics.ts'
import { detectLanguage } from './detect.ts'
import { ownRules } from './own-rules.ts'

const detect = (path: string, content: string) => detectLanguage(path, Buffer.from(content))

test.each([
  ['src/main.rs', 'fn main() {}\n', 'Rust'],
  ['web/App.tsx', 'export const App = () => <p/>\n', 'TSX'],
  ['web/app.ts', 'export const a = 1\n', 'TypeScript'],
  ['deep/er/Dockerfile', 'FROM scratch\n', 'Dockerfile'],
  ['Gemfile', "source 'x'\n", 'Ruby'],
  ['Makefile', 'all:\n', 'Makefile'],
  ['go.mod', 'module a\n', 'Go Module'],
  ['tsconfig.json', '{}\n', 'JSON with Comments'],
  ['lib/Rakefile.RB', 'puts 1\n', 'Ruby'],
  ['resources/views/a.blade.php', '<x-layout>\n', 'Blade'],
])('names %s by its name', (path, content, language) => {
  expect(detect(path, content)).toBe(language)
})

test.each([
  ['bin/run', '#!/usr/bin/env node\n', 'JavaScript'],
  ['bin/run', '#!/usr/bin/env -S ts-node --esm\n', 'TypeScript'],
  ['bin/run', '#!/usr/bin/python3.12\n', 'Python'],
  ['bin/run', '#!/usr/bin/env LANG=C bash\n', 'Shell'],
  ['bin/run', '#!/bin/sh\nexec ruby -x "$0" "$@"\n', 'Ruby'],
  ['script.js', '#!/usr/bin/env osascript -l JavaScript\n', 'JavaScript'],
  ['bin/run', '#!/usr/bin/env what-is-this\n', 'Unknown'],
])('reads who runs %s from its first line', (path, content, language) => {
  expect(detect(path, content)).toBe(language)
})

test.each([
  ['notes', '# -*- mode: ruby -*-\n', 'Ruby'],
  ['vector.h', '// -*- C++ -*-\n', 'C++'],
  ['vector.h', '/* -*- coding: utf-8; mode: c++; tab-width: 4 -*- */\n', 'C++'],
  ['notes', 'first\n# vim: set ft=python ts=4:\n', 'Python'],
  ['notes', `${'line\n'.repeat(3_000)}// vim: ft=go\n`, 'Go'],
  ['notes', `one\ntwo\nthree\nfour\nfive\nsix\n# vim: ft=python\n${'line\n'.repeat(300)}`, 'Unknown'],
  ['app.ts', '// -*- mode: no-such-mode -*-\n', 'TypeScript'],
  ['some.service', '# vim: ft=ruby\n', 'Ruby'],
])('believes the modeline of %s', (path, content, language) => {
  expect(detect(path, content)).toBe(language)
})

test.each([
  ['a.h', '#import <Foundation/Foundation.h>\n@interface A\n@end\n', 'Objective-C'],
  ['a.h', 'namespace x { class A {}; }\n', 'C++'],
  ['a.h', 'int a(void);\n', 'C'],
  ['a.pl', ':- module(a, [b/1]).\n', 'Prolog'],
  ['a.pl', 'use strict;\n', 'Perl'],
  ['a.m', 'function y = f(x)\n  y = x;\nend\n', 'MATLAB'],
  ['a.m', '#import "A.h"\n', 'Objective-C'],
  ['a.rs', 'use std::io;\n', 'Rust'],
  ['a.ts', '<?xml version="1.0"?><!DOCTYPE TS><TS version="2.1">\n', 'XML'],
  ['a.v', 'module top(input clk);\nendmodule\n', 'Verilog'],
  ['a.spec', 'Name: nginx\nVersion: 1\n%prep\n', 'RPM Spec'],
  ['a.spec', "describe 'x' do\nend\n", 'Ruby'],
  ['a.sch', 'EESchema Schematic File Version 4\n', 'KiCad Schematic'],
  ['a.trigger', 'trigger A on Account (before insert) {}\n', 'Apex'],
  ['hosts', '127.0.0.1 localhost\n', 'Hosts File'],
])('tells by its content what %s is', (path, content, language) => {
  expect(detect(path, content)).toBe(language)
})

test.each([
  ['a.cs', 'x\n', 'C#'],
  ['a.pl', 'x\n', 'Perl'],
  ['a.php', 'x\n', 'PHP'],
  ['a.md', 'plain words\n', 'Markdown'],
])('gives %s without any sign to the language most such files are in', (path, content, language) => {
  expect(detect(path, content)).toBe(language)
})

test('does not take every file with a common extension for the one language that lists it', () => {
  expect(detect('unit.service', '[Unit]\nDescription=x\n')).toBe('INI')
  expect(detect('some.service', 'a service of ours\n')).toBe('Unknown')
  expect(detect('data.xyzzy', 'x\n')).toBe('Unknown')
  expect(detect('LICENSE-OF-SOMETHING', 'x\n')).toBe('Unknown')
})

test('calls XML by its declaration and manual pages by their section where the name says nothing', () => {
  expect(detect('layout.unheardof', '<?xml version="1.0"?>\n<a/>\n')).toBe('XML')
  expect(detect('git.1', '.TH GIT 1\n.SH NAME\ngit\n')).toBe('Roff Manpage')
})

test('counts binary content as such, whatever its name', () => {
  expect(detectLanguage('a.ts', Buffer.from([0x61, 0, 0x62]))).toBe('Binary')
  expect(detectLanguage('a.txt', Buffer.from('%PDF-1.7\n%âãÏÓ\n', 'latin1'))).toBe('Binary')
  expect(detectLanguage('logo.svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))).toBe('SVG')
})

test('reads UTF-16 with a byte order mark as text', () => {
  expect(detectLanguage('a.cs', Buffer.from('\ufeffusing System;\nnamespace A;\n', 'utf16le'))).toBe('C#')
})

test('decides by the path alone where there is no content', () => {
  expect(detectLanguage('src/big.ts', null)).toBe('TypeScript')
  expect(detectLanguage('src/Big.tsx', null)).toBe('TSX')
  expect(detectLanguage('src/big.h', null)).toBe('C')
  expect(detectLanguage('photo.PNG', null)).toBe('Binary')
  expect(detectLanguage('pkg/__init__.py', Buffer.alloc(0))).toBe('Python')
  expect(detectLanguage('whatever', null)).toBe('Unknown')
})

test('does not take a Git LFS pointer for the content it points to', () => {
  const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n'
  expect(detect('model.onnx', pointer)).toBe('Binary')
  expect(detect('data.csv', pointer)).toBe('CSV')
})

const isSlow = async (path: string, content: Buffer) =>
  (await cpuMilliseconds(() => detectLanguage(path, content))) > 500

test.each(['\n', ' ', '\t\n', 'a', 'a ', 'a\n', '(', '<', '# ', '0', 'use ', '%builtins a', '"', '\\'])(
  'spends at most 500 ms on 50 kB of %j under any extension that has rules',
  async (unit) => {
    const content = Buffer.from(unit.repeat(Math.ceil(50_000 / unit.length)))
    const slow: string[] = []
    for (const extension of [...heuristicExtensions(), ...ownRules.keys()]) {
      const path = extension.startsWith('.') ? `x${extension}` : extension
      if (await isSlow(path, content)) slow.push(path)
    }
    expect(slow).toEqual([])
  },
)

test.each([
  ['x.cairo', `%builtins ${'a'.repeat(60)}!`],
  ['x.e', ` a ${'-- a '.repeat(1_500)}\n!`],
  ['x.txt', `vi:${' : '.repeat(2_500)}!`],
  ['x.inc', `A${'_a'.repeat(4_000)}!`],
  ['x.pl', ' my \n'.repeat(1_600)],
  ['x.ls', '\n package '.repeat(800)],
])('does not backtrack exponentially over %s', async (path, content) => {
  expect(await isSlow(path, Buffer.from(content))).toBe(false)
})
