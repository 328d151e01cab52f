import type { Example } from '../example.ts'
import { singleQuoted } from '../../../repository/safe-text.ts'
import { addressOfPage } from '../../../../engines/test-names/pages.ts'
import { commentLines, indent, separate } from '../wording.ts'

const fill = 'Replace the parameters in this address, and state here what a visitor must see'

/** Playwright and Cypress: a visit of the page. */
export function writeBrowserTest(example: Example): string {
  const address = singleQuoted(addressOfPage(example.sourcePath) ?? '/')
  const [first, ...others] = example.cases
  const title = singleQuoted(example.title)
  const lines =
    example.framework === 'playwright'
      ? [
          "import { test } from '@playwright/test'",
          '',
          `test.describe(${title}, () => {`,
          ...indent(
            separate([
              [
                `test(${singleQuoted(first)}, async ({ page }) => {`,
                '  // Arrange and act',
                `  await page.goto(${address})`,
                '',
                '  // Assert',
                `  throw new Error(${singleQuoted(`${fill}. The title is: `)} + (await page.title()))`,
                '})',
              ],
              ...others.map((sentence) => [`test.fixme(${singleQuoted(sentence)}, async () => {})`]),
            ]),
            '  ',
          ),
          '})',
        ]
      : [
          `describe(${title}, () => {`,
          ...indent(
            separate([
              [
                `it(${singleQuoted(first)}, () => {`,
                '  // Arrange and act',
                `  cy.visit(${address})`,
                '',
                '  // Assert',
                '  cy.title().then((title) => {',
                `    throw new Error(${singleQuoted(`${fill}. The title is: `)} + title)`,
                '  })',
                '})',
              ],
              ...others.map((sentence) => [`it(${singleQuoted(sentence)})`]),
            ]),
            '  ',
          ),
          '})',
        ]
  return [...commentLines(example.header, '//'), ...lines, ''].join('\n')
}
