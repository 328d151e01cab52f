/**
 * Expressions whose time may grow faster than the text, or that recheck cannot judge, with the reason why no text of a
 * stranger can use that. `expression` is missing where one reason holds for all of a file.
 */
export const allowedExpressions: readonly { file: string; expression?: string; reason: string }[] = [
  {
    file: 'ai-service/providers/mock/smoke.ts',
    reason: 'Symbols have at most 500 characters. The parts around the name begin with a fixed word.',
  },
  {
    file: 'engines/test-plan/ruby.ts',
    reason: 'Lines of a Gemfile have at most 500 characters.',
  },
  {
    file: 'engines/test-names/frameworks.ts',
    expression: String.raw`/(^|\/)tests?\/(?!(?:.*\/)?specs?\/)(?!.*[._-]?spec\.[a-z]+$)/i`,
    reason: 'Paths in a request have at most 1,024 characters.',
  },
  {
    file: 'ai-service/secrets.ts',
    reason: 'A match begins with a fixed word, and reads at most the next 6,000 characters before it fails.',
  },
  {
    file: 'client/sanitize.ts',
    expression: String.raw`/[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\t\n]]/gv`,
    reason: 'It reads one character. recheck does not know the flag v.',
  },
  {
    file: 'core/base/log.ts',
    expression: String.raw`/\b(?:gh[opsur]|github_pat|glpat)[_-][A-Za-z0-9_-]{16}[A-Za-z0-9_-]*/g`,
    reason: 'It fails within 16 characters after a fixed word.',
  },
  {
    file: 'engines/analysis/frameworks/rules/tests.ts',
    expression: String.raw`/(?:^|[;&|(]\s*|\b(?:npx|pnpm|yarn|bunx?|c8|nyc|exec|dlx|run|x|cross-env|dotenv|node|--)\s+|\s\w+=\S+\s+|^\w+=\S+\s+|\bnode_modules/(?:\.bin/|\w+/bin/))a(?=\s|$|\.js\b)/`,
    reason: 'Linear: each start reads one word and the blanks around it. recheck adds up the alternatives.',
  },
  {
    file: 'engines/languages/generated-rules.ts',
    reason:
      'Reads comments within the first 2,048 bytes and 40 lines of a file. Gaps in a line have at most 60 characters.',
  },
  {
    file: 'engines/languages/heuristics.ts',
    reason:
      "Its expressions and what it reads of them are linguist's, a part of the product. They read what contentWindow leaves.",
  },
  {
    file: 'engines/languages/linguist/ruby-regex.ts',
    reason: 'Reads expressions of linguist when they are refreshed.',
  },
  {
    file: 'engines/languages/own-rules.ts',
    reason:
      'Reads what contentWindow leaves of a file: 8,192 bytes, lines of 1,000 characters, 40 blanks in a row. recheck cannot judge most of them.',
  },
  {
    file: 'engines/languages/path-rules.ts',
    expression: 'new RegExp(source)',
    reason:
      "Rules of linguist's from paths.json. This check reads those for whole paths there; others read 200 characters.",
  },
  {
    file: 'engines/manifests/ruby.ts',
    expression: String.raw`/\badd_(runtime_|development_)?dependency[\s(]+["']([^"'#\s]+)["'](.*)/`,
    reason: 'Each part ends where the next one begins. recheck gives up.',
  },
  {
    file: 'engines/manifests/ruby.ts',
    expression: String.raw`/\bSpecification\.new[\s(]+["']([^"'#\s]+)["']/`,
    reason: 'Each part ends where the next one begins. recheck gives up.',
  },
  {
    file: 'engines/parsing/javascript/binder.ts',
    expression: String.raw`/(?:\s|\/\/.*|\/\*[^]*?\*\/)*/y`,
    reason: 'Nothing follows the repetition, so that it never reads anything twice.',
  },
  {
    file: 'engines/sandbox/root-filesystem.ts',
    expression: '/<!--.*?-->/gs',
    reason: 'Reads settings of this machine.',
  },
  {
    file: 'engines/test-names/conventions.ts',
    expression: String.raw`/^(?<stem>.+?)(?:[._-](?:tests?|specs?|e2e|cy)|(?<=[A-Za-z0-9])(?:Tests?|Specs?)|(?<=[a-z0-9])IT)\.\w+$/d`,
    reason: 'Linear: each ending reads on to the next dot only. recheck counts the steps back to the letter before it.',
  },
  {
    file: 'engines/test-names/free-path.ts',
    expression: String.raw`/(?<![.-](?:tests?|specs?|cy|e2e|it))(?:[.-](?:tests?|specs?|cy|e2e|it))+$/`,
    reason:
      'Linear: only the first ending of a run begins a match. recheck counts the steps back to the ending before.',
  },
  {
    file: 'engines/test-names/pages.ts',
    expression: String.raw`/(?:^|\/)(?:pages\/(?!api\/)(?<below>.+)|app\/(?<app>(?:.+\/)?)page)$/s`,
    reason: 'Reads paths that end with `page`, so that the first folder `app` or `pages` matches.',
  },
  {
    file: 'local/child.ts',
    expression: String.raw`/^\S*(?:Error|Exception)\b.*:/`,
    reason: 'Reads what our own programs print at their start.',
  },
  {
    file: 'engines/verdicts/change/code-lines.ts',
    expression: String.raw`/^(?:(?:static|async|get|set|public|private|protected|override|readonly)\s+)*(?!(?:if|for|while|switch|catch|with)\b)[#\w$]+\s*\((?!.*\bfunction\b)[^;]*\)\s*(?::[^;=]*)?\{$/`,
    reason: 'The line is cut to 500 characters before.',
  },
  {
    file: 'engines/manifests/formats.ts',
    expression: "new RegExp(expressions.map(({ source }) => source).join('|'))",
    reason: 'The alternatives are expressions of our own code, each of which is judged.',
  },
]
