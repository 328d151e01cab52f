import type { FrameworkRule } from '../rule.ts'
import { dotnetRules } from './dotnet.ts'
import { elixirRules } from './elixir.ts'
import { goRules } from './go.ts'
import { javaRules } from './java.ts'
import { javascriptRules } from './javascript.ts'
import { phpRules } from './php.ts'
import { pythonRules } from './python.ts'
import { rubyRules } from './ruby.ts'
import { rustRules } from './rust.ts'
import { testRules } from './tests.ts'

export const frameworkRules: readonly FrameworkRule[] = [
  ...javascriptRules,
  ...pythonRules,
  ...goRules,
  ...javaRules,
  ...rubyRules,
  ...rustRules,
  ...phpRules,
  ...dotnetRules,
  ...elixirRules,
  ...testRules,
]
