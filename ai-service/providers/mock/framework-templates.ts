import type { BrowserFramework, TestFramework } from '../../repository/frameworks.ts'

/** How a framework writes a test file. `fill` in `write-test.ts` explains the slots. */
export interface FrameworkTemplate {
  file: string
  test: string
  /** A statement that fails with the expression `{message}`. */
  fail: string
  /** A statement that compares `{actual}` with `{expected}`. */
  equal?: string
  /** Fills the slot `{framework}` of the file. */
  name?: string
}

const groups = (test: string, imports = '') => ({
  file: `{header}
${imports}{import}

describe({title}, () => {
  {tests}
})
`,
  test: `${test}({case}, async () => {
  {body}
})`,
  fail: 'throw new Error({message})',
  equal: 'expect({actual}).toBe({expected})',
})

const assert = { fail: 'assert.fail({message})', equal: 'assert.equal({actual}, {expected})' }
const assertImport = "import assert from 'node:assert/strict'\n"

const pytestFunction = 'def test_{group}_{snake}():'

const javaClass = (modifier: string, imports: string): FrameworkTemplate => ({
  file: `{header}
{namespace}
${imports}

${modifier}class {class} {
    {tests}
}
`,
  test: `@Test
${modifier}void {camel}() {
    {body}
}`,
  fail: 'fail({message});',
})

const csharpClass = (using: string, attribute: string, test: string): FrameworkTemplate => ({
  file: `{header}
{namespace}
using ${using};

${attribute}public class {class}
{
    {tests}
}
`,
  test: `[${test}]
public void {pascal}()
{
    {body}
}`,
  fail: 'Assert.Fail({message});',
})

const rubyClass: FrameworkTemplate = {
  file: '{header}\n{import}\n\nclass {class} < {base}\n  {tests}\nend\n',
  test: 'def test_{snake}\n  {body}\nend',
  fail: 'flunk {message}',
}

export const frameworks: Record<TestFramework | BrowserFramework, FrameworkTemplate> = {
  vitest: { ...groups('test', "import { describe, expect, test } from 'vitest'\n\n"), fail: 'expect.fail({message})' },
  jest: groups('test'),
  mocha: { ...groups('it', `${assertImport}\n`), ...assert },
  'node:test': { ...groups('test', `${assertImport}import { describe, test } from 'node:test'\n\n`), ...assert },
  ava: {
    file: "{header}\nimport test from 'ava'\n\n{import}\n\n{tests}\n",
    test: 'test({titled}, async (t) => {\n  {body}\n})',
    fail: 't.fail({message})',
    equal: 't.is({actual}, {expected})',
  },
  jasmine: { ...groups('it'), fail: 'fail({message})' },
  tape: {
    file: "{header}\nimport test from 'tape'\n\n{import}\n\n{tests}\n",
    // Older versions do not wait for a promise, and newer ones accept the call.
    test: 'test({titled}, async (t) => {\n  {body}\n  t.end()\n})',
    fail: 't.fail({message})',
    equal: 't.equal({actual}, {expected})',
  },
  tap: {
    file: "{header}\nimport { test } from 'tap'\n\n{import}\n\n{tests}\n",
    test: 'test({titled}, async (t) => {\n  {body}\n})',
    fail: 't.fail({message})',
    equal: 't.equal({actual}, {expected})',
  },
  uvu: {
    file: "{header}\nimport { test } from 'uvu'\nimport * as assert from 'uvu/assert'\n\n{import}\n\n{tests}\n\ntest.run()\n",
    test: 'test({titled}, async () => {\n  {body}\n})',
    fail: 'assert.unreachable({message})',
    equal: 'assert.is({actual}, {expected})',
  },
  qunit: {
    file: "{header}\nimport QUnit from 'qunit'\n\n{import}\n\nQUnit.module({title}, () => {\n  {tests}\n})\n",
    test: 'QUnit.test({case}, async (assert) => {\n  {body}\n})',
    fail: 'assert.true(false, {message})',
    equal: 'assert.equal({actual}, {expected})',
  },
  'bun:test': groups('test', "import { describe, expect, test } from 'bun:test'\n\n"),
  pytest: {
    name: 'pytest',
    file: '{header}\n{import}\n\n\n{tests}\n',
    test: `${pytestFunction}\n    {body}`,
    fail: 'pytest.fail({message})',
    equal: 'assert {actual}',
  },
  unittest: {
    name: 'unittest',
    file: `{header}
{import}


class {Group}Test(unittest.TestCase):
    {tests}


if __name__ == "__main__":
    unittest.main()
`,
    test: 'def test_{snake}(self):\n    {body}',
    fail: 'self.fail({message})',
    equal: 'self.assertTrue({actual})',
  },
  'go test': {
    file: `{header}

package {namespace}

import "testing"

func Test{Group}(t *testing.T) {
	{tests}
}
`,
    test: 't.Run({case}, func(t *testing.T) {\n\t{body}\n})',
    fail: 't.Fatal({message})',
  },
  junit: javaClass(
    '',
    `import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.Test;`,
  ),
  junit4: javaClass('public ', 'import static org.junit.Assert.fail;\n\nimport org.junit.Test;'),
  testng: javaClass('public ', 'import static org.testng.Assert.fail;\n\nimport org.testng.annotations.Test;'),
  rspec: {
    file: '{header}\n{import}\n\nRSpec.describe {title} do\n  {tests}\nend\n',
    test: 'it {case} do\n  {body}\nend',
    fail: 'raise NotImplementedError, {message}',
  },
  minitest: rubyClass,
  'test-unit': rubyClass,
  'cargo test': {
    file: '{header}\n#[cfg(test)]\nmod {group} {\n    use super::*;\n\n    {tests}\n}\n',
    test: '#[test]\nfn {snake}() {\n    {body}\n}',
    fail: 'todo!({message})',
  },
  phpunit: {
    file: `<?php {header}

use PHPUnit\\Framework\\TestCase;

final class {class} extends TestCase
{
    {tests}
}
`,
    test: 'public function test{pascal}(): void\n{\n    {body}\n}',
    fail: 'self::fail({message});',
  },
  pest: {
    file: '<?php {header}\n\n{tests}\n',
    test: 'test({titled}, function () {\n    {body}\n});',
    fail: '$this->fail({message});',
  },
  xunit: csharpClass('Xunit', '', 'Fact'),
  nunit: csharpClass('NUnit.Framework', '[TestFixture]\n', 'Test'),
  mstest: csharpClass('Microsoft.VisualStudio.TestTools.UnitTesting', '[TestClass]\n', 'TestMethod'),
  playwright: {
    file: `{header}
import { test } from '@playwright/test'

test.describe({title}, () => {
  {tests}
})
`,
    test: `test({case}, async ({ page }) => {
  // Arrange and act
  await page.goto({address})

  // Assert
  throw new Error({visit} + (await page.title()))
})`,
    fail: '',
  },
  cypress: {
    file: '{header}\ndescribe({title}, () => {\n  {tests}\n})\n',
    test: `it({case}, () => {
  // Arrange and act
  cy.visit({address})

  // Assert
  cy.title().then((title) => {
    throw new Error({visit} + title)
  })
})`,
    fail: '',
  },
  outline: { file: '{header}\n{outline}\n', test: '', fail: '' },
}
